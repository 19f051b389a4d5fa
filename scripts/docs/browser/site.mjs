// What the site does in a browser: search, light and dark, the menu on a small screen.
import MiniSearch from "minisearch";
import { searchFields } from "./search-fields.mjs";

const rootAddress = document.documentElement.dataset.root ?? "./";
const query = document.querySelector("#query");
const found = document.querySelector("#found");
const count = document.querySelector("#count");
const strict = {
  boost: { title: 4, page: 2 },
  prefix: true,
  combineWith: "AND",
  boostDocument: (_id, _term, stored) => stored?.weight ?? 1,
};
let index;
let chosen = -1;

function loadIndex() {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${rootAddress}search-index.js`;
    script.onload = () => resolve(MiniSearch.loadJSON(globalThis.searchIndex, searchFields));
    script.onerror = () => reject(new Error("The search index cannot be loaded."));
    document.head.append(script);
  });
  return index;
}

async function search() {
  const words = query.value.trim();
  if (words === "") return show([]);
  const pages = await loadIndex();
  const exact = pages.search(words, strict);
  // Only if nothing else is found: a search for "blocks" does not mean "locks".
  const results = exact.length > 0 ? exact : pages.search(words, { ...strict, fuzzy: 0.2, combineWith: "OR" });
  // The user has typed more meanwhile.
  if (query.value.trim() === words) show(results.slice(0, 12), words);
}

function show(results, words) {
  chosen = -1;
  found.replaceChildren(...results.map(resultItem));
  const isOpen = words !== undefined;
  found.hidden = !isOpen || results.length === 0;
  query.setAttribute("aria-expanded", String(!found.hidden));
  query.removeAttribute("aria-activedescendant");
  count.textContent = !isOpen ? "" : results.length === 0 ? `Nothing found for ${words}` : `${results.length} found`;
  count.classList.toggle("unseen", !isOpen || results.length > 0);
}

function resultItem(result, i) {
  const item = document.createElement("li");
  item.id = `found-${i}`;
  item.setAttribute("role", "option");
  const link = document.createElement("a");
  link.href = rootAddress + result.address;
  link.className = "result";
  link.tabIndex = -1;
  const title = document.createElement("strong");
  title.textContent = result.page === "" ? result.title : `${result.page} › ${result.title}`;
  const excerpt = document.createElement("span");
  excerpt.textContent = result.excerpt;
  link.append(title, excerpt);
  item.append(link);
  return item;
}

function choose(step) {
  const items = [...found.children];
  if (items.length === 0) return;
  chosen = (chosen + step + items.length) % items.length;
  for (const [i, item] of items.entries()) item.setAttribute("aria-selected", String(i === chosen));
  items[chosen].scrollIntoView({ block: "nearest" });
  query.setAttribute("aria-activedescendant", items[chosen].id);
}

query.addEventListener("input", search);
query.addEventListener("focus", () => {
  loadIndex();
  if (query.value !== "") search();
});
query.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    choose(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter") {
    const item = found.children[Math.max(0, chosen)];
    if (item !== undefined) location.href = item.firstElementChild.href;
  } else if (event.key === "Escape") {
    show([]);
    query.blur();
  }
});
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  query.focus();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) show([]);
});

document.querySelector("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const isDark = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = isDark === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // Valid for this page only.
  }
});

const menu = document.querySelector("#menu");
menu.addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", String(isOpen));
});

document.querySelector('#pages [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
