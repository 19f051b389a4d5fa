import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Announcer } from "./parts/announcer.tsx";
import { Shell } from "./parts/shell.tsx";
import { SourceContext } from "./parts/use-source.ts";
import { parseRoute, type Route } from "./route.ts";
import { RunPage } from "./run-page.tsx";
import type { RunSource } from "./source/run-source.ts";
import { RunsView } from "./views/runs-view.tsx";

/** The dashboard: the page that the address names. */
export function App({ source }: { source: RunSource }): JSX.Element {
  const route = useRoute();
  return (
    <SourceContext.Provider value={source}>
      <Shell home="#/">
        {route.page === "run" ? (
          <RunPage key={route.id} id={route.id} view={route.view} detail={route.detail} />
        ) : (
          <>
            <h1 class="visually-hidden">millrace dashboard</h1>
            <RunsView />
          </>
        )}
      </Shell>
      <Announcer />
    </SourceContext.Provider>
  );
}

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const read = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return route;
}
