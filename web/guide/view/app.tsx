import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Settings } from "../story/settings.ts";
import { epochMs, recordStory } from "../story/simulation.ts";
import type { Story } from "../story/story.ts";
import { XVectorConfig } from "../xvector/xvector-config-view.tsx";
import { Actors } from "./actors.tsx";
import { type Place, placeText, readPlace } from "./address.ts";
import { Controls } from "./controls.tsx";
import { RunFolder } from "./run-folder.tsx";
import { Scroll } from "./scroll.tsx";
import { Sources } from "./sources.tsx";
import { Stepper } from "./stepper.tsx";

/** The whole page. */
export function App(): JSX.Element {
  const [place, setPlace] = useState<Place>(() => readPlace(location.hash));
  const go = useCallback((changed: Partial<Place>) => setPlace((before) => ({ ...before, ...changed })), []);
  const { story, isBusy, problem } = useStory(place.settings);
  useAddress(place, setPlace);
  return (
    <>
      <header>
        <h1>millrace, step by step</h1>
        <p>
          One function over many items, durably. Choose a config and what happens to it; the library itself then runs in
          your browser, on a machine that exists in memory only, and you see every step: what the driver, each worker
          and the run folder hold.
        </p>
      </header>
      <main>
        <section aria-labelledby="run-title">
          <h2 id="run-title" class="part">
            A run, from plan to merge
          </h2>
          <Controls settings={place.settings} onChange={(settings) => go({ settings, step: 0 })} />
          <p role="status" class="faint">
            {isBusy ? "The run is on…" : ""}
          </p>
          {problem !== undefined && <p role="alert">{problem}</p>}
          {story !== undefined && <StoryView {...{ story, place, go, isBusy }} />}
        </section>
        <XVectorConfig toolkit={place.toolkit} onChoose={(toolkit) => go({ toolkit })} />
      </main>
    </>
  );
}

interface StoryViewProps {
  readonly story: Story;
  readonly place: Place;
  readonly go: (changed: Partial<Place>) => void;
  readonly isBusy: boolean;
}

function StoryView({ story, place, go, isBusy }: StoryViewProps): JSX.Element {
  const { isDetailed } = place;
  const [chosen, setChosen] = useState<string>();
  const shown = useMemo(() => story.steps.filter((step) => isDetailed || !step.isDetail), [story, isDetailed]);
  const wanted = story.steps[Math.min(place.step, story.steps.length - 1)]!;
  // A hidden detail is shown as the step before it.
  const at = Math.max(
    0,
    shown.findLastIndex((step) => story.steps.indexOf(step) <= story.steps.indexOf(wanted)),
  );
  const step = shown[at]!;
  const goTo = useCallback(
    (to: number) => {
      setChosen(undefined);
      go({ step: story.steps.indexOf(shown[to]!) });
    },
    [story, shown, go],
  );
  const said = story.output.filter(({ atMs }) => atMs <= step.atMs).map(({ text }) => text);
  return (
    <div class="story" aria-busy={isBusy}>
      <Stepper
        steps={shown}
        at={at}
        isDetailed={isDetailed}
        onGo={goTo}
        onDetail={(detail) => go({ isDetailed: detail })}
      />
      <div class="stage">
        <Actors step={step} />
        <RunFolder step={step} epochMs={epochMs} chosen={chosen} onChoose={setChosen} />
        <Sources story={story} at={step} />
      </div>
      <figure class="panel console">
        <figcaption>
          <h3>What the programs print</h3>
        </figcaption>
        <Scroll label="Output">{said.join("") || "(nothing yet)"}</Scroll>
      </figure>
    </div>
  );
}

interface RecordedStory {
  /** The last recorded story: it stays while another one is being recorded. */
  readonly story: Story | undefined;
  readonly isBusy: boolean;
  readonly problem: string | undefined;
}

/** The story of the settings. */
function useStory(settings: Settings): RecordedStory {
  const [story, setStory] = useState<Story>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    setProblem(undefined);
    recordStory(settings).then(
      (recorded) => {
        if (isWanted) setStory(recorded);
      },
      (error: unknown) => {
        if (isWanted) setProblem(`The simulation failed: ${String(error)}`);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [settings]);
  return { story, problem, isBusy: story?.settings !== settings && problem === undefined };
}

/** Keeps the address and the page in sync, both ways. */
function useAddress(place: Place, setPlace: (place: Place) => void): void {
  // Together with the page, not after it: a copied address must be that of the visible step.
  useLayoutEffect(() => {
    const text = placeText(place);
    if (text !== placeText(readPlace(location.hash)) || location.hash === "") history.replaceState(null, "", text);
  }, [place]);
  useEffect(() => {
    const onHash = () => setPlace(readPlace(location.hash));
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, [setPlace]);
}
