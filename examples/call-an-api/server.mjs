// A chat endpoint on this machine: slow, and busy for every twentieth call.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const key = "no-secret";
const latencyMs = 100;

/** Starts it on a free port. */
export async function startServer() {
  const counts = { calls: 0, answered: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await text(request));
    if (request.headers.authorization !== `Bearer ${key}`) return response.writeHead(401).end("wrong key");
    if (++counts.calls % 20 === 0) {
      counts.refused++;
      return response.writeHead(429, { "retry-after": "0.2" }).end();
    }
    const [{ content: question }] = messages;
    const tokens = question.split(" ").length;
    const answer = {
      choices: [{ message: { role: "assistant", content: `You asked: ${question}` } }],
      usage: { prompt_tokens: tokens, completion_tokens: tokens + 2, total_tokens: 2 * tokens + 2 },
    };
    setTimeout(() => {
      counts.answered++;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    }, latencyMs);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    key,
    get answered() {
      return counts.answered;
    },
    get refused() {
      return counts.refused;
    },
    close() {
      // Connections that are kept for further calls would hold it open.
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
