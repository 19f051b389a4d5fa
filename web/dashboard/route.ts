/** The pages of one run, in the order of their links. */
export const runViews = ["overview", "shards", "workers", "timeline", "failures", "logs", "plan"] as const;

export type RunViewName = (typeof runViews)[number];

/** The route of an address; it follows the `#`, so that the server has only one page. */
export type Route =
  | { readonly page: "runs" }
  | { readonly page: "run"; readonly id: string; readonly view: RunViewName; readonly detail: string | undefined };

/** Parses an address; an unknown one is the list of runs. */
export function parseRoute(hash: string): Route {
  const words = hash.replace(/^#?\/?/, "").split("/");
  if (words[0] !== "run" || words[1] === undefined || words[1] === "") return { page: "runs" };
  const view = runViews.find((name) => name === words[2]) ?? "overview";
  const id = decode(words[1]);
  const detail = words[3] === undefined || words[3] === "" ? undefined : decode(words[3]);
  return id === undefined ? { page: "runs" } : { page: "run", id, view, detail };
}

/** The address of a page of a run. */
export function runAddress(id: string, view: RunViewName, detail?: string): string {
  const place = `#/run/${encodeURIComponent(id)}/${view}`;
  return detail === undefined ? place : `${place}/${encodeURIComponent(detail)}`;
}

function decode(word: string): string | undefined {
  try {
    return decodeURIComponent(word);
  } catch {
    return undefined;
  }
}
