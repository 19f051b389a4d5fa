import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openObjectStore } from "../../../src/object-store/object-store.ts";

const keys = {
  AWS_ACCESS_KEY_ID: "AKID",
  AWS_SECRET_ACCESS_KEY: "a-very-secret-key",
  AWS_SESSION_TOKEN: "a-very-secret-token",
  AWS_CONFIG_FILE: "/none",
  AWS_SHARED_CREDENTIALS_FILE: "/none",
};
const error = (code: string, message = "") => `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A store that gives these answers, one after the other, and then the last one for ever. */
async function answering(...answers: Answer[]) {
  const seen: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    answers[Math.min(seen.length, answers.length) - 1]!(response, request);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const variables = { ...keys, AWS_ENDPOINT_URL_S3: endpoint };
  return { seen, store: openObjectStore("data", { variables, firstPauseMs: 1, maxTries: 4 }), variables };
}

const status =
  (code: number, body = "", headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end(body);
const ok = status(200, "", { etag: '"x"' });
const hangUp: Answer = (_response, request) => request.socket.destroy();

describe("a request to an object store", () => {
  it.each([
    ["a lost connection", hangUp],
    ["500", status(500)],
    ["503", status(503, error("SlowDown"), { "retry-after": "0" })],
    ["429", status(429)],
    ["a body that came too slowly", status(400, error("RequestTimeout"))],
    ["another operation on the object", status(409, error("OperationAborted"))],
  ])("is tried again after %s", async (_what, problem) => {
    const { seen, store } = await answering(problem, problem, ok);
    await store.put("key", "text");
    expect(seen.length).toBe(3);
    expect(store.counts).toMatchObject({ writes: 3, retries: 2, sentBytes: 12 });
  });

  it("names bucket, key, answer and what to do when it fails", async () => {
    const { store } = await answering(status(503, error("SlowDown", "Reduce your\nrequest rate.")));
    await expect(store.put("my/key", "text")).rejects.toMatchObject({
      code: "STORE_IO",
      message: expect.stringMatching(
        /^The object store failed PUT of s3:\/\/data\/my\/key: 503 SlowDown, Reduce your request rate \(tried 4 times\)\.\n {2}-> Check the endpoint/,
      ),
    });
    const { store: gone } = await answering(hangUp);
    await expect(gone.read("my/key")).rejects.toThrow(/GET of s3:\/\/data\/my\/key: fetch failed.*tried 4 times/);
  });

  it("is not tried again where it is refused, and shows nothing of what was signed", async () => {
    const text = `<Error><Code>SignatureDoesNotMatch</Code><Message>no a-very-secret-key</Message><CanonicalRequest>x-amz-security-token:a-very-secret-token</CanonicalRequest></Error>`;
    const { seen, store } = await answering(status(403, text));
    const failed = await store.put("key", "text").catch((reason: Error) => reason);
    expect(failed).toMatchObject({ code: "STORE_REFUSED" });
    expect((failed as Error).message).toMatch(/403 SignatureDoesNotMatch, no \*{3}\.\n {2}-> Check the keys/);
    expect((failed as Error).message).not.toContain("very-secret");
    expect(seen.length).toBe(1);
  });

  it("is full, not refused, where a quota is used up", async () => {
    const { store } = await answering(status(403, error("QuotaExceeded")));
    await expect(store.put("key", "text")).rejects.toMatchObject({ code: "STORE_FULL" });
  });

  it("learns the region, the time and new credentials from an answer", async () => {
    const moved = status(301, error("PermanentRedirect"), { "x-amz-bucket-region": "eu-west-9" });
    const ahead = new Date(Date.now() + 7200_000);
    const skewed = status(403, error("RequestTimeTooSkewed"), { date: ahead.toUTCString() });
    const { seen, store, variables } = await answering(moved, skewed, status(400, error("ExpiredToken")), ok);
    variables.AWS_SESSION_TOKEN = "the-token-after-it";
    await store.put("key", "text");
    expect(seen.length).toBe(4);
    expect(seen[0]!.authorization).toContain("/us-east-1/s3/");
    expect(seen[1]!.authorization).toContain("/eu-west-9/s3/");
    const time = String(seen[2]!["x-amz-date"]);
    expect(time.slice(0, 11)).toBe(ahead.toISOString().replace(/[-:]/g, "").slice(0, 11));
    expect(seen[2]!["x-amz-security-token"]).toBe("a-very-secret-token");
    expect(seen[3]!["x-amz-security-token"]).toBe("the-token-after-it");
  });

  it("names the region where the store does not accept it a second time", async () => {
    const moving: Answer = (response, request) => {
      const region = request.headers.authorization!.includes("us-east-1") ? "eu-west-9" : "us-east-1";
      response.writeHead(301, { "x-amz-bucket-region": region }).end();
    };
    const { seen, store } = await answering(moving);
    await expect(store.put("key", "text")).rejects.toThrow(/301/);
    expect(seen.length).toBeLessThan(5);
  });

  it("does not wait for ever, and ends with its signal", async () => {
    const silent: Answer = () => {};
    const { variables } = await answering(silent);
    const store = openObjectStore("data", { variables, timeoutMs: 50, firstPauseMs: 1, maxTries: 2 });
    await expect(store.put("key", "text")).rejects.toThrow(/no answer came within 0 s \(tried 2 times\)/);
    const stop = new AbortController();
    const waiting = openObjectStore("data", { variables }).read("key", { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 20);
    await expect(waiting).rejects.toThrow("enough");
  });

  it("is one of a bounded number", async () => {
    let open = 0;
    let largest = 0;
    const slow: Answer = (response) => {
      largest = Math.max(largest, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(200).end();
      }, 5);
    };
    const { variables } = await answering(slow);
    const store = openObjectStore("data", { variables, maxOpen: 3 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.put(`key ${i}`, "text")));
    expect(largest).toBe(3);
  });

  it("is not signed where there are no credentials", async () => {
    const { seen, variables } = await answering(ok, status(403, error("AccessDenied")));
    const { AWS_ACCESS_KEY_ID: _id, ...anonymous } = variables;
    const store = openObjectStore("data", { variables: { ...anonymous, AWS_EC2_METADATA_DISABLED: "true" } });
    await store.put("key", "text");
    expect(seen[0]!.authorization).toBeUndefined();
    await expect(store.put("key", "text")).rejects.toThrow(/-> No credentials were found/);
  });

  it("that lists in a circle, or without its next page, is an error", async () => {
    const page = (more: string) =>
      status(200, `<ListBucketResult><IsTruncated>true</IsTruncated>${more}</ListBucketResult>`);
    for (const more of ["<NextContinuationToken>a</NextContinuationToken>", ""]) {
      const { store } = await answering(page(more));
      const all = async () => {
        for await (const _page of store.list(""));
      };
      await expect(all()).rejects.toThrow(/does not say how its list of s3:\/\/data\/ continues/);
    }
  });

  it("believes no copy and no completion whose body holds an error", async () => {
    const { seen, store } = await answering(status(200, error("InternalError")), status(200, "<R><ETag>x</ETag></R>"));
    await store.copy("from", "to");
    expect(seen.length).toBe(2);
  });
});
