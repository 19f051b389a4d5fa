/**
 * The URL from which workers import the classes of this package's recipes. The build puts all its chunks in one folder.
 */
export const recipesUrl: string = new URL("./recipes.js", import.meta.url).href;
