/** Where workers find the classes of this package's recipes. The build puts all its parts side by side. */
export const recipesUrl: string = new URL("./recipes.js", import.meta.url).href;
