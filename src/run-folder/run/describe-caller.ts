import { hostname, userInfo } from "node:os";

/** The user and host of this process, for people to read. */
export function describeCaller(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // The user has no name, as in some containers.
    return `user ${process.geteuid?.()}@${hostname()}`;
  }
}
