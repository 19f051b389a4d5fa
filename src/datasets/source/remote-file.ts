import { sha256 } from "../../bytes/sha256.ts";
import { isMillraceError, MillraceError } from "../../errors/errors.ts";
import { openRequestSender } from "../../object-store/request-sender.ts";
import { parseS3Address } from "../../object-store/s3-address.ts";
import { followRedirects, redirectTarget } from "./follow-redirects.ts";
import { escapePath, hubAddress, hubHeaders, onlineHub } from "./hub-address.ts";
import { withoutSecrets } from "./remote-address.ts";
import { type RemoteAnswer, type RemoteFile, unreadable } from "./request.ts";

/** How a file is asked for, by its address. */
export function remoteFile(address: string, variables: NodeJS.ProcessEnv = process.env): RemoteFile {
  if (address.startsWith("s3://")) return s3File(address, variables);
  return address.startsWith("hf://") ? hubFile(address, variables) : webFile(address);
}

function webFile(address: string): RemoteFile {
  let url: URL;
  try {
    url = new URL(address);
  } catch (cause) {
    throw badAddress(address, "https://host/path", cause);
  }
  const name = withoutSecrets(url.href);
  const { username, password } = url;
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const own: Record<string, string> =
    username === "" ? {} : { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
  url.username = url.password = "";
  const target = { name, url: url.href, secretHeaders: own };
  return { name, key: keyOf(url), get: (headers) => followRedirects(target, headers) };
}

/** The key of an address. Its query may name the file, and may be secret; what only signs a request is left out. */
function keyOf(url: URL): string {
  const plain = new URL(url);
  for (const name of [...plain.searchParams.keys()])
    if (/^x-(?:amz|goog)-/i.test(name)) plain.searchParams.delete(name);
  return sha256(plain.href);
}

function s3File(address: string, variables: NodeJS.ProcessEnv): RemoteFile {
  const { bucket, key } = parseS3Address(address);
  if (key === "") throw badAddress(address, "s3://bucket/key");
  const sender = openRequestSender(bucket, { variables, maxTries: 5 });
  const get = async (headers: Readonly<Record<string, string>>): Promise<RemoteAnswer> => {
    try {
      const expects = [302, 303, 307, 308, 404, 412, 416];
      const answer = await sender.ask({ method: "GET", key, headers, expects, streams: true });
      if (answer.status > 399 || answer.status < 300) return answer;
      const url = redirectTarget(address, sender.url(key), answer);
      // What is elsewhere is asked for without a signature.
      return await followRedirects({ name: address, url: url.href, secretHeaders: {} }, headers);
    } catch (error) {
      if (!isMillraceError(error) || error.code === "MISSING_PEER" || error.code === "BAD_FILE") throw error;
      throw unreadable(address, error.reason.replace(/\.$/, ""), error, error.hint);
    }
  };
  return { name: address, key: keyOf(sender.url(key)), get };
}

function hubFile(address: string, variables: NodeJS.ProcessEnv): RemoteFile {
  const { repo, revision, path } = hubAddress(address);
  if (path === "") throw badAddress(address, "hf://datasets/owner/name[@revision]/path/of/the/file");
  const settings = onlineHub(address, variables);
  const url = `${settings.endpoint}/datasets/${repo}/resolve/${encodeURIComponent(revision)}/${escapePath(path)}`;
  const target = { name: address, url, secretHeaders: hubHeaders(settings) };
  return { name: address, key: keyOf(new URL(url)), get: (headers) => followRedirects(target, headers) };
}

function badAddress(address: string, expected: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_OPTION", `${JSON.stringify(withoutSecrets(address))} is no address of a file.`, {
    ...(cause === undefined ? {} : { cause }),
    hint: `Write it as ${expected}.`,
  });
}
