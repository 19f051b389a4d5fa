import type { JSX } from "preact";
import type { ActorView, Step } from "../story/story.ts";

/** The state of the driver and each worker at a step. */
export function Actors({ step }: { readonly step: Step }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="actors-title">
      <h3 id="actors-title">Who is at work</h3>
      <ul class="actors">
        {step.actors.map((actor) => (
          <ActorCard key={actor.id} actor={actor} isActive={actor.id === step.actor} />
        ))}
      </ul>
    </section>
  );
}

function ActorCard({ actor, isActive }: { readonly actor: ActorView; readonly isActive: boolean }): JSX.Element {
  const { name, host, pid, state, isAlive, isPaused, isWorker, hasEnv, holds, inWork, inMemory } = actor;
  const life = isAlive ? (isPaused ? "paused" : "alive") : "gone";
  return (
    <li class={`actor ${life}`} aria-current={isActive ? "true" : undefined}>
      <p class="name">
        {name} <span class="faint">{`${host}, ${pid}`}</span>
      </p>
      <p>{state}</p>
      {isAlive && (isWorker || holds !== undefined) && (
        <dl>
          <dt>holds</dt>
          <dd>{holds ?? "nothing"}</dd>
          {isWorker && (
            <>
              <dt>env</dt>
              <dd>{hasEnv ? "dataset, model" : "not built"}</dd>
              <dt>current items</dt>
              <dd>{list(inWork)}</dd>
              <dt>only in memory</dt>
              <dd>{list(inMemory)}</dd>
            </>
          )}
        </dl>
      )}
    </li>
  );
}

function list(items: readonly number[]): string {
  if (items.length === 0) return "nothing";
  return `${items.length === 1 ? "item" : "items"} ${items.join(", ")}`;
}
