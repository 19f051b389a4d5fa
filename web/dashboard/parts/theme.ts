import { makeStore, type Store } from "../store.ts";

export type Theme = "system" | "light" | "dark";

const key = "millrace-theme";
const darkScheme = "(prefers-color-scheme: dark)";

/** The colours that were chosen. */
export const theme: Store<Theme> = makeStore<Theme>(remembered());

/** Sets the colours of the page, now and later. */
export function chooseTheme(choice: Theme): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // A page from a file, or a browser that keeps nothing: it holds until the page is closed.
  }
  apply(choice);
  theme.set(choice);
}

/** Has the listener called whenever the page changes its colours, for those who draw with them. */
export function onColours(listener: () => void): () => void {
  const scheme = matchMedia(darkScheme);
  scheme.addEventListener("change", listener);
  const stop = theme.listen(listener);
  return () => {
    scheme.removeEventListener("change", listener);
    stop();
  };
}

export function applyTheme(): void {
  apply(theme.get());
}

function apply(choice: Theme): void {
  if (choice === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = choice;
}

function remembered(): Theme {
  try {
    const kept = localStorage.getItem(key);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}
