/** The files that a step may point to, by their names. Made by scripts/build-guide.mjs. */
export declare const sources: Readonly<Record<string, string>>;
