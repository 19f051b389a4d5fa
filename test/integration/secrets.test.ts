import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { addresses, type PlanView, type RunCard } from "../../src/dashboard/run-view.ts";
import { emptyFolder, makeProject, type Project, program, start } from "../support/cli/project.ts";
import { startDashboard } from "../support/dashboard-client.ts";

const classes = `import { createHash } from "node:crypto";
import { BaseRunner, EnvironmentProvider, shape } from "millrace";
const digest = (value) => createHash("sha256").update(JSON.stringify(value)).digest("hex");
export class SecretProvider extends EnvironmentProvider {
  static module = import.meta.url;
  constructor(config, params) {
    super(config, params);
    this.header = \`Bearer \${config.hub.token}\`;
    this.root = config.root;
  }
  buildEnvLocal() {
    const { config, params, header, root } = this;
    return { seen: { config, params, header, root }, fails: config.fails };
  }
}
export class SecretRunner extends BaseRunner {
  static module = import.meta.url;
  static ownOptions = { apiKey: { shape: shape.string() }, tags: { shape: shape.any(), default: [] }, beam: { shape: shape.int(), default: 1 } };
  static forward(idx, { seen, fails }, own) {
    if (fails?.includes(idx)) throw new Error("login with " + seen.config.hub.token + " was refused");
    return { idx, digest: digest([seen, own]) };
  }
}
`;

const config = `
root: \${oc.env:TEST_ROOT}/corpus
hub:
  user: \${oc.env:TEST_USER}
  token: \${oc.env:TEST_TOKEN}
  url: https://\${.user}:\${.token}@hub.example
  copied: \${hub.token}
mirror: \${hub}
vault: \${secret:TEST_VAULT}
sizes: \${oc.decode:\${oc.env:TEST_SIZES}}
list: [plain, "\${oc.env:TEST_TOKEN}"]
fails: null
token_list: [a, b]
max_tokens: 7
provider:
  _target_: ./secrets.js#SecretProvider
  password: \${oc.env:TEST_PLAIN}
  params: { header: "token \${hub.token}" }
runner:
  _target_: ./secrets.js#SecretRunner
  output_dir: exp
  merge_files: true
  shards: 3
  api_key: \${vault}
  tags: [x, "\${hub.token}"]
  beam: \${oc.decode:\${oc.env:TEST_BEAM}}
items: 6
`;

const secrets = {
  TEST_TOKEN: "hf_QmFzZTY0SXNOb3Q",
  TEST_VAULT: "v4ult-of-the-lab",
  TEST_PLAIN: "correct horse battery",
};
const plain = { TEST_ROOT: "/data/first-place", TEST_USER: "rosalind-f", TEST_SIZES: "[3,55]", TEST_BEAM: "4" };
const variables = { ...secrets, ...plain };

/** What the workers must have seen, made from the values themselves. */
function seenWith(env: typeof variables): string {
  const hub = {
    user: env.TEST_USER,
    token: env.TEST_TOKEN,
    url: `https://${env.TEST_USER}:${env.TEST_TOKEN}@hub.example`,
    copied: env.TEST_TOKEN,
  };
  const seen = {
    config: {
      root: `${env.TEST_ROOT}/corpus`,
      hub,
      mirror: hub,
      vault: env.TEST_VAULT,
      sizes: [3, 55],
      list: ["plain", env.TEST_TOKEN],
      fails: null,
      token_list: ["a", "b"],
      max_tokens: 7,
    },
    params: { password: env.TEST_PLAIN, header: `token ${env.TEST_TOKEN}` },
    header: `Bearer ${env.TEST_TOKEN}`,
    root: `${env.TEST_ROOT}/corpus`,
  };
  const own = { apiKey: env.TEST_VAULT, tags: ["x", env.TEST_TOKEN], beam: 4 };
  return createHash("sha256")
    .update(JSON.stringify([seen, own]))
    .digest("hex");
}

function makeSecretProject(): Project {
  const project = makeProject();
  writeFileSync(project.path("secrets.js"), classes);
  writeFileSync(project.path("secrets.yaml"), config);
  return project;
}

/** Every file below a folder in which one of the values is found, in any spelling that is easily read back. */
function leaks(folder: string, values: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .filter((path) => leaksIn(readFileSync(path, "latin1"), values).length > 0);
}

function leaksIn(text: string, values: readonly string[]): string[] {
  return values.filter(
    (value) =>
      text.includes(value) ||
      text.includes(encodeURIComponent(value)) ||
      text.includes(createHash("sha256").update(value).digest("hex").slice(0, 16)),
  );
}

const values = [...Object.values(secrets), plain.TEST_ROOT, plain.TEST_USER];

