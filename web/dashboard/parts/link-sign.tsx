import type { JSX } from "preact";
import type { Link } from "../source/run-source.ts";

const words: Record<Link, string> = { connecting: "Connecting", live: "Live", lost: "Connection lost, trying again" };

/** Shows whether the data is up to date. */
export function LinkSign({ link }: { link: Link }): JSX.Element {
  return (
    <span class={`link link-${link}`} role="status">
      {words[link]}
    </span>
  );
}
