// A placeholder for your model: it is slow, and fails for a file that is not audio.
import { readFileSync } from "node:fs";

export interface Model {
  embed(wavs: readonly string[]): Promise<number[][]>;
}

/** The guide observes the model here; elsewhere there is no observer. */
interface Observer {
  tell(moment: { readonly is: string; readonly items?: readonly number[] }): void;
}

const { guide } = globalThis as { guide?: Observer };
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function loadModel(_name: string): Promise<Model> {
  guide?.tell({ is: "building" });
  await sleep(150);
  guide?.tell({ is: "built" });
  return { embed };
}

async function embed(wavs: readonly string[]): Promise<number[][]> {
  const items = wavs.map((wav) => Number(/\d+/.exec(wav)));
  guide?.tell({ is: "called", items });
  await sleep(60 + 40 * wavs.length);
  const bad = wavs.find((wav) => !readFileSync(wav, "utf8").startsWith("RIFF"));
  guide?.tell({ is: bad === undefined ? "answered" : "failed", items });
  if (bad !== undefined) throw new Error(`${bad} is not a WAV file`);
  return items.map((item) => [1, 2, 3].map((k) => Math.round(1000 * Math.sin(item + k)) / 1000));
}
