/** The argument that makes a job leave when its standard input ends: its driver is gone then. */
export const attachedFlag = "--attached";
