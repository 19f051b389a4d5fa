import { join } from "node:path";
import type { HubSettings } from "../../../hub/hub-settings.ts";
import { MillraceError } from "../../../index.ts";
import { type HubFile, repoFolder } from "./hub.ts";

/** Explains why a model of the hub is unavailable, and where to put the file to work without the network. */
export function explainHubFailure(about: {
  readonly file: HubFile;
  readonly settings: HubSettings;
  readonly why: string;
  readonly cause?: unknown;
}): MillraceError {
  const { repo, revision, file } = about.file;
  const { endpoint } = about.settings;
  const place = join(repoFolder(about.settings, repo), "snapshots", revision, file ?? "");
  const what =
    file === undefined ? `the files of ${endpoint}/${repo}` : `${endpoint}/${repo}/resolve/${revision}/${file}`;
  return new MillraceError("BAD_MODEL", `The model ${repo} is not in the cache and cannot be fetched: ${about.why}.`, {
    cause: about.cause,
    hint:
      `Without a network, fetch ${what} elsewhere and put them at ${place}, ` +
      "or name that folder or file itself in xvector.pretrained_model. toolkit: builtin needs no model.",
  });
}

/** Explains which part of the hub's response is invalid. */
export function unexpectedAnswer(repo: string, field: string, got: unknown, expected: string): MillraceError {
  const shown = got === undefined ? "missing" : JSON.stringify(got);
  const short = shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
  return new MillraceError(
    "BAD_MODEL",
    `The hub's answer about the model ${repo} cannot be used: ${field} is ${short}, ${expected} was expected.`,
    {
      hint:
        "Check that HF_ENDPOINT, if it is set, is a Hugging Face hub. Or fetch the ONNX file yourself and name it in " +
        "xvector.pretrained_model.",
    },
  );
}

/** Explains why a file of the hub was not kept. */
export function damagedDownload(url: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_MODEL", `${url} could not be fetched: ${why}.`, {
    cause,
    hint: "Run again to fetch it again; nothing of it was kept.",
  });
}

/** The message of a `fetch` error, whose cause has the reason. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
