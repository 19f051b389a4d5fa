import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { sources } from "../story/sources.built.js";
import type { Story } from "../story/story.ts";
import { Scroll } from "./scroll.tsx";

interface SourceProps {
  readonly title: string;
  readonly name: string;
  readonly text: string;
  /** The start of the highlighted line, without leading blanks. */
  readonly line: string | undefined;
}

/** The config and the code of a step, each with its highlighted line. */
export function Sources({ story, at }: { readonly story: Story; readonly at: Story["steps"][number] }): JSX.Element {
  const { code, config } = at;
  const isYours = ["main.ts", "embed.ts"].includes(code.file);
  return (
    <section class="sources" aria-label="Config and code">
      <Source title="Your config" name="embed.yaml" text={story.config} line={config} />
      <Source
        title={isYours ? "Your code" : "The library"}
        name={code.file}
        text={sources[code.file] ?? ""}
        line={code.line}
      />
    </section>
  );
}

function Source({ title, name, text, line }: SourceProps): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const lines = text.replace(/\n$/, "").split("\n");
  const active = line === undefined ? -1 : lines.findIndex((one) => one.includes(line));
  useLayoutEffect(() => {
    const { current } = box;
    const marked = current?.querySelector<HTMLElement>(".active");
    if (current == null) return;
    current.scrollTop = marked == null ? 0 : marked.offsetTop - current.clientHeight / 3;
  }, [name, active]);
  return (
    <figure class="panel source">
      <figcaption>
        <h3>{title}</h3> <code>{name}</code>
      </figcaption>
      <Scroll box={box} label={`${title}: ${name}`}>
        {lines.map((one, i) => (
          <span key={i} class={`line${i === active ? " active" : ""}${isComment(one) ? " comment" : ""}`}>
            {`${one}\n`}
          </span>
        ))}
      </Scroll>
    </figure>
  );
}

function isComment(line: string): boolean {
  return /^\s*(\/\/|\/\*\*|\*|#)/.test(line);
}
