import { MillraceError } from "../shared/errors.ts";
import type { SourcePosition } from "./config-node.ts";

/** A mistake in a config, with its place in front: `prep.yaml:12:5: …`. */
export function configError(
  position: SourcePosition,
  message: string,
  details: { readonly hint: string; readonly cause?: unknown },
): MillraceError {
  return new MillraceError("BAD_CONFIG", `${showPosition(position)}: ${message}`, details);
}

/** `prep.yaml:12:5`, as editors and terminals make links of. */
export function showPosition({ source, line, column }: SourcePosition): string {
  return line === undefined ? source : `${source}:${line}:${column ?? 1}`;
}

/** A piece of a config inside a message: on one line and not too long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