describe.each(["local", "process", "thread"])("with env %s, values of the environment", (env) => {
  const words = (...more: string[]) => [
    "secrets.yaml",
    `+parallel.env=${env}`,
    `+parallel.n_workers=${env === "local" ? 1 : 2}`,
    ...more,
  ];

  it("reach the workers, and are in no file, page or answer", async () => {
    const project = makeSecretProject();
    const outcome = await project.start(["run", ...words("++runner.on_error=skip", "fails=[2]")], variables).ended;
    expect(outcome).toMatchObject({ status: 3 });
    const { digest } = JSON.parse(project.text("exp/records.jsonl").split("\n", 1)[0]!) as { digest: string };
    const wanted = seenWith(variables).length;
    expect(digest).toHaveLength(wanted);
    expect((await project.start(["report", "exp"], {}).ended).status).toBe(0);
    const asked = await Promise.all([
      project.start(["status", "exp", "--json"]).ended,
      project.start(["plan", ...words("++runner.on_error=skip", "fails=[2]"), "--json"], variables).ended,
      project.start(["doctor", "exp"]).ended,
      project.start(["list", "."]).ended,
      project.start(["logs", "exp"]).ended,
    ]);
    const dashboard = await startDashboard({ dir: project.dir });
    const [card] = (await dashboard.ask(addresses.runs)).json<RunCard[]>();
    const pages = await Promise.all(
      ["plan", "failures", "snapshot", "logs"].map(
        async (part) => (await dashboard.ask(`${addresses.runs}/${card!.id}/${part}`)).text,
      ),
    );
    expect(JSON.parse(pages[0]!) as PlanView).toMatchObject({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: what the config says
      config: expect.stringContaining("token: ${oc.env:TEST_TOKEN}"),
    });
    expect(pages[1]).toContain("login with *** was refused");
    const said = [outcome, ...asked].map(({ stdout, stderr }) => stdout + stderr);
    expect(leaksIn([...said, ...pages].join("\n"), values)).toEqual([]);
    expect(leaks(project.path("exp"), values)).toEqual([]);
    expect(project.text("exp/report.html")).toContain("oc.env:TEST_TOKEN");
    expect(statSync(project.path("exp/.millrace/spec.json")).mode & 0o777).toBe(0o600);
  });

  it("are those of the workers: forward sees them", async () => {
    const project = makeSecretProject();
    expect((await project.start(["run", ...words()], variables).ended).stderr).not.toContain("->");
    const records = project
      .text("exp/records.jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { digest: string });
    expect(new Set(records.map(({ digest }) => digest))).toEqual(new Set([seenWith(variables)]));
  });

  it("may be others when the run continues, and what is left is made with them", async () => {
    const project = makeSecretProject();
    const first = await project.start(["run", ...words("fails=[5]")], variables).ended;
    expect(first).toMatchObject({ status: 1, stderr: expect.stringContaining("login with *** was refused") });
    expect(leaksIn(first.stdout + first.stderr, values)).toEqual([]);
    const rotated = { ...variables, TEST_TOKEN: "hf_another0neEntirely", TEST_VAULT: "v4ult-number-two" };
    const path = project.path("secrets.js");
    const [stamp, text] = [statSync(path), readFileSync(path, "utf8")];
    expect(stamp.size).toBe(text.length);
    const again = await project.start(["run", ...words("fails=[5]")], rotated).ended;
    expect(again.stderr).toContain("login with *** was refused");
    expect(again.stderr).not.toContain("RUN_CHANGED");
    expect(leaks(project.path("exp"), [...values, rotated.TEST_TOKEN, rotated.TEST_VAULT])).toEqual([]);
    // A variable that looks like no secret decides what is computed.
    const moved = await project.start(["run", ...words("fails=[5]")], { ...rotated, TEST_ROOT: "/data/elsewhere" })
      .ended;
    expect(moved.stderr).toMatch(/config\.\w+: .*\(TEST_ROOT [0-9a-f]{4}\) -> .*\(TEST_ROOT [0-9a-f]{4}\)/);
    expect(moved.stderr).toContain("RUN_CHANGED");
    const other = await project.start(["run", ...words("fails=[5]", "max_tokens=8")], rotated).ended;
    expect(other.stderr).toContain("config.max_tokens: 7 -> 8");
  });
});

describe("a worker without a variable", () => {
  it("says which, for which key, on which host, and how it gets there", async () => {
    const project = makeSecretProject();
    const begun = await project.start(["run", "secrets.yaml", "fails=[5]"], variables).ended;
    expect(begun.status).toBe(1);
    const { TEST_TOKEN: _token, ...without } = variables;
    const { status, stderr } = await start([process.execPath, program, "worker", "exp"], project.dir, {
      ...without,
      TEST_TOKEN: undefined,
    }).ended;
    expect(status).toBe(1);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what the config says
    expect(stderr).toContain("is ${oc.env:TEST_TOKEN}, and the environment of this worker on ");
    expect(stderr).toContain("config.hub.token");
    expect(stderr).toContain("Export TEST_TOKEN");
    expect(stderr).toContain("ENV_FAILED");
  });

  it("takes a secret from a file that NAME_FILE names", async () => {
    const project = makeSecretProject();
    writeFileSync(project.path("vault.txt"), `${secrets.TEST_VAULT}\n`, { mode: 0o600 });
    const fromFile = { ...variables, TEST_VAULT: undefined, TEST_VAULT_FILE: project.path("vault.txt") };
    const words = ["run", "secrets.yaml", "+parallel.env=process", "+parallel.n_workers=2"];
    expect((await project.start(words, fromFile).ended).stderr).not.toContain("->");
    const { digest } = JSON.parse(project.text("exp/records.jsonl").split("\n", 1)[0]!) as { digest: string };
    expect(digest).toBe(seenWith(variables));
    expect(leaks(project.path("exp"), values)).toEqual([]);
    const missing = await project.start(["run", "secrets.yaml"], { ...variables, TEST_VAULT: undefined }).ended;
    expect(missing.stderr).toContain("the environment has neither a variable TEST_VAULT nor TEST_VAULT_FILE");
  });
});

/** Has a run folder look as earlier versions left it, with every value in the clear. */
function asEarlierVersion(project: Project, env: typeof variables): void {
  const spell = (text: string) =>
    text.replace(/\$\{(?:oc\.env|secret):(\w+)\}/g, (_all, name: string) => env[name as keyof typeof variables]);
  const open = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(open);
    if (typeof value !== "object" || value === null) return value;
    const { $millrace: kind, expression } = value as { $millrace?: string; expression?: string };
    if (kind !== "environment")
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, open(inner)]));
    const decoded = /^\$\{oc\.decode:(.*)\}$/.exec(expression!);
    return decoded === null ? spell(expression!) : JSON.parse(spell(decoded[1]!));
  };
  const before = open(JSON.parse(project.text("exp/.millrace/spec.json"))) as object;
  writeFileSync(project.path("exp/.millrace/spec.json"), JSON.stringify({ ...before, version: 2 }));
  chmodSync(project.path("exp/.millrace/spec.json"), 0o644);
  const manifest = JSON.parse(project.text("exp/manifest.json")) as { fingerprint: Record<string, string> };
  const fingerprint = Object.fromEntries(
    Object.entries(manifest.fingerprint).map(([key, written]) => {
      const text = written.replace(/" \((?:\w+ [0-9a-f]{4}(?:, )?)+\)/g, '"');
      const decoded = /^"\$\{oc\.decode:(.*)\}"$/.exec(text);
      return [key, decoded === null ? spell(text) : spell(decoded[1]!)];
    }),
  );
  writeFileSync(project.path("exp/manifest.json"), JSON.stringify({ ...manifest, fingerprint }));
}

