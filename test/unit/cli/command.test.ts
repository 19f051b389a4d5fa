import { describe, expect, it } from "vitest";
import { type Command, countOf, helpText, parseInput, refuseBoth } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/commands.ts";

const command: Command = {
  name: "weigh",
  usage: "THING [OTHER] [--grams N] [--quick | --slow]",
  summary: "Weighs a thing.",
  details: "Or two.",
  options: {
    grams: { type: "string", value: "N", help: "at most N" },
    quick: { type: "boolean", short: "q", help: "less exact" },
    slow: { type: "boolean", help: "more exact" },
  },
  examples: ["millrace weigh feather"],
  arguments: { min: 1, max: 2 },
  run: async () => 0,
};

const parse = (...args: string[]) => parseInput(command, args, async () => []);

describe("parseInput", () => {
  it("takes options and arguments in any order", () => {
    const { positionals, text, has } = parse("-q", "a", "--grams", "5", "b");
    expect(positionals).toEqual(["a", "b"]);
    expect([text("grams"), has("quick"), has("slow"), text("slow")]).toEqual(["5", true, false, undefined]);
  });

  it("takes what begins with a dash as an argument after --", () => {
    expect(parse("--", "--grams").positionals).toEqual(["--grams"]);
  });

  it.each([
    [["a", "--gram", "5"], "Unknown option '--gram'; did you mean --grams?"],
    [["a", "--nonsense"], "Unknown option '--nonsense'."],
    [["a", "--grams"], "--grams needs a value."],
    [["a", "--grams", "-q"], "--grams needs a value."],
    [["a", "--quick=1"], "Option '-q, --quick' does not take an argument."],
    [[], "weigh needs THING."],
    [[""], "THING is empty."],
    [["a", "b", "c"], '"c" is one argument too many.'],
  ])("refuses %j and shows the usage", (args, message) => {
    const usage = `  -> Usage: millrace weigh ${command.usage}`;
    expect(() => parse(...args)).toThrow(`${message}\n${usage}`);
  });
});

describe("options", () => {
  it("that exclude each other are refused together", () => {
    expect(() => refuseBoth(command, parse("a", "-q", "--slow"), "quick", "slow")).toThrow("exclude each other");
    expect(refuseBoth(command, parse("a", "-q"), "quick", "slow")).toBeUndefined();
  });

  it("that count take whole numbers from 1", () => {
    expect(countOf(command, parse("a"), "grams")).toBeUndefined();
    expect(countOf(command, parse("a", "--grams", "20"), "grams")).toBe(20);
    for (const wrong of ["0", "-1", "1.5", "1e3", "07", " 1", "", "9".repeat(40)])
      expect(() => countOf(command, parse("a", `--grams=${wrong}`), "grams")).toThrow("a whole number from 1");
  });
});

describe("help", () => {
  it("shows usage, options and examples", () => {
    expect(helpText(command)).toBe(`Usage: millrace weigh ${command.usage}

Weighs a thing.

Or two.

Options:
  --grams N    at most N
  -q, --quick  less exact
  --slow       more exact
  -h, --help   show this

Examples:
  millrace weigh feather
`);
  });

  it.each(Object.keys(commands))("of %s fits a terminal of 120 columns and names it as the list does", async (name) => {
    const loaded = await commands[name]!.load();
    expect(loaded.name).toBe(name);
    const wide = helpText(loaded)
      .split("\n")
      .filter((line) => line.length > 120);
    expect(wide).toEqual([]);
  });
});

describe("the usage line", () => {
  it.each(Object.keys(commands))("of %s names every option, and no other", async (name) => {
    const { usage, options } = await commands[name]!.load();
    const named = [...usage.matchAll(/--([\w-]+)( [A-Z]+)?/g)].map(([, option, value]) => `${option}${value ?? ""}`);
    const known = Object.entries(options).map(([option, { value }]) => (value ? `${option} ${value}` : option));
    expect(named.sort()).toEqual(known.sort());
  });
});
