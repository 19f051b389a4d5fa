import { isPathWithin } from "../../../hub/hub-names.ts";
import type { HubSettings } from "../../../hub/hub-settings.ts";
import type { HubFile } from "./hub.ts";
import { damagedDownload, reasonOf, unexpectedAnswer } from "./hub-errors.ts";
import { requestHub } from "./request-hub.ts";

// A list of a hundred thousand files takes half of this.
const maxListBytes = 16 * 2 ** 20;

/** The names of all files of a repository. */
export async function listHubFiles(file: HubFile, settings: HubSettings): Promise<string[]> {
  const { repo } = file;
  const url = `${settings.endpoint}/api/models/${repo}/revision/${encodeURIComponent(file.revision)}`;
  const answer = await requestHub({ url, method: "GET", file, settings });
  return namesIn(await readJson(answer, { url, repo }), repo);
}

function namesIn(answer: unknown, repo: string): string[] {
  if (typeof answer !== "object" || answer === null) throw unexpectedAnswer(repo, "it", answer, "an object");
  const { siblings } = answer as { readonly siblings?: unknown };
  if (!Array.isArray(siblings)) throw unexpectedAnswer(repo, "siblings", siblings, "a list of files");
  return siblings.map((sibling: unknown, i) => {
    if (typeof sibling !== "object" || sibling === null)
      throw unexpectedAnswer(repo, `siblings[${i}]`, sibling, "an object with the name of a file");
    const { rfilename } = sibling as { readonly rfilename?: unknown };
    if (typeof rfilename !== "string") throw unexpectedAnswer(repo, `siblings[${i}].rfilename`, rfilename, "a text");
    if (isPathWithin(rfilename)) return rfilename;
    throw unexpectedAnswer(repo, `siblings[${i}].rfilename`, rfilename, "a path inside the repository");
  });
}

async function readJson(answer: Response, { url, repo }: { url: string; repo: string }): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxListBytes) break;
    }
  } catch (cause) {
    throw damagedDownload(url, reasonOf(cause), cause);
  }
  if (bytes > maxListBytes) throw damagedDownload(url, `the list of files has more than ${maxListBytes / 2 ** 20} MiB`);
  const text = Buffer.concat(chunks).toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedAnswer(repo, "it", text, "JSON");
  }
}
