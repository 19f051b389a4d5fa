// The frame around every page: navigation and search.

const html = (text) =>
  String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

// No inline script or style, nothing from other hosts.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** One HTML page. `to(name)` returns the address of another page or file, relative to this one. */
export function pageTemplate({ page, sections, to, previous, next }) {
  const isCurrent = ({ name }) => name === page.name;
  return `<!doctype html>
<html lang="en" data-root="${html(to(""))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${html(page.title === "millrace" ? "millrace" : `${page.title} · millrace`)}</title>
<link rel="icon" href="${html(to("icon.svg"))}">
<link rel="stylesheet" href="${html(to("site.css"))}">
<script src="${html(to("theme.js"))}"></script>
<script src="${html(to("site.js"))}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${html(to("index.html"))}">millrace</a>
<div class="search" role="search">
<label class="unseen" for="query">Search the documentation</label>
<input id="query" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" aria-controls="found" aria-expanded="false" role="combobox" aria-autocomplete="list">
<ol id="found" class="found" role="listbox" aria-label="Pages found" hidden></ol>
<p id="count" class="count unseen" role="status"></p>
</div>
<button type="button" id="theme" aria-label="Change between light and dark">◐</button>
<button type="button" id="menu" aria-controls="pages" aria-expanded="false">Pages</button>
</header>
<div class="frame">
<nav id="pages" class="pages" aria-label="Pages">
${sections.map((section) => navSection(section, { isCurrent, to })).join("\n")}
</nav>
<main id="content" tabindex="-1">
<article>
${page.html}</article>
${turnTemplate({ previous, next, to })}
</main>
${contentsTemplate(page)}
</div>
</body>
</html>
`;
}

function navSection({ title, pages, isLong }, { isCurrent, to }) {
  const shown = pages.filter((page) => !page.isHidden || isCurrent(page));
  const items = shown.map((page) => {
    const mark = isCurrent(page) ? ' aria-current="page"' : "";
    return `<li><a href="${html(to(`${page.name}.html`))}"${mark}>${html(page.title)}</a></li>`;
  });
  const isOpen = !isLong || pages.some(isCurrent);
  return `<details${isOpen ? " open" : ""}><summary>${html(title)}</summary><ul>${items.join("")}</ul></details>`;
}

function contentsTemplate({ headings }) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${html(id)}">${html(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`;
}

function turnTemplate({ previous, next, to }) {
  const link = (page, rel, word) =>
    page === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="${html(to(`${page.name}.html`))}"><small>${word}</small>${html(page.title)}</a>`;
  return `<nav class="turn" aria-label="Next pages">${link(previous, "prev", "Before")}${link(next, "next", "Next")}</nav>`;
}
