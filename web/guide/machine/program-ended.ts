/** Thrown when an ended program calls anything: none of it may continue. */
export class ProgramEnded extends Error {}
