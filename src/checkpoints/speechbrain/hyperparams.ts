import { badCheckpoint } from "../bad-checkpoint.ts";
import { Settings, show } from "../settings.ts";
import { readYamlData, Tagged, type YamlData, type YamlMap } from "../yaml-data.ts";
import { calculate } from "./arithmetic.ts";

/** A class that a `hyperparams.yaml` asks for, with its settings. It is never made: only its name is compared. */
export interface NamedClass {
  readonly className: string;
  readonly settings: Settings;
}

// Far more than any file has. A reference to itself would never end, and references in pairs would double at each step.
const maxDepth = 50;
const maxSteps = 10_000;
const maxTextLength = 10_000;

/** A `hyperparams.yaml` of SpeechBrain, in which references are followed and nothing is executed. */
export class Hyperparams {
  private readonly file: string;
  private readonly root: YamlMap;
  private steps = 0;

  constructor(file: string) {
    this.file = file;
    this.root = readYamlData(file);
  }

  /** The class of an entry of `modules:`. */
  module(name: string): NamedClass {
    const modules = this.root.get("modules");
    const value = modules instanceof Map ? this.resolve(modules.get(name) ?? null, 0) : null;
    const className = value instanceof Tagged ? /^!new:(.+)$/.exec(value.tag)?.[1] : undefined;
    if (className === undefined)
      throw badCheckpoint(this.file, `modules.${name} is ${show(value)}; !new: and the name of a class was expected`);
    const { value: given } = value as Tagged;
    if (given !== null && given !== "" && !(given instanceof Map))
      throw badCheckpoint(
        this.file,
        `modules.${name} gives ${className} arguments without names, which is not converted`,
      );
    const resolved = new Map<string, YamlData>();
    if (given instanceof Map) for (const [key, one] of given) resolved.set(key, this.resolve(one, 0));
    return { className, settings: new Settings(resolved, { file: this.file, of: `${name} (${className})` }) };
  }

  /** Follows references. What they lead to is not changed, so arguments of classes within are followed when needed. */
  private resolve(value: YamlData, depth: number): YamlData {
    if (depth > maxDepth || ++this.steps > maxSteps)
      throw badCheckpoint(this.file, "its references lead to each other, or to more values than a model has");
    if (Array.isArray(value)) return value.map((one: YamlData) => this.resolve(one, depth + 1));
    if (!(value instanceof Tagged)) return value;
    if (value.tag === "!ref" || value.tag === "!copy") return this.follow(String(value.value), depth + 1);
    if (value.tag.startsWith("!name:") && value.value instanceof Map)
      return new Tagged(value.tag, new Map([...value.value].map(([key, one]) => [key, this.resolve(one, depth + 1)])));
    return value;
  }

  private follow(reference: string, depth: number): YamlData {
    const whole = /^<([^<>]+)>$/.exec(reference.trim());
    if (whole !== null) return this.resolve(this.lookUp(whole[1]!), depth);
    const text = reference.replace(/<([^<>]+)>/g, (_, name: string) => String(this.resolve(this.lookUp(name), depth)));
    if (text.length > maxTextLength) throw badCheckpoint(this.file, "its references make a text that is too long");
    return calculate(text) ?? text;
  }

  /** The value of `key`, or of `key[inner]`, which may go deeper. */
  private lookUp(name: string): YamlData {
    const [key = "", ...inner] = name.split("[").map((part) => part.replace(/\]$/, ""));
    const found = inner.reduce<YamlData | undefined>(
      (value, part) => (value instanceof Map ? value.get(part) : undefined),
      this.root.get(key),
    );
    if (found !== undefined) return found;
    throw badCheckpoint(this.file, `it refers to <${name}>, which it does not have`, "The file is not complete.");
  }
}
