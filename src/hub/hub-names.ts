/** True if a text can be the name of a model on the hub: an owner and a name. */
export function isHubName(text: string): boolean {
  return /^[\w][\w.-]*\/[\w][\w.-]*$/.test(text) && !text.includes("--") && !text.includes("..");
}

/** A branch, tag or commit in git's syntax: no part is empty, `.` or `..`. */
export const revisionPattern: RegExp = /^(?!.*\.\.)\w[\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** True if the name of a repository's file stays inside its target folder, on every system. */
export function isPathWithin(name: string): boolean {
  // Windows ignores trailing dots and spaces, and treats a backslash as a slash.
  return !/[\p{Cc}\\]/u.test(name) && name.split("/").every((part) => !/^[. ]*$/.test(part));
}
