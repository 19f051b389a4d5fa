import { sha256 } from "../../bytes/sha256.ts";
import { isMillraceError, messageOf } from "../../errors/errors.ts";
import { maskSecrets } from "../../secrets/secret-values.ts";
import { ValueEncoder } from "../../values/encode-value.ts";
import { makeInstance } from "../../values/make-instance.ts";
import type { ProviderState } from "../../values/provider-state.ts";
import { describeKind, fromPlainValues } from "../../values/state-json.ts";
import { keyOf } from "../../values/value-marks.ts";
import type { EnvironmentProvider } from "../environment-provider.ts";
import { fieldsBeforeBuild } from "./built-fields.ts";
import { type ClassTexts, classTexts } from "./class-texts.ts";
import { copyValues } from "./copy-values.ts";
import { type Field, providerFields } from "./provider-fields.ts";
import { nameOfFunction, visibleText } from "./visible-text.ts";

export interface CapturedProvider {
  readonly state: ProviderState;
  /** The fields that differ from those that the constructor makes from config and params. */
  readonly identity: Readonly<Record<string, unknown>>;
}

type AnyProvider = EnvironmentProvider<object>;

// The maximum size of a field. A larger one belongs in a file: each start would write it, and every worker read it.
const maxFieldLength = 64 << 20;

/** Captures the fields of a provider as data, and names those that cannot be captured. */
export function captureProvider(provider: AnyProvider): CapturedProvider {
  const texts = classTexts(provider);
  const fields = fieldsBeforeBuild(provider, providerFields(provider, texts));
  const missing = { ...uncapturedIn(provider.config, "config"), ...uncapturedIn(provider.params, "params") };
  if (fields.size === 0 && !texts.hasConstructor)
    return { state: { isConstructible: true, fields: {}, made: {}, missing }, identity: {} };
  const probe = makeProbe(provider);
  const made = probe === undefined ? undefined : providerFields(probe, texts);
  const captured: Captured = { fields: {}, made: {}, missing, identity: {} };
  for (const [name, field] of fields) captureField(captured, { name, field, made: made?.get(name), texts });
  for (const [name, { special }] of made ?? []) {
    if (fields.has(name)) continue;
    captured.identity[name] = "[deleted]";
    if (special !== undefined) captured.missing[name] = "was deleted";
  }
  const { identity, ...state } = captured;
  return { state: { isConstructible: probe !== undefined, ...state }, identity };
}

interface Captured {
  readonly fields: Record<string, unknown>;
  readonly made: Record<string, string>;
  readonly missing: Record<string, string>;
  readonly identity: Record<string, unknown>;
}

interface FieldCase {
  readonly name: string;
  readonly field: Field;
  /** The same field of a provider that was made from config and params alone. */
  readonly made: Field | undefined;
  readonly texts: ClassTexts;
}

const specialKinds: Readonly<Record<NonNullable<Field["special"]>, string>> = {
  private: "is private, and the constructor does not make it from config and params alone",
  lowered: "is private, and is assigned",
  hidden: "is hidden or under a symbol",
  "an accessor": "is an accessor",
};

function captureField(captured: Captured, { name, field, made, texts }: FieldCase): void {
  const { value, special } = field;
  const written: Written = special === undefined ? writeField(value, name) : { why: specialKinds[special] };
  if ("text" in written) {
    captured.fields[name] = value;
    const isMade = made !== undefined && made.special === undefined && written.text === textOf(made.value, name);
    if (!isMade) captured.identity[name] = value;
    return;
  }
  const showFunction = (made: (...args: never) => unknown) => texts.textOf(made);
  const isMade = made !== undefined && made.special === special && isSame({ name, field, made, texts }, showFunction);
  if (!isMade) {
    captured.missing[written.at ?? name] = written.why;
    const digest = visibleText(value, String);
    captured.identity[name] =
      digest === undefined
        ? `[${describeKind(value)}]`
        : `[${describeKind(value)}, sha256 ${sha256(maskSecrets(digest)).slice(0, 16)}]`;
  } else if (special !== "private") captured.made[name] = sha256(maskSecrets(visibleText(value, nameOfFunction) ?? ""));
}

/** Whether a field that cannot be captured is equal to the one that the constructor makes from config and params. */
function isSame(
  { name, field, made, texts }: FieldCase & { readonly made: Field },
  showFunction: Parameters<typeof visibleText>[1],
): boolean {
  const [visible, madeVisible] = [field, made].map(({ value }) => visibleText(value, showFunction));
  if (visible !== undefined) return visible === madeVisible;
  // The result of an initialiser (a cache, for example) is the same in a worker. An assigned value may be anything.
  return made.special === "private" && !texts.assigns(name) && madeVisible === undefined;
}

interface NotWritten {
  readonly why: string;
  /** The path of the value in it that cannot be captured. */
  readonly at?: string;
}

type Written = { readonly text: string } | NotWritten;

/** The JSON of a field, or why it has none. */
function writeField(value: unknown, name: string): Written {
  const encoded = encode(value, name);
  if (!("plain" in encoded)) return encoded;
  try {
    const text = JSON.stringify(encoded.plain);
    if (text.length <= maxFieldLength) return { text };
  } catch (error) {
    // The text would be longer than the longest string of V8.
    if (!(error instanceof RangeError)) throw error;
  }
  return { why: `takes more than ${maxFieldLength >> 20} MB as JSON` };
}

function encode(value: unknown, name: string): { readonly plain: unknown } | NotWritten {
  const odd: NotWritten[] = [];
  const encoder = new ValueEncoder({
    isExact: true,
    keepsFunctions: true,
    onOdd(part, at, oddness) {
      const kind = `is ${describeKind(part)}`;
      odd.push({ at, why: { kind, circular: "refers to itself", property: hiddenProperty }[oddness] });
      return null;
    },
  });
  try {
    const plain = encoder.encode(value, name);
    if (odd[0] !== undefined) return odd[0];
    if (encoder.classes.size > 0)
      fromPlainValues(plain, {
        onInstance: (reference, json) => makeInstance(encoder.classes.get(keyOf(reference))!, json),
      });
    return { plain };
  } catch (error) {
    // Thrown by toJSON or from of the user's class.
    return { why: isMillraceError(error) ? error.reason : `cannot be written as JSON (${messageOf(error)})` };
  }
}

const hiddenProperty = "has a property that is computed, hidden or under a symbol";

function textOf(value: unknown, name: string): string | undefined {
  const written = writeField(value, name);
  return "text" in written ? written.text : undefined;
}

function uncapturedIn(value: unknown, name: string): Record<string, string> {
  const encoded = encode(value, name);
  return "plain" in encoded ? {} : { [encoded.at ?? name]: encoded.why };
}

/** Makes a provider from config and params alone, as a worker does. Undefined if the constructor throws. */
function makeProbe(provider: AnyProvider): AnyProvider | undefined {
  const [config, params] = copyValues([provider.config, provider.params]);
  try {
    return Reflect.construct(provider.constructor, [config, params]) as AnyProvider;
  } catch {
    return undefined;
  }
}
