import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./cli/project.ts";

/**
 * A block of code of a page, and what its tests know about it: the words behind its language, and what a comment
 * right above it takes as given (`<!-- given`, code) or does first (`<!-- first`, commands).
 */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
  readonly given: string;
  readonly first: string;
}

/** Every block of code of a page, in its order. */
export function readBlocks(page: string): Block[] {
  const text = readFileSync(join(repository, page), "utf8");
  const pattern = /(?:^<!-- (given|first)\n([\s\S]*?)^-->\n+)?^```(\S*)([^\n]*)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(pattern)].map(({ index, 1: note, 2: notes = "", 3: language, 4: rest, 5: code }) => ({
    page,
    line: text.slice(0, index).split("\n").length,
    language: language!,
    words: rest!.trim().split(/\s+/).filter(Boolean),
    text: code!,
    given: note === "given" ? notes : "",
    first: note === "first" ? notes : "",
  }));
}

/** The name of the file that a block is: ```yaml prep.yaml. */
export function fileOf({ words }: Block): string | undefined {
  return words.find((word) => word.includes("."));
}
