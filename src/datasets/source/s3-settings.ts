import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { S3Credentials } from "./sign-s3.ts";

/** Where S3 is and who asks, as its own tools find it. */
export interface S3Settings {
  readonly credentials: S3Credentials | undefined;
  readonly region: string;
  /** An S3-compatible store that the user has chosen; buckets are then the first part of the path. */
  readonly endpoint: string | undefined;
}

/** Reads `AWS_…` variables, then the profile in `~/.aws/credentials` and `~/.aws/config`. Nothing of it is kept on disk. */
export function s3Settings(variables: NodeJS.ProcessEnv = process.env): S3Settings {
  const given = (name: string) => (variables[name] === "" ? undefined : variables[name]);
  const profile = given("AWS_PROFILE") ?? "default";
  const home = join(homedir(), ".aws");
  const keys = readProfile(given("AWS_SHARED_CREDENTIALS_FILE") ?? join(home, "credentials"), [profile]);
  const config = readProfile(given("AWS_CONFIG_FILE") ?? join(home, "config"), [profile, `profile ${profile}`]);
  const value = (variable: string, key: string) => given(variable) ?? keys.get(key) ?? config.get(key);
  const accessKeyId = value("AWS_ACCESS_KEY_ID", "aws_access_key_id");
  const secretAccessKey = value("AWS_SECRET_ACCESS_KEY", "aws_secret_access_key");
  const sessionToken = value("AWS_SESSION_TOKEN", "aws_session_token");
  return {
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined
        ? undefined
        : { accessKeyId, secretAccessKey, sessionToken },
    region: given("AWS_REGION") ?? given("AWS_DEFAULT_REGION") ?? config.get("region") ?? "us-east-1",
    endpoint: given("AWS_ENDPOINT_URL_S3") ?? given("AWS_ENDPOINT_URL") ?? config.get("endpoint_url"),
  };
}

/** The keys of a section of such a file. */
function readProfile(path: string, sections: readonly string[]): Map<string, string> {
  const keys = new Map<string, string>();
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return keys;
  }
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim();
    if (section !== undefined) isWanted = sections.includes(section);
    const [, key, value] = /^(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isWanted && key !== undefined && value !== undefined) keys.set(key, value);
  }
  return keys;
}
