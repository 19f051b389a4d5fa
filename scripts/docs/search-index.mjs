// The index is made here and only read in the browser: a reader waits for a file, not for the work.
import MiniSearch from "minisearch";
import { searchFields } from "./browser/search-fields.mjs";

/** A script that leaves the index where the page's search finds it; a script also loads where a page was opened from a disk. */
export function searchIndex(pages) {
  const index = new MiniSearch(searchFields);
  let id = 0;
  for (const page of pages) {
    for (const section of page.sections) {
      const address = `${page.name}.html${section.id === "" ? "" : `#${section.id}`}`;
      const isPage = section.id === "";
      const limit = page.isReference ? 300 : 4000;
      index.add({
        id: id++,
        title: section.title,
        page: isPage ? "" : page.title,
        text: section.text.slice(0, limit),
        address,
        excerpt: section.text.slice(0, 140),
        weight: (isPage ? 1.5 : 1) * (page.isReference ? 0.6 : 1),
      });
    }
  }
  return `globalThis.searchIndex = ${JSON.stringify(JSON.stringify(index))};\n`;
}
