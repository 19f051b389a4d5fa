import { byteMutators, splice } from "./mutate-bytes.ts";
import { textMutators } from "./mutate-text.ts";
import { Random } from "./random.ts";
import type { Mutator, Reader } from "./reader.ts";

export interface MadeCase {
  readonly bytes: Buffer;
  /** It was not changed, so that it must be read. */
  readonly isHonest: boolean;
  /** It is read with no options but those that suit every honest file. */
  readonly isPlain: boolean;
  readonly random: Random;
}

export interface CaseMaker {
  /** Cases below this are the honest files as they are. */
  readonly honestCases: number;
  /** Cases below this are those and the bombs as they are. */
  readonly fixedCases: number;
  make(seed: number, number: number): Promise<MadeCase>;
}

// Bombs take as long as a thousand other cases.
const bombChance = 1 / 1000;
const repairChance = 0.75;
const maxBytes = 1 << 20;
const maxBombBytes = 4 << 20;

/** Makes the cases of a reader: its honest files, its bombs, then mutations of both, each from its number alone. */
export async function openCaseMaker(reader: Reader): Promise<CaseMaker> {
  const seeds = (await reader.seeds()).map((bytes) => Buffer.from(bytes));
  const bombs = reader.bombs ?? [];
  const made = new Map<number, Buffer>();
  const bomb = async (at: number): Promise<Buffer> => {
    const bytes = made.get(at) ?? Buffer.from(await bombs[at]!());
    made.set(at, bytes);
    return bytes;
  };
  const general = [...byteMutators, ...(reader.isText === true ? [...textMutators, ...textMutators] : [])];
  const mutateOnce = (bytes: Buffer, random: Random): Buffer => {
    if (bytes.length === 0) return bytes;
    if (random.chance(0.08)) return joinTwo(bytes, random.pick(seeds), random);
    const own = reader.mutators ?? [];
    const from: readonly Mutator[] = own.length > 0 && random.chance(0.5) ? own : general;
    return random.pick(from)(Buffer.from(bytes), random);
  };
  const fixedCases = seeds.length + (reader.hasOptions === true ? 2 : 1) * bombs.length;
  return {
    honestCases: seeds.length,
    fixedCases,
    async make(seed, number) {
      const random = new Random(seed, number);
      if (number < seeds.length) return { bytes: seeds[number]!, isHonest: true, isPlain: true, random };
      if (number < fixedCases) {
        const at = number - seeds.length;
        const isPlain = at < bombs.length;
        return { bytes: await bomb(at % bombs.length), isHonest: false, isPlain, random };
      }
      const isBomb = bombs.length > 0 && random.chance(bombChance);
      let bytes = isBomb ? await bomb(random.below(bombs.length)) : random.pick(seeds);
      for (let left = isBomb ? 1 : 1 + random.below(random.pick([1, 3, 5])); left > 0; left--) {
        bytes = mutateOnce(bytes, random);
      }
      bytes = bytes.subarray(0, isBomb ? maxBombBytes : maxBytes);
      if (reader.repair !== undefined && random.chance(repairChance)) bytes = reader.repair(Buffer.from(bytes));
      return { bytes: Buffer.from(bytes), isHonest: false, isPlain: false, random };
    },
  };
}

/** The beginning of one file and the end of another, or a piece of the other in the middle. */
function joinTwo(bytes: Buffer, other: Buffer, random: Random): Buffer {
  const from = random.below(other.length);
  const at = random.below(bytes.length);
  if (random.chance(0.5)) return Buffer.concat([bytes.subarray(0, at), other.subarray(from)]);
  return splice(bytes, at, 0, other.subarray(from, from + random.length(other.length)));
}
