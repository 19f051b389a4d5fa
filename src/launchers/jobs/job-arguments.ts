/** The argument that makes a job leave when its standard input ends, because then its driver is gone. */
export const attachedFlag = "--attached";
