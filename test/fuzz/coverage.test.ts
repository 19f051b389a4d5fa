import { expect, it } from "vitest";
import * as datasets from "../../src/datasets.ts";
import * as formats from "../../src/formats.ts";
import * as index from "../../src/index.ts";
import * as recipes from "../../src/recipes.ts";
import * as speech from "../../src/speech.ts";
import { allReaders } from "./all-readers.ts";

/** Functions whose names sound like readers of files, and why they need no fuzzing of their own. */
const exempt: Readonly<Record<string, string>> = {
  openArkWriter: "writes",
  openWebDatasetWriter: "writes",
  openZipWriter: "writes",
  readManifest: "gives the rows of a file as texts and refuses nothing; check-manifest.ts judges them",
  openSpeakerModel:
    "finds files and loads them with loadOnnx; find-model.test.ts and hostile-hub.test.ts have the rest",
  openFolder: "lists the names of files, and reads none",
  openFileSource: "gives bytes as they are; every reader of files goes through it",
};

const verbs = /^(?:read|open|decode|parse|load|probe|resume)[A-Z]/;
const entries = { ...index, ...formats, ...speech, ...recipes, ...datasets };

it("covers every public function that reads foreign data", async () => {
  const readers = await Promise.all(Object.values(allReaders).map((load) => load()));
  const covered = new Set(readers.flatMap(({ covers }) => covers));
  const missing = Object.entries(entries)
    .filter(([name, value]) => typeof value === "function" && verbs.test(name) && !Object.hasOwn(exempt, name))
    .map(([name]) => name)
    .filter((name) => !covered.has(name));
  expect(missing, "add each to `covers` of a reader in test/fuzz/readers").toEqual([]);
});

it("names no function that is gone", async () => {
  const readers = await Promise.all(Object.values(allReaders).map((load) => load()));
  const named = [...readers.flatMap(({ covers }) => covers), ...Object.keys(exempt)];
  expect(named.filter((name) => !Object.hasOwn(entries, name))).toEqual([]);
});

it("finds no name in two entries: an import says by itself what it is", () => {
  const names = [index, formats, speech, recipes, datasets].flatMap((entry) => Object.keys(entry));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
