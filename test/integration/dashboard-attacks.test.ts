import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addresses, postHeaders, type RunCard } from "../../src/dashboard/run-view.ts";
import { startDashboard } from "../support/dashboard-client.ts";
import { commitByHand, makeRun } from "../support/made-run.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const token = "a-token-that-is-hard-to-guess";

/** A dashboard over one run, beside which a secret lies. */
async function attacked(options: { token?: string; host?: string } = {}) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "secret"), "secret");
  const paths = makeRun(join(folder, "run"), 2);
  commitByHand(paths, 0, 1);
  writeFileSync(paths.log("w"), "hello");
  const dashboard = await startDashboard({ dir: paths.root, ...options });
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  const cards = await dashboard.ask(addresses.runs, { headers });
  return { ...dashboard, paths, folder, id: cards.status === 200 ? cards.json<[RunCard]>()[0].id : "" };
}

describe("the dashboard and pages of other sites", () => {
  it.each([
    "evil.example",
    "evil.example:PORT",
    "127.0.0.1:1",
    "127.0.0.1",
    "localhost.evil.example:PORT",
    "127.0.0.1:PORT@evil.example",
    "[::2]:PORT",
  ])("refuses the Host %j", async (host) => {
    const { ask, port } = await attacked();
    const answer = await ask(addresses.runs, { headers: { host: host.replace("PORT", String(port)) } });
    expect(answer.status).toBe(421);
    expect(answer.text).not.toContain("run");
  });

  it.each(["Host: \r\n", "", "Host: a\r\nHost: 127.0.0.1:PORT\r\n"])("refuses %j in place of a Host", async (lines) => {
    const { port } = await attacked();
    const header = lines.replace("PORT", String(port));
    const answer = await raw(port, `GET ${addresses.runs} HTTP/1.1\r\n${header}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it.each(["localhost:PORT", "LOCALHOST:PORT", "[::1]:PORT", "127.0.0.1:PORT"])("takes the Host %s", async (host) => {
    const { ask, port } = await attacked();
    expect((await ask(addresses.runs, { headers: { host: host.replace("PORT", String(port)) } })).status).toBe(200);
  });

  it.each([
    ["another origin", { origin: "http://evil.example" }, 403],
    ["another port", { origin: "http://127.0.0.1:1" }, 403],
    ["another scheme", { origin: "https://127.0.0.1:PORT" }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["a form's type", { "content-type": "text/plain" }, 415],
    ["a page elsewhere", { "sec-fetch-site": "cross-site" }, 403],
    ["another port of this host", { "sec-fetch-site": "same-site" }, 403],
  ] as [string, Record<string, string>, number][])(
    "refuses to change anything for %s",
    async (_what, headers, status) => {
      const { post, paths, id, port } = await attacked();
      const sent = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, v.replace("PORT", String(port))]));
      for (const action of ["cancel", "drain", "retry"] as const)
        expect([action, (await post(addresses.act(id, action), sent)).status]).toEqual([action, status]);
      expect([paths.stop, paths.drain].filter((path) => existsSync(path))).toEqual([]);
    },
  );

  it("refuses a POST without its own header, or without a word on where it comes from", async () => {
    const { ask, origin, id } = await attacked();
    const { "x-millrace": _, ...plain } = postHeaders;
    const path = addresses.act(id, "cancel");
    expect((await ask(path, { method: "POST", headers: { ...plain, origin }, body: "{}" })).status).toBe(403);
    expect((await ask(path, { method: "POST", headers: postHeaders, body: "{}" })).status).toBe(403);
    const own = { ...postHeaders, "sec-fetch-site": "same-origin" };
    expect((await ask(path, { method: "POST", headers: own, body: "{}" })).status).toBe(409);
  });

  it("does not answer pages elsewhere that ask for data, and follows a link to its page", async () => {
    const { ask } = await attacked();
    expect((await ask(addresses.runs, { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
    expect((await ask("/", { headers: { "sec-fetch-site": "cross-site" } })).status).not.toBe(403);
  });

  it("says in every answer what a browser may do with it", async () => {
    const { ask } = await attacked();
    for (const path of [addresses.runs, "/", "/nothing", "/api/%ff"]) {
      const { headers } = await ask(path);
      expect(headers).toMatchObject({
        "content-security-policy": expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self'"),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
  });
});

describe("the dashboard and those without a token", () => {
  it("answers no request without it", async () => {
    const { ask, id } = await attacked({ token });
    const wrong = [
      {},
      { authorization: "Bearer no" },
      { authorization: `Basic ${token}` },
      { authorization: `Bearer ${token}x` },
      { cookie: "millrace=x" },
      { cookie: `millrace-1=${token}` },
    ] as Record<string, string>[];
    for (const headers of wrong)
      for (const path of [
        "/",
        addresses.runs,
        addresses.stream(id),
        `/?token=${token}x`,
        `${addresses.runs}?token=${token}`,
      ])
        expect([headers, path, (await ask(path, { headers })).status]).toEqual([headers, path, 401]);
  });

  it("takes it once from the address and keeps it in a cookie that scripts do not see", async () => {
    const { ask, url, port } = await attacked({ token });
    expect(new URL(url).searchParams.get("token")).toBe(token);
    const answer = await ask(`/?token=${token}`);
    expect([answer.status, answer.headers["location"]]).toEqual([303, "/"]);
    const [cookie] = answer.headers["set-cookie"] as string[];
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax/);
    const headers = { cookie: `other=1; ${cookie!.split(";")[0]}` };
    expect((await ask(addresses.runs, { headers })).status).toBe(200);
    expect(cookie).toContain(`millrace-${port}=`);
  });

  it("makes one itself where others can reach it", async () => {
    const { ask, url, port } = await attacked({ host: "0.0.0.0" });
    const made = new URL(url).searchParams.get("token")!;
    expect(made.length).toBeGreaterThanOrEqual(32);
    expect((await ask(addresses.runs)).status).toBe(401);
    const headers = { authorization: `Bearer ${made}` };
    expect((await ask(addresses.runs, { headers })).status).toBe(200);
    const host = `evil.example:${port}`;
    expect((await ask(addresses.runs, { headers: { ...headers, host } })).status).toBe(421);
  });
});

describe("the dashboard and what is outside of a run", () => {
  it.each([
    "../secret",
    "..%2f..%2f..%2fsecret",
    "%2e%2e%2f%2e%2e%2f%2e%2e%2fsecret",
    "..%5c..%5csecret",
    "%252e%252e%252fsecret",
    "w.log%00",
    "link.log",
    ".",
    "..",
    "%2fetc%2fpasswd",
  ])("shows no log by the name %s", async (name) => {
    const { ask, id, paths, folder } = await attacked();
    symlinkSync(join(folder, "secret"), join(paths.logs, "link.log"));
    const answer = await ask(`/api/runs/${id}/logs/${name}?from=0`);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain("secret");
  });

  it.each(["..", "%2e%2e", "..%2f..", "%2e%2e%2frun", "%00", "__proto__", "constructor", ""])(
    "knows no run by the id %j",
    async (id) => {
      const { ask } = await attacked();
      for (const part of ["plan", "logs", "failures", "events", "shards/0"])
        expect((await ask(`/api/runs/${id}/${part}`)).status).toBe(404);
    },
  );

  it("does not follow a link in place of a list of failures", async () => {
    const { ask, id, paths, folder } = await attacked();
    const list = join(paths.shard(0), "failures.jsonl");
    writeFileSync(join(folder, "lines"), '{"item":"secret"}\n');
    rmSync(list);
    symlinkSync(join(folder, "lines"), list);
    const answer = await ask(addresses.failures(id, 0, 10));
    expect(answer.json()).toMatchObject({ total: 1, failures: [] });
  });

  it("reveals no stack and no path of its own when something is wrong", async () => {
    const { ask, id, paths } = await attacked();
    writeFileSync(paths.spec, "{");
    const answer = await ask(addresses.plan(id));
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/node_modules|\bat \w+|src\/|dist\//);
  });
});

describe("the dashboard and odd requests", () => {
  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])("does not answer %s", async (method) => {
    const { ask } = await attacked();
    const answer = await ask(addresses.runs, { method });
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD, POST"]);
  });

  it.each(["/api/runs/ID/cancel", "/api/runs/ID/retry"])("changes nothing by GET %s", async (path) => {
    const { ask, id, paths } = await attacked();
    expect((await ask(path.replace("ID", id))).status).toBe(405);
    expect(existsSync(paths.stop)).toBe(false);
  });

  it("refuses bodies and headers that are too large", async () => {
    const { ask, post, id, origin } = await attacked();
    const huge = { method: "POST", headers: { ...postHeaders, origin }, body: "x".repeat(100_000) };
    expect((await ask(addresses.act(id, "cancel"), huge)).status).toBe(413);
    expect((await post(addresses.act(id, "cancel"), { "x-long": "x".repeat(20_000) })).status).toBe(431);
  });

  it.each(["?offset=x", "?offset=1e9", "?limit=-", "?offset=9999999999999999999"])(
    "refuses a number that is none: %s",
    async (query) => {
      const { ask, id } = await attacked();
      expect((await ask(`/api/runs/${id}/failures${query}`)).status).toBe(400);
    },
  );

  it("answers what is no address, and continues", async () => {
    const { ask, port } = await attacked();
    for (const line of [
      "GET http://evil.example/api/runs HTTP/1.1",
      "GET * HTTP/1.1",
      "GET /%zz/api HTTP/1.1",
      "nonsense",
    ]) {
      const answer = await raw(port, `${line}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
      expect([line, Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])]).toEqual([line, expect.toSatisfy((n) => n >= 400)]);
      expect(answer).not.toContain("    at ");
    }
    expect((await ask(addresses.runs)).status).toBe(200);
  });
});

function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}
