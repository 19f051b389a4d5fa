/** How the index is built and read: both sides must agree. */
export const searchFields = {
  fields: ["title", "page", "text"],
  storeFields: ["title", "page", "address", "excerpt", "weight"],
  // `onError` and `on_error` are found as written and by their parts.
  tokenize: (text) => {
    const words = text.split(/[^\p{L}\p{N}_$.]+/u).map((word) => word.replace(/^[.]+|[.]+$/g, ""));
    const parts = words.flatMap((word) => word.replace(/([a-z])([A-Z])/g, "$1 $2").split(/[\s_.]+/));
    return [...new Set([...words, ...parts])].filter((word) => word !== "");
  },
};
