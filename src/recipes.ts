// millrace/recipes: what people of this field do most, written against the public API alone.
export { type Alignment, alignTokens } from "./recipes/inference/align-tokens.ts";
