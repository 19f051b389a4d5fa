/** A folder of src: what it does, where to begin to read, what it may import. */
interface Folder {
  readonly does: string;
  readonly first: readonly string[];
  readonly imports: readonly string[];
  /** What it loads with `import()` when it is needed: this may be a folder further down in the list. */
  readonly lazily?: readonly string[];
}

/** The folders of src, each below all that it imports. `MILLRACE_GOLDEN=1` puts them into ARCHITECTURE.md as a table. */
export const folders: Readonly<Record<string, Folder>> = {
  bytes: { does: "checksums", first: ["crc32.ts"], imports: [] },
  text: { does: "names and messages for people", first: ["nearest-name.ts"], imports: [] },
  wasm: { does: "WebAssembly, written as code", first: ["wasm-code.ts"], imports: [] },
  secrets: {
    does: "which values are secret, and where each came from",
    first: ["origins.ts", "secret-values.ts"],
    imports: ["bytes"],
  },
  errors: {
    does: "`MillraceError`, and errors as data between processes",
    first: ["errors.ts", "pack-error.ts"],
    imports: ["text", "secrets"],
  },
  runtime: {
    does: "what differs between JavaScript runtimes and processes",
    first: ["in-worker.ts", "entry-url.ts"],
    imports: ["errors"],
  },
  values: {
    does: "values as JSON that loses nothing, or refuses",
    first: ["encode-value.ts", "decode-value.ts"],
    imports: ["errors", "secrets"],
  },
  input: {
    does: "limits for files that others made",
    first: ["output-limit.ts", "open-regular-file.ts"],
    imports: ["errors"],
  },
  hub: { does: "names and settings of the Hugging Face hub", first: ["hub-settings.ts"], imports: [] },
  "object-store": {
    does: "a small client for S3-compatible stores: signed requests, retries, credentials",
    first: ["object-store.ts", "request-sender.ts", "create-object.ts"],
    imports: ["secrets", "errors"],
  },
  models: {
    does: "ONNX: the runtime, loaded when it is needed, and graphs",
    first: ["load-onnx.ts", "onnx/graph-builder.ts"],
    imports: ["errors"],
    lazily: ["datasets"],
  },
  audio: {
    does: "files of any audio format → samples",
    first: ["read-audio.ts", "open-audio.ts"],
    imports: ["wasm", "errors", "values", "input"],
    lazily: ["datasets"],
  },
  features: {
    does: "samples → features; pure",
    first: ["kaldi/fbank.ts", "frames/simd-kernel.ts"],
    imports: ["text", "wasm", "errors", "values", "models"],
  },
  formats: {
    does: "files of NumPy, PyTorch, Kaldi and others; names from ids",
    first: ["nd-array.ts", "bad-file.ts"],
    imports: ["bytes", "text", "errors", "values", "input"],
  },
  config: {
    does: "YAML as OmegaConf and Hydra read it, `_target_`s, parallel settings",
    first: ["load-config.ts", "instantiate.ts"],
    imports: ["text", "secrets", "errors", "runtime", "values", "input"],
  },
  checkpoints: {
    does: "PyTorch checkpoints of speaker models → ONNX: `speechbrain/`, `espnet/`, `layers/` (what they are made of)",
    first: ["describe-checkpoint.ts", "module.ts"],
    imports: ["text", "errors", "input", "models", "formats", "config"],
  },
  plan: { does: "items → shards; pure: no I/O, no clock", first: ["plan.ts"], imports: ["errors", "values"] },
  datasets: {
    does: "rows by their index, read when they are asked for: `index/` (where rows are), `packed/` (gzip, zstd), `source/` (files here and elsewhere)",
    first: ["dataset.ts", "core/make-dataset.ts", "open-jsonl.ts"],
    imports: [
      ...["bytes", "text", "errors", "runtime", "values", "input", "hub", "object-store", "audio", "formats", "config"],
      ...["plan"],
    ],
  },
  code: {
    does: "which files make a run: tokens, imports, packages, their digests",
    first: ["code-snapshot.ts", "digest-code.ts"],
    imports: ["text", "runtime", "config"],
  },
  "run-folder": {
    does: "the run folder, the only truth: `run/` (manifest, identity, spec, status), `shard/` (checkpoint, done, state), `lease/` (claim, commit, release), `jobs/`, `history/`, `files/` (paths, durable writes)",
    first: ["files/run-paths.ts", "lease/file-step.ts"],
    imports: ["bytes", "text", "secrets", "errors", "runtime", "values", "input", "plan", "code"],
  },
  "run-objects": {
    does: "the protocol of a run in an object store, as steps: claim, segments, commit; pure",
    first: ["object-step.ts", "claim-shard.ts"],
    imports: ["errors", "object-store"],
  },
  writers: {
    does: "records → files of one shard",
    first: ["writer.ts"],
    imports: ["bytes", "errors", "runtime", "values", "formats", "run-folder"],
  },
  merge: {
    does: "committed shards → one result, in item order",
    first: ["merge-lines.ts"],
    imports: ["bytes", "errors", "runtime", "formats", "run-folder", "writers"],
  },
  contract: {
    does: "what a user writes: provider, hooks, options, `defineRun`, `BaseRunner`",
    first: ["define-run.ts", "base-runner.ts", "task.ts"],
    imports: [
      ...["bytes", "text", "secrets", "errors", "runtime", "values", "config", "plan", "code", "run-folder"],
      ...["writers", "merge"],
    ],
    lazily: ["driver"],
  },
  worker: {
    does: "claim → forward → write → checkpoint → commit: `main/` (entries of processes and threads), `join/` (spec → classes → provider), `shard/`, `heartbeat/`",
    first: ["run-worker.ts", "shard/run-shard.ts", "shard/run-items.ts"],
    imports: [
      ...["bytes", "text", "secrets", "errors", "runtime", "values", "config", "plan", "code", "run-folder"],
      ...["writers", "contract"],
    ],
  },
  launchers: {
    does: "where workers run, and who replaces them: `local/` (inline, process, thread, GPU), `jobs/` (what schedulers and ssh share), `schedulers/`, `ssh/`, `kube/`",
    first: ["launcher.ts", "local/supervise.ts"],
    imports: ["text", "errors", "runtime", "values", "config", "run-folder", "contract", "worker"],
  },
  driver: {
    does: "plan → launch → watch → merge; start over, retry, Ctrl-C; `progress/`",
    first: ["run-task.ts", "drive-run.ts"],
    imports: [
      ...["text", "secrets", "errors", "runtime", "values", "config", "plan", "code", "run-folder", "merge"],
      ...["contract", "worker", "launchers"],
    ],
  },
  "node-job": {
    does: "what a scheduler starts on a node: its workers, their deadline, the merge",
    first: ["run-job.ts"],
    imports: ["text", "errors", "runtime", "run-folder", "contract", "worker", "launchers", "driver"],
  },
  dashboard: {
    does: "HTTP over run folders: live views, streams, actions, the report's data",
    first: ["open-dashboard.ts", "run-view.ts"],
    imports: ["text", "errors", "runtime", "values", "plan", "run-folder", "worker", "launchers"],
  },
  recipes: {
    does: "stock runners, written against the public API alone, but for the names and settings of the hub",
    first: ["xvector/extract-xvectors.ts"],
    imports: ["hub", "index.ts", "formats.ts", "speech.ts", "datasets.ts"],
  },
  cli: {
    does: "the command line",
    first: ["millrace.ts"],
    imports: [
      ...["text", "secrets", "errors", "runtime", "values", "object-store", "config", "plan", "code", "run-folder"],
      ...["contract", "worker", "launchers", "driver", "node-job", "dashboard", "recipes"],
    ],
  },
};

/** The folders of `launchers/`, and which others of them each may import. */
export const launcherFolders: Readonly<Record<string, readonly string[]>> = {
  local: [],
  jobs: [],
  schedulers: ["jobs"],
  kube: ["jobs"],
  ssh: ["jobs"],
};

/** The table of folders in ARCHITECTURE.md, in the order of the flow. */
export function folderTable(): string {
  const rows = Object.entries(folders).map(([name, { does, first, imports, lazily = [] }]) => {
    const from = [...imports.map((other) => `\`${other}\``), ...lazily.map((other) => `\`${other}\` when needed`)];
    return `| \`${name}/\` | ${does} | ${first.map((file) => `\`${file}\``).join(", ")} | ${from.join(", ") || "nothing"} |`;
  });
  return ["| folder | what it does | open first | imports |", "| --- | --- | --- | --- |", ...rows].join("\n");
}
