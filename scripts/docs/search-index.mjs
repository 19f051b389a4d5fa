// The index is built here and only read in the browser, so a reader waits only for a file.
import MiniSearch from "minisearch";
import { searchFields } from "./browser/search-fields.mjs";

/**
 * A script that stores the index for the page's search; unlike JSON, a script also loads in a page that was opened from
 * disk.
 */
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
