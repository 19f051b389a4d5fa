/** What is wrong with a page; the walk over the pages of a file knows where it is. */
export class PageError extends Error {}
