import type { JSX } from "preact";
import { chooseTheme, type Theme, theme } from "./theme.ts";
import { useStore } from "./use-store.ts";

/** Light, dark, or the system's setting. */
export function ThemeChoice(): JSX.Element {
  const chosen = useStore(theme);
  return (
    <label class="theme-choice">
      <span class="visually-hidden">Colours</span>
      <select value={chosen} onChange={({ currentTarget }) => chooseTheme(currentTarget.value as Theme)}>
        <option value="system">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
