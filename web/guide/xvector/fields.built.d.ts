/** A key of a config section, as its interface in the recipe describes it. Made by scripts/build-guide.mjs. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly text: string;
}

export declare const fields: { readonly xvector: readonly Field[]; readonly model: readonly Field[] };
