import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { phases, type Step } from "../story/story.ts";

const playMs = 1100;

interface StepperProps {
  /** The steps that are shown. */
  readonly steps: readonly Step[];
  readonly at: number;
  readonly isDetailed: boolean;
  readonly onGo: (at: number) => void;
  readonly onDetail: (isDetailed: boolean) => void;
}

/** Navigates the steps: forward, back, automatically, or to any of them; and describes the current one. */
export function Stepper({ steps, at, isDetailed, onGo, onDetail }: StepperProps): JSX.Element {
  const [isPlaying, setPlaying] = useState(false);
  const last = steps.length - 1;
  const step = steps[at]!;
  useEffect(() => {
    if (!isPlaying) return;
    if (at >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => onGo(at + 1), playMs);
    return () => clearTimeout(timer);
  }, [isPlaying, at, last, onGo]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, select, textarea, [tabindex]") !== null;
      if (isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "ArrowRight") onGo(Math.min(last, at + 1));
      if (event.key === "ArrowLeft") onGo(Math.max(0, at - 1));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [at, last, onGo]);
  const present = new Set(steps.map(({ phase }) => phase));
  return (
    <section class="stepper" aria-label="Steps">
      <div class="buttons">
        <button type="button" onClick={() => onGo(0)} disabled={at === 0}>
          First
        </button>
        <button type="button" onClick={() => onGo(at - 1)} disabled={at === 0}>
          Back
        </button>
        <button type="button" class="primary" onClick={() => onGo(at + 1)} disabled={at === last}>
          Next
        </button>
        <button type="button" onClick={() => setPlaying(!isPlaying)} disabled={at === last} aria-pressed={isPlaying}>
          {isPlaying ? "Pause" : "Play"}
        </button>
        <button type="button" onClick={() => onGo(last)} disabled={at === last}>
          Last
        </button>
        <label class="check">
          <input
            type="checkbox"
            name="detail"
            checked={isDetailed}
            onChange={({ currentTarget }) => onDetail(currentTarget.checked)}
          />
          every file operation
        </label>
      </div>
      <input
        type="range"
        name="step"
        aria-label="Step"
        aria-valuetext={`${at + 1} of ${steps.length}: ${step.title}`}
        min={0}
        max={last}
        value={at}
        onInput={({ currentTarget }) => onGo(currentTarget.valueAsNumber)}
      />
      <ol class="phases" aria-label="Phases">
        {phases
          .filter((phase) => present.has(phase))
          .map((phase) => (
            <li key={phase}>
              <button
                type="button"
                class={`phase ${classOf(phase)}`}
                aria-current={phase === step.phase ? "step" : undefined}
                onClick={() => onGo(nextOf(steps, phase, at))}
              >
                {phase}
              </button>
            </li>
          ))}
      </ol>
      <div class={`said ${classOf(step.phase)}`} aria-live="polite">
        <p class="where">
          Step {at + 1} of {steps.length}, {seconds(step.atMs)} after the start
        </p>
        <h2>{step.title}</h2>
        <p>{step.why}</p>
      </div>
    </section>
  );
}

/** The next step of a phase; wraps around. */
function nextOf(steps: readonly Step[], phase: string, at: number): number {
  const next = steps.findIndex((step, i) => i > at && step.phase === phase);
  return next < 0 ? steps.findIndex((step) => step.phase === phase) : next;
}

function classOf(phase: string): string {
  return `is-${phase.replaceAll(" ", "-")}`;
}

/** Milliseconds of the machine as seconds. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
