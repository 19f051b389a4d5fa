// Converts the Markdown of one page to HTML, with the data for the search.
import { dirname, join, relative } from "node:path";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";
import MarkdownIt from "markdown-it";

const languages = {
  sh: bash,
  bash,
  js: javascript,
  javascript,
  json,
  jsonl: json,
  py: python,
  python,
  ts: typescript,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/**
 * A page as HTML. `href` returns the address of a link on the site.
 * @returns {{ html: string, title: string, headings: { level: number, id: string, text: string }[], sections: object[] }}
 */
export function renderMarkdown(text, { isTrusted = false, href }) {
  // The generated reference marks positions with HTML; hand-written pages have only comments for their tests.
  const markdown = new MarkdownIt({ html: isTrusted, linkify: false, highlight: paint });
  const tokens = markdown.parse(isTrusted ? text : withoutNotes(text), {});
  const headings = [];
  const sections = [];
  const used = new Map();
  for (const [i, token] of tokens.entries()) {
    if (token.type === "heading_open") {
      const name = plainText(tokens[i + 1]);
      const id = uniqueSlug(name, used);
      token.attrSet("id", id);
      tokens[i + 1].children.push(...anchorTokens(markdown, id, name));
      const level = Number(token.tag.slice(1));
      headings.push({ level, id, text: name });
      sections.push({ id: level === 1 ? "" : id, title: name, text: [] });
    } else if (tokens[i - 1]?.type !== "heading_open") {
      const words = token.type === "inline" ? plainText(token) : token.type === "fence" ? token.content : "";
      if (words !== "") sections.at(-1)?.text.push(words);
    }
    // A column without a name: screen readers would announce an empty heading.
    if (token.type === "th_open" && tokens[i + 1].content === "") token.tag = tokens[i + 2].tag = "td";
    for (const child of token.children ?? [])
      if (child.type === "link_open") child.attrSet("href", href(child.attrGet("href")));
      else if (child.type === "image") child.attrSet("src", href(child.attrGet("src")));
  }
  addRules(markdown);
  return {
    html: markdown.renderer.render(tokens, markdown.options, {}),
    title: headings.find(({ level }) => level === 1)?.text ?? "millrace",
    headings,
    sections: sections.map((section) => ({ ...section, text: section.text.join(" ") })),
  };
}

/** The target of a link, relative to the page on the site; undefined if it is not a page. */
export function hrefBetween(from, to) {
  return relative(dirname(`/${from}`), `/${to}`) || to.split("/").at(-1);
}

/** The file of a link, resolved from the file that contains it. */
export function linkedFile(file, link) {
  return join(dirname(file), decodeURI(link));
}

/** GitHub's rule, so that an anchor works there too. */
function slugOf(text) {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

function uniqueSlug(text, used) {
  const slug = slugOf(text);
  const count = used.get(slug) ?? 0;
  used.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** Comments are for the tests: the setup of a code block. */
function withoutNotes(text) {
  let isCode = false;
  const lines = [];
  let isNote = false;
  for (const line of text.split("\n")) {
    if (!isNote && /^ {0,3}(```|~~~)/.test(line)) isCode = !isCode;
    if (!isCode && line.startsWith("<!--")) isNote = true;
    if (!isNote) lines.push(line);
    if (isNote && line.endsWith("-->")) isNote = false;
  }
  return lines.join("\n");
}

function plainText(token) {
  return (token.children ?? [])
    .filter(({ type }) => type === "text" || type === "code_inline" || type === "softbreak")
    .map(({ type, content }) => (type === "softbreak" ? " " : content))
    .join("");
}

function anchorTokens(markdown, id, name) {
  const [inline] = markdown.parseInline(`[#](#${id})`, {});
  const [open] = inline.children;
  open.attrSet("class", "anchor");
  open.attrSet("aria-label", `Link to “${name}”`);
  return inline.children;
}

function paint(code, info) {
  const language = hljs.getLanguage(info) ? info : undefined;
  return language === undefined ? "" : hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

function addRules(markdown) {
  const { rules } = markdown.renderer;
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  rules.table_close = () => "</table></div>\n";
  rules.fence = (tokens, i, options) => {
    const [language = "", ...rest] = tokens[i].info.trim().split(/\s+/);
    const { escapeHtml } = markdown.utils;
    const painted = options.highlight(tokens[i].content, language) || escapeHtml(tokens[i].content);
    // ```yaml prep.yaml: the file's name; ```ts run and ```text output are for the tests.
    const file = rest.find((word) => word.includes("."));
    const title = file === undefined ? "" : `<figcaption>${escapeHtml(file)}</figcaption>`;
    return `<figure class="code">${title}<pre tabindex="0"><code class="language-${escapeHtml(language)}">${painted}</code></pre></figure>\n`;
  };
}
