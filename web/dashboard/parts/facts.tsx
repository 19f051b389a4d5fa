import type { ComponentChildren, JSX } from "preact";

export interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
  /** The most important facts. */
  readonly isLarge?: boolean;
}

/** Names and values, side by side. */
export function Facts({ facts, isLarge }: FactsProps): JSX.Element {
  return (
    <dl class={isLarge ? "facts facts-large" : "facts"}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