describe("a run of an earlier version", () => {
  it("continues, and its folder holds no secret any more", async () => {
    const project = makeSecretProject();
    const words = ["run", "secrets.yaml", "fails=[5]"];
    await project.start(words, variables).ended;
    asEarlierVersion(project, variables);
    expect(leaks(project.path("exp"), Object.values(secrets)).length).toBe(2);
    const plan = await project.start(["plan", "secrets.yaml", "fails=[5]", "--count", "--json"], variables).ended;
    expect(JSON.parse(plan.stdout)).toMatchObject({ isBegun: true, changed: [] });
    // Its plan is shown without them even before.
    const dashboard = await startDashboard({ dir: project.dir });
    const [card] = (await dashboard.ask(addresses.runs)).json<RunCard[]>();
    const shown = (await dashboard.ask(addresses.plan(card!.id))).json<PlanView>();
    expect(shown.config).toContain('token: "***"');
    expect(shown.config).toContain("max_tokens: 7");
    const other = await project.start(words, { ...variables, TEST_PLAIN: "another password" }).ended;
    expect(other.stderr).toContain("params.password: *** -> ");
    expect(leaksIn(other.stderr, Object.values(secrets))).toEqual([]);
    const again = await project.start(words, variables).ended;
    expect(again.stderr).toContain("login with *** was refused");
    expect(leaks(project.path("exp"), values)).toEqual([]);
    expect(statSync(project.path("exp/.millrace/spec.json")).mode & 0o777).toBe(0o600);
  });
});

