/** Tells a job to leave when its input ends: whoever holds the other end is gone. */
export const attachedFlag = "--attached";
