/** Whether two types are the very same. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only where both types are the very same. */
export const same = <A, B>(_isSame: Same<A, B>): void => {};
