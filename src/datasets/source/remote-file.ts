import { sha256 } from "../../bytes/sha256.ts";
import { MillraceError } from "../../errors/errors.ts";
import { isHubName, isPathWithin, revisionPattern } from "../../hub/hub-names.ts";
import { hubSettings } from "../../hub/hub-settings.ts";
import { withoutSecrets } from "./remote-address.ts";
import type { RemoteFile } from "./request.ts";
import { s3Settings } from "./s3-settings.ts";
import { escapePart, signS3 } from "./sign-s3.ts";

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
  return { name, key: keyOf(url), url: url.href, headers: (_method, _url, extra) => ({ ...extra, ...own }) };
}

/** The key of an address. Its query may name the file, and may be secret; what only signs a request is left out. */
function keyOf(url: URL): string {
  const plain = new URL(url);
  for (const name of [...plain.searchParams.keys()])
    if (/^x-(?:amz|goog)-/i.test(name)) plain.searchParams.delete(name);
  return sha256(plain.href);
}

function s3File(address: string, variables: NodeJS.ProcessEnv): RemoteFile {
  const [, bucket, key] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/s.exec(address) ?? [];
  if (bucket === undefined || key === undefined) throw badAddress(address, "s3://bucket/key");
  const { credentials, region, endpoint } = s3Settings(variables);
  const path = key.split("/").map(escapePart).join("/");
  const url =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com/${path}`
      : `${endpoint.replace(/\/+$/, "")}/${bucket}/${path}`;
  return {
    name: address,
    key: keyOf(new URL(url)),
    url,
    headers: (_method, to, extra) =>
      credentials === undefined ? { ...extra } : signS3(to, extra, { credentials, region }),
  };
}

function hubFile(address: string, variables: NodeJS.ProcessEnv): RemoteFile {
  const [, repo, revision = "main", path] =
    /^hf:\/\/datasets\/([^/@]+\/[^/@]+)(?:@([^/]+))?\/(.+)$/s.exec(address) ?? [];
  const isRight =
    repo !== undefined && path !== undefined && isHubName(repo) && isPathWithin(path) && revisionPattern.test(revision);
  if (!isRight) throw badAddress(address, "hf://datasets/owner/name[@revision]/path/of/the/file");
  const { endpoint, token } = hubSettings(variables);
  const own: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const url = `${endpoint}/datasets/${repo}/resolve/${encodeURIComponent(revision)}/${encoded}`;
  return {
    name: address,
    key: keyOf(new URL(url)),
    url,
    headers: (_method, _url, extra) => ({ ...extra, ...own }),
  };
}

function badAddress(address: string, expected: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_OPTION", `${JSON.stringify(withoutSecrets(address))} is no address of a file.`, {
    ...(cause === undefined ? {} : { cause }),
    hint: `Write it as ${expected}.`,
  });
}
