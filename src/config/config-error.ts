import { MillraceError } from "../errors/errors.ts";
import type { SourcePosition } from "./config-node.ts";

/** A mistake in a config, prefixed with its position: `prep.yaml:12:5: …`. */
export function configError(
  position: SourcePosition,
  message: string,
  details: { readonly hint: string; readonly cause?: unknown },
): MillraceError {
  return new MillraceError("BAD_CONFIG", `${showPosition(position)}: ${message}`, details);
}

/** `prep.yaml:12:5`: editors and terminals turn it into a link. */
export function showPosition({ source, line, column }: SourcePosition): string {
  return line === undefined ? source : `${source}:${line}:${column ?? 1}`;
}

/** Quotes a part of a config for a message: on one line and shortened. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
