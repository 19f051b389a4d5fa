// Items that wait for a server. Run as a program (DIR URL COUNT CONCURRENCY), it is what a benchmark kills.
import { defineRun, ItemError, isMainModule, RetryAfterError, range } from "millrace";

export async function fetchItems(url, items, signal) {
  const response = await fetch(`${url}/?items=${items}`, { signal });
  if (response.ok) return response.json();
  await response.arrayBuffer();
  throw new RetryAfterError(`HTTP ${response.status}`, { response });
}

export const callApi = defineRun(import.meta, {
  env: ({ url }) => ({ url }),
  forward: async (idx, { url }, { signal }) => (await fetchItems(url, [idx], signal))[0],
});

/** Every twentieth item fails, whatever is tried. */
export const callInBatches = defineRun(import.meta, {
  env: ({ url }) => ({ url }),
  batch: 64,
  async forward(indices, { url }, { signal }) {
    const answers = await fetchItems(url, indices, signal);
    return answers.map((answer) => (answer.idx % 20 === 19 ? new ItemError("refused permanently") : answer));
  },
});

if (isMainModule(import.meta)) {
  const [outputDir, url, count, concurrency] = process.argv.slice(2);
  const options = { concurrency: Number(concurrency), progress: false };
  await callApi.run(range(Number(count)), { config: { url }, outputDir, ...options });
}
