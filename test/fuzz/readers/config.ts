// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "../../../src/config/load-config.ts";
import { parseOverride } from "../../../src/config/parse-override.ts";
import { splice } from "../mutate-bytes.ts";
import type { Mutator, Reader } from "../reader.ts";

const plain = `# A config as people write them.
seed: 7
name: "run \${seed}"
paths: {root: /data, audio: "\${paths.root}/audio", list: [a, b, 1.5, null, ~, yes, 0x1f, 1e-3]}
model: &model
  layers: 12
  sizes: [1, 2, 3]
  text: |
    several
    lines
other:
  <<: *model
  layers: \${model.layers}
  from_env: \${oc.env:HOME,none}
  first: \${model.sizes.0}
  chosen: \${oc.select:model.missing,3}
folded: >-
  one line
  of text
'quoted key': 'it''s'
`;

const composed = `defaults:
  - _self_
  - group: one
  - optional other: nothing
a:
  b: \${group.value}
`;

const fragments = [
  "${a}",
  "${a.b}",
  "${.}",
  "${..}",
  "${a.${b}}",
  "${oc.env:X}",
  "${oc.env:X,${a}}",
  "${oc.decode:'[1,2'}",
  "${oc.create:{a: 1}}",
  "${oc.dict.keys:a}",
  "${oc.deprecated:a}",
  "${now:%Y}",
  "${x:}",
  "${",
  "}",
  "&a ",
  "*a ",
  "&a [*a]",
  "<<: *a",
  "!!binary ",
  "!!python/object:os.system ",
  "!!set {a}",
  "? a\n: b",
  "- ",
  "--- ",
  "...",
  "%YAML 1.2\n---\n",
  "%TAG ! tag:x,2000:\n---\n",
  "|+9\n",
  ">-\n",
  "\t",
  "_target_: x#y",
  "__proto__: 1",
  "defaults: [config]",
  "defaults: [_self_, config]",
  "defaults: [{group: one}, {group: two}]",
  "defaults: [{override group: one}]",
  "???",
  "0o17",
  "1_0",
  ".inf",
  ".nan",
  "12:30:45",
  "\\x",
  '"\\u',
];

const insertFragment: Mutator = (bytes, random) => {
  const put = random.pick(fragments).repeat(random.pick([1, 1, 1, 2, 50]));
  const text = random.chance(0.5) ? put : `\n${random.pick(["a", "model", "seed", "b"])}: ${put}\n`;
  return splice(bytes, random.below(bytes.length + 1), random.chance(0.3) ? random.below(8) : 0, Buffer.from(text));
};

const doubling = (line: (i: number) => string, count = 40): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => line(i)).join("\n"));

export const config: Reader = {
  covers: ["loadConfig"],
  isText: true,
  seeds: () => [Buffer.from(plain), Buffer.from(composed)],
  codes: ["BAD_CONFIG"],
  bombs: [
    () => doubling((i) => `a${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1}, *a${i - 1}, *a${i - 1}`}]`),
    () => doubling((i) => `a${i}: &a${i}\n  b: 1\n${i === 0 ? "" : `  l: *a${i - 1}\n  r: *a${i - 1}`}`),
    () => doubling((i) => (i === 0 ? "a0: xxxxxxxxxx" : `a${i}: "\${a${i - 1}}\${a${i - 1}}\${a${i - 1}}"`)),
    () => doubling((i) => (i === 0 ? "a0: [1]" : `a${i}: ["\${a${i - 1}}", "\${a${i - 1}}"]`)),
    () => doubling((i) => (i === 0 ? "a0: {x: 1}" : `a${i}: {l: "\${a${i - 1}}", r: "\${a${i - 1}}"}`)),
    () => doubling((i) => `a${i}: \${a${i + 1}}`, 5000),
    () => Buffer.from(`a: ${"[".repeat(300_000)}`),
    () => Buffer.from(`a: ${"{a: ".repeat(100_000)}`),
    () => Buffer.from(`a: "${"${".repeat(100_000)}"`),
    () => Buffer.from(`a: "${"${a.".repeat(50_000)}${"}".repeat(50_000)}"`),
    () => Buffer.from(`a: "${"\\\\".repeat(200_000)}"`),
    () => Buffer.from(`a: '${"\n".repeat(300_000)}'`),
    () => Buffer.from(Array.from({ length: 5000 }, (_, i) => `${" ".repeat(i % 90)}a${i}:`).join("\n")),
    () => Buffer.from(Array.from({ length: 20_000 }, (_, i) => `k${i}: ${i}`).join("\n")),
    () => Buffer.from(`${"- ".repeat(40_000)}a`),
    () => Buffer.from(`a: ${"!".repeat(200_000)}`),
    () => Buffer.from(`a: ${"&x ".repeat(30_000)}`),
    () => Buffer.from("#".repeat(900_000)),
    () => Buffer.from(`a: ${"1".repeat(500_000)}`),
    () => Buffer.from(`a: ${"1_".repeat(300_000)}x`),
    () => Buffer.from(`? ${"? ".repeat(30_000)}`),
  ],
  mutators: [insertFragment],
  read: async (input) => {
    const path = input.file("config.yaml");
    writeGroup(join(dirname(path), "group"));
    const overrides = input.isPlain || input.random.chance(0.7) ? [] : [input.random.pick(overrideTexts)];
    await loadConfig(path, overrides, { env: {}, now: new Date(0) });
  },
  named: /files\/|override/,
};

const made = new Set<string>();

function writeGroup(folder: string): void {
  if (made.has(folder)) return;
  made.add(folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "one.yaml"), "value: 1\n");
  writeFileSync(join(folder, "two.yaml"), "defaults:\n  - one\nvalue: ${a}\n");
}

const overrideTexts = [
  "seed=8",
  "+model.new={a:[1,2,'x'],b:null}",
  "++a.b.c=${seed}",
  "~name",
  "~name=x",
  "group=two",
  "group@place=one",
  "model.sizes=[1,[2,3],{a:b}]",
  "name='it\\'s'",
  'name="a \\" b"',
  "x=int(3.7)",
  "x=float('1e5')",
  "x=a,b",
  "model.sizes[0]=3",
  "x=1e309",
  "x=",
];

const manyOf = (text: string, count: number): Buffer => Buffer.from(`x=${text.repeat(count)}`);

export const overrides: Reader = {
  covers: [],
  isText: true,
  seeds: () => overrideTexts.filter((text) => text !== "x=a,b").map((text) => Buffer.from(text)),
  codes: ["BAD_CONFIG"],
  named: /override/,
  bombs: [
    () => manyOf("[", 80_000),
    () => manyOf("{a:", 60_000),
    () => manyOf("int(", 60_000),
    () => manyOf("${", 60_000),
    () => manyOf("'", 80_000),
    () => manyOf("\\\\'", 60_000),
    () => manyOf("a ", 80_000),
    () => manyOf("a,", 80_000),
    () => manyOf("1", 100_000),
    () => manyOf("1_", 80_000),
    () => Buffer.from(`x='${"\\\\".repeat(100_000)}x'`),
    () => Buffer.from(`x=float('${"1".repeat(100_000)}x')`),
    () => Buffer.from(`x=int('${" ".repeat(100_000)}x')`),
    () => Buffer.from(`${"a.".repeat(80_000)}=1`),
    () => Buffer.from(`${"a[0]".repeat(60_000)}=1`),
    () => Buffer.from(`${"a".repeat(100_000)}!`),
  ],
  mutators: [insertFragment],
  read: ({ bytes }) => parseOverride(bytes.toString("utf8")),
};
