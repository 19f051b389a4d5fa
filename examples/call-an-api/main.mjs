// One question to a chat endpoint for each item: many in flight, paced, repeated when the server is busy, each answer paid once.
import { defineRun, isMainModule, RetryAfterError, range } from "millrace";
import { startServer } from "./server.mjs";

const model = "small-model";
const words = ["river", "mountain", "winter", "harbour", "lantern", "orchard", "violin", "desert"];
// Dollars per token: copy them from the price list of your model.
const prices = { prompt: 0.15e-6, completion: 0.6e-6 };

export const ask = defineRun(import.meta, {
  // The key stays in the environment: it is in no file of the run.
  env: () => ({ url: `${process.env.OPENAI_BASE_URL}/chat/completions`, key: process.env.OPENAI_API_KEY }),
  // How many calls a worker has open.
  concurrency: 16,
  // A wrong request stays wrong; a busy server and a broken connection do not.
  retryIf: (error) => error instanceof RetryAfterError || error instanceof TypeError,
  async forward(idx, { url, key }, { signal }) {
    const word = words[idx % words.length];
    const response = await fetch(url, {
      method: "POST",
      // It aborts when the run stops or the item takes too long.
      signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model,
        messages: [{ role: "user", content: `A sentence about a ${word}, number ${idx}.` }],
      }),
    });
    if (response.status === 429 || response.status >= 500)
      throw new RetryAfterError(`the server is busy (HTTP ${response.status})`, { response });
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    const { choices, usage } = await response.json();
    const dollars = usage.prompt_tokens * prices.prompt + usage.completion_tokens * prices.completion;
    return { idx, word, answer: choices[0].message.content, tokens: usage.total_tokens, dollars };
  },
});

if (isMainModule(import.meta)) {
  const [outputDir = "exp/call-an-api"] = process.argv.slice(2);
  // Without an endpoint of yours, one on this machine that is busy now and then.
  const server = process.env.OPENAI_BASE_URL === undefined ? await startServer() : undefined;
  if (server !== undefined) Object.assign(process.env, { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: server.key });
  const options = { retries: 8, retryDelay: 50, itemTimeout: 60_000, onError: "skip", mergeFiles: true };
  const rateLimit = { perSecond: 200, burst: 20 };
  const records = await ask.run(range(300), { outputDir, rateLimit, ...options });
  const dollars = records.reduce((sum, record) => sum + record.dollars, 0);
  console.log(`${records.length} answers in ${outputDir}/records.jsonl for ${dollars.toFixed(4)} dollars`);
  if (server !== undefined)
    console.log(`${server.answered} calls were answered, ${server.refused > 0 ? "some" : "none"} refused at first`);
  await server?.close();
}
