/** A problem of a page; the walk over the pages adds its position. */
export class PageError extends Error {}
