import type { Settings } from "./settings.ts";

/** The working folder of the example. */
export const home = "/home/you";
export const runDir: string = `${home}/exp/embed`;

/** The config of the example for the settings. */
export function configText(settings: Settings): string {
  const { env, workers, items, shards, batch, onError } = settings;
  const options = envOptions(env, workers);
  return [
    "data:",
    `  items: ${items}`,
    "  model: ecapa.onnx",
    "runner:",
    batch === 0 ? "  batch_size: null # one index a call" : `  batch_size: ${batch}`,
    `  shards: ${shards}`,
    `  on_error: ${onError}`,
    "parallel:",
    `  env: ${env}`,
    `  n_workers: ${env === "local" ? 1 : workers}`,
    options.length === 0 ? "  options: {}" : "  options:",
    ...options.map((line) => `    ${line}`),
    "",
  ].join("\n");
}

// The required options of an env, and the common ones.
function envOptions(env: Settings["env"], workers: number): string[] {
  const usual = ["cores: 4", "memory: 8GB", "walltime: 02:00:00"];
  switch (env) {
    case "local":
    case "process":
    case "thread":
    case "local_gpu":
      return [];
    case "ssh":
      return [`hosts: [${Array.from({ length: workers }, (_, i) => `node${i + 1}`).join(", ")}]`];
    case "kube":
      return [
        "image: registry.example/speech:1",
        "volume_claim: data",
        "mount_path: /home/you",
        "cores: 4",
        "memory: 8GB",
      ];
    case "htcondor":
      return usual;
    default:
      return ["queue: cpu", ...usual];
  }
}

/** The files that exist before the run: the config and the audio. */
export function exampleFiles(settings: Settings): ReadonlyMap<string, string> {
  const files = new Map([[`${home}/embed.yaml`, configText(settings)]]);
  for (let item = 0; item < settings.items; item++) files.set(wavPath(item), wavText(item === settings.badItem));
  return files;
}

export function wavPath(item: number): string {
  return `${home}/wavs/utt-${String(item).padStart(3, "0")}.wav`;
}

export function wavText(isDamaged: boolean): string {
  return isDamaged ? "<html>404 not found</html>\n" : "RIFF…\n";
}
