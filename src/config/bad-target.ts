/** The valid forms of a target. */
export const targetForms =
  "Write ./file.ts#Export for a file of the project; package#Export or package/sub#Export for a package that package.json lists.";

/** Why a `_target_` is refused or not found. The caller adds the position. */
export class BadTarget extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