describe("a secret that code puts into a provider", () => {
  it("is said once, by its key, and is shown nowhere", async () => {
    const project = makeSecretProject();
    writeFileSync(
      project.path("main.mjs"),
      `import { SecretProvider, SecretRunner } from "./secrets.js";
const hub = { token: process.env.TEST_TOKEN, pad_token: "<pad>" };
const provider = new SecretProvider({ hub, max_tokens: 3 }, { passwordFile: "x" });
const runner = new SecretRunner(provider, { outputDir: "exp", apiKey: "", progress: false, parallel: { env: "process", n_workers: 2 } });
await runner.run([0, 1, 2]);
`,
    );
    const run = (token: string) => start([process.execPath, "main.mjs"], project.dir, { TEST_TOKEN: token }).ended;
    const { status, stderr } = await run(secrets.TEST_TOKEN);
    expect(status).toBe(0);
    expect(stderr.match(/looks? like a secret/g)).toHaveLength(1);
    expect(stderr).toContain("config.hub.token looks like a secret and can be read in");
    expect(stderr).toContain("read process.env.NAME in buildEnvLocal");
    expect(stderr).not.toContain(secrets.TEST_TOKEN);
    const isPrivate = (path: string) => (statSync(path).mode & 0o077) === 0;
    expect(leaks(project.path("exp"), [secrets.TEST_TOKEN]).filter((path) => !isPrivate(path))).toEqual([]);
    await project.start(["report", "exp"]).ended;
    expect(leaksIn(project.text("exp/report.html"), [secrets.TEST_TOKEN])).toEqual([]);
    expect(project.text("exp/report.html")).toContain("pad_token: \\u003cpad");
    // A literal is not known to come from the environment, so another value is another config.
    const other = await run("another-token-entirely");
    expect(other.status).toBe(1);
    expect(other.stderr).toMatch(/config\.hub\.token: \[secret [0-9a-f]{4}\] -> \[secret [0-9a-f]{4}\]/);
  });
});

describe("a run that is continued from its folder", () => {
  it("keeps the expressions: retry and merge write no value", async () => {
    const project = makeSecretProject();
    const words = [
      "secrets.yaml",
      "++runner.on_error=skip",
      "fails=[2]",
      "+parallel.env=process",
      "+parallel.n_workers=2",
    ];
    await project.start(["run", ...words], variables).ended;
    const kept = () => {
      const spec = JSON.parse(project.text("exp/.millrace/spec.json")) as Record<string, unknown>;
      return ["version", "config", "params", "providerState", "ownOptions", "parallel"].map((key) => spec[key]);
    };
    const before = kept();
    expect(before[0]).toBe(3);
    const retried = await project.start(["retry", "exp"], variables).ended;
    expect(retried.stdout).toContain("1 item was run again, 0 succeeded, 1 failed again");
    expect(kept()).toEqual(before);
    expect((await project.start(["merge", "exp"], variables).ended).status).toBe(0);
    expect(kept()).toEqual(before);
    expect(leaks(project.path("exp"), values)).toEqual([]);
    expect(statSync(project.path("exp/.millrace/spec.json")).mode & 0o777).toBe(0o600);
    const resumed = await project.start(["run", ...words], variables).ended;
    expect(resumed.stderr).not.toContain("RUN_CHANGED");
  });

  it("can be read by the group where its owner wants that, whatever the umask is", async () => {
    const project = makeSecretProject();
    const script = `umask 077; exec "$0" "$@"`;
    const run = (...more: string[]) =>
      start(
        ["/bin/sh", "-c", script, process.execPath, program, "run", "secrets.yaml", ...more],
        project.dir,
        variables,
      ).ended;
    await run("+runner.spec_access=group");
    expect(statSync(project.path("exp/.millrace/spec.json")).mode & 0o777).toBe(0o640);
    await run();
    expect(statSync(project.path("exp/.millrace/spec.json")).mode & 0o777).toBe(0o600);
  });

  it("is shown to others without its spec", async ({ skip }) => {
    if (process.getuid?.() !== 0) skip("another user's command can only be started by root");
    if (spawnSync("setpriv", ["--version"]).error !== undefined) skip("there is no setpriv");
    const project = makeSecretProject();
    await project.start(["run", "secrets.yaml"], variables).ended;
    for (let dir = project.dir; dir !== tmpdir(); dir = dirname(dir)) chmodSync(dir, 0o755);
    const asOther = (...args: string[]) =>
      start(["setpriv", "--reuid=65534", "--clear-groups", process.execPath, program, ...args], project.dir).ended;
    for (const command of ["status", "verify", "list"])
      expect(await asOther(command, "exp")).toMatchObject({ status: 0 });
    const out = join(emptyFolder(), "out");
    mkdirSync(out);
    for (let dir = out; dir !== tmpdir(); dir = dirname(dir)) chmodSync(dir, 0o755);
    chmodSync(out, 0o777);
    expect(await asOther("report", "exp", "--out", join(out, "report.html"))).toMatchObject({ status: 0 });
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("only the owner of the run may read");
    const { stderr } = await asOther("retry", "exp");
    expect(stderr).toContain("Only the owner of the run may read");
  });
});
