import { pathToFileURL } from "node:url";
import { MillraceError } from "../../index.ts";
import type { DatasetFile } from "./list-dataset-files.ts";

/** A dataset repository of the Hugging Face hub. */
export interface HubTarget {
  /** `namespace/name`. */
  readonly repo: string;
  /** Creates the repository if it does not exist. Default `true`. */
  readonly create?: boolean;
  /** The visibility of a new repository. Default: that of the namespace. */
  readonly visibility?: "public" | "private";
  /** Default `main`; it must exist. */
  readonly branch?: string;
  /** Default: `Upload` and the name of the folder. */
  readonly message?: string;
  /** Another hub. Default: `https://huggingface.co`. */
  readonly hubUrl?: string;
}

export interface UploadOptions {
  readonly target: HubTarget;
  readonly files: readonly DatasetFile[];
  readonly card: string;
  readonly message: string;
}

// A commit sends its small files in one request; a hub limits both numbers.
const maxFiles = 500;
const maxBytes = 64 * 2 ** 20;

/**
 * Uploads a dataset to a hub, the card last: when the card is there, so are the other files. Returns the address of the
 * last commit.
 */
export async function uploadDataset({ target, files, card, message }: UploadOptions): Promise<string> {
  const accessToken = readToken();
  if (!/^[\w.-]+\/[\w.-]+$/.test(target.repo)) {
    throw new MillraceError("BAD_OPTION", `${JSON.stringify(target.repo)} is no repository.`, {
      hint: 'Write namespace/name, as in { repo: "my-group/my-corpus" }.',
    });
  }
  const hub = await importHub();
  const repo = { type: "dataset", name: target.repo } as const;
  const common = {
    repo,
    accessToken,
    ...(target.hubUrl === undefined ? {} : { hubUrl: target.hubUrl }),
  };
  const { branch = "main", visibility } = target;
  try {
    if (target.create !== false) {
      await hub
        .createRepo({ ...common, ...(visibility === undefined ? {} : { visibility }) })
        .catch((error: { statusCode?: unknown }) => {
          // It exists already, which is fine.
          if (error.statusCode !== 409) throw error;
        });
    }
    const parts = [...cutParts(files.filter(({ path }) => path !== "README.md"))];
    let address = "";
    for (const [i, part] of [...parts, "card" as const].entries()) {
      const content =
        part === "card"
          ? [{ path: "README.md", content: new Blob([card]) }]
          : part.map(({ path, source }) => ({ path, content: pathToFileURL(source) }));
      const commitTitle = parts.length > 0 ? `${message} (${i + 1} of ${parts.length + 1})` : message;
      const done = await hub.uploadFiles({ ...common, branch, commitTitle, files: content });
      address = done?.commit.url ?? address;
    }
    return address;
  } catch (error) {
    throw uploadFailed(error, target, accessToken);
  }
}

function* cutParts(files: readonly DatasetFile[]): Generator<DatasetFile[]> {
  let part: DatasetFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (part.length > 0 && (part.length === maxFiles || bytes + file.bytes > maxBytes)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(file);
    bytes += file.bytes;
  }
  if (part.length > 0) yield part;
}

/** Only from the environment: a token in code or in a config ends up in a repository or a log. */
function readToken(): string {
  const token = process.env["HF_TOKEN"]?.trim() ?? "";
  if (token.startsWith("hf_")) return token;
  throw new MillraceError("BAD_OPTION", token === "" ? "HF_TOKEN is not set." : "HF_TOKEN holds no token of the hub.", {
    hint: "Make a token with write access at https://huggingface.co/settings/tokens and set HF_TOKEN to it; it starts with hf_.",
  });
}

async function importHub(): Promise<typeof import("@huggingface/hub")> {
  try {
    return await import("@huggingface/hub");
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    const why = isMissing ? "which is not installed" : `which cannot be loaded: ${(cause as Error).message}`;
    throw new MillraceError("MISSING_PEER", `Uploading to a hub needs @huggingface/hub, ${why}.`, {
      cause,
      hint: "Run: npm install @huggingface/hub",
    });
  }
}

function uploadFailed(error: unknown, { repo }: HubTarget, token: string): MillraceError {
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(token, "hf_…");
  const { statusCode } = error as { statusCode?: unknown };
  const isRefused = statusCode === 401 || statusCode === 403;
  // Without the cause: it may contain the request, and so the token.
  return new MillraceError("UPLOAD_FAILED", `The upload to ${repo} failed: ${text}`, {
    hint: isRefused
      ? "Check that the token in HF_TOKEN may write to this repository."
      : "Run again: files that have arrived are not sent twice.",
  });
}
