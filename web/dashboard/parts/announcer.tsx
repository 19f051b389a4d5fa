import type { JSX } from "preact";
import { makeStore, type Store } from "../store.ts";
import { useStore } from "./use-store.ts";

interface Announcement {
  readonly ok: boolean;
  readonly text: string;
}

const announcement: Store<Announcement | undefined> = makeStore<Announcement | undefined>(undefined);

/** Shows the result of an action and has screen readers read it. */
export function announce(text: string, ok = true): void {
  announcement.set({ ok, text });
}

/** Where it is shown. Always present, because a live region that is added with its text is not read. */
export function Announcer(): JSX.Element {
  const current = useStore(announcement);
  return (
    <div class="announcer" role="status">
      {current !== undefined && (
        <p class={current.ok ? "notice" : "notice notice-bad"}>
          <span>{current.text}</span>
          <button type="button" class="quiet" onClick={() => announcement.set(undefined)}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
