import { makeStore, type Store } from "../store.ts";

export type Theme = "system" | "light" | "dark";

const key = "millrace-theme";
const darkScheme = "(prefers-color-scheme: dark)";

/** The chosen theme. */
export const theme: Store<Theme> = makeStore<Theme>(remembered());

/** Sets the colours of the page, now and later. */
export function chooseTheme(choice: Theme): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // A page from a file, or a browser without storage: the choice lasts until the page is closed.
  }
  apply(choice);
  theme.set(choice);
}

/** Calls the listener whenever the colours of the page change. */
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
