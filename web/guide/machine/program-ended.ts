/** Thrown wherever a program that has ended asks for anything: nothing of it is to go on. */
export class ProgramEnded extends Error {}
