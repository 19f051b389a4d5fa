import { MillraceError } from "../errors/errors.ts";
import { type Profile, readProfile } from "./profile-files.ts";
import type { S3Credentials } from "./sign-request.ts";

/** Where S3 is and who asks, as its own tools find it. */
export interface S3Settings {
  /** Those of the environment or of the profile. */
  readonly credentials: S3Credentials | undefined;
  /** What names credentials that only the AWS SDK can get: a role, SSO, a container's address. */
  readonly elsewhere: string | undefined;
  readonly profile: string;
  readonly region: string;
  /** An S3-compatible store that the user has chosen. */
  readonly endpoint: string | undefined;
  /** Whether a bucket is the first part of the path (or else of the host's name). */
  readonly isPathStyle: boolean;
}

/** Reads `AWS_…` variables, then the profile in `~/.aws/credentials` and `~/.aws/config`. Nothing of it is kept on disk. */
export function s3Settings(variables: NodeJS.ProcessEnv = process.env): S3Settings {
  const given = (name: string) => (variables[name] === "" ? undefined : variables[name]);
  const profile = readProfile(given("AWS_PROFILE") ?? "default", variables);
  const ofEnvironment = staticKeys({
    id: given("AWS_ACCESS_KEY_ID"),
    secret: given("AWS_SECRET_ACCESS_KEY"),
    token: given("AWS_SESSION_TOKEN"),
  });
  if (ofEnvironment === undefined && !profile.isThere && given("AWS_PROFILE") !== undefined) throw noProfile(profile);
  const elsewhere = ofEnvironment === undefined ? credentialsElsewhere(profile, given) : undefined;
  const endpoint = given("AWS_ENDPOINT_URL_S3") ?? given("AWS_ENDPOINT_URL") ?? profile.config.get("endpoint_url");
  return {
    credentials: ofEnvironment ?? (elsewhere === undefined ? profileKeys(profile) : undefined),
    elsewhere,
    profile: profile.name,
    region: given("AWS_REGION") ?? given("AWS_DEFAULT_REGION") ?? profile.config.get("region") ?? "us-east-1",
    endpoint: endpoint === undefined ? undefined : checkEndpoint(endpoint),
    isPathStyle: pathStyle(profile, given("AWS_S3_ADDRESSING_STYLE"), endpoint),
  };
}

interface Keys {
  readonly id: string | undefined;
  readonly secret: string | undefined;
  readonly token: string | undefined;
}

/** All from one place: a token of one place with the keys of another would be refused, without a reason that helps. */
function staticKeys({ id, secret, token }: Keys): S3Credentials | undefined {
  if (id === undefined || secret === undefined) return undefined;
  return { accessKeyId: id, secretAccessKey: secret, sessionToken: token };
}

function profileKeys({ keys, config }: Profile): S3Credentials | undefined {
  for (const file of [keys, config]) {
    const found = staticKeys({
      id: file.get("aws_access_key_id"),
      secret: file.get("aws_secret_access_key"),
      token: file.get("aws_session_token"),
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

const ofSdk = ["role_arn", "credential_process", "sso_session", "sso_start_url", "web_identity_token_file"];

function credentialsElsewhere(profile: Profile, given: (name: string) => string | undefined): string | undefined {
  const key = ofSdk.find((name) => profile.config.has(name) || profile.keys.has(name));
  if (key !== undefined) return `the profile ${profile.name} has ${key}`;
  if (profileKeys(profile) !== undefined) return undefined;
  const variable = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  ].find((name) => given(name) !== undefined);
  return variable === undefined ? undefined : `${variable} is set`;
}

function pathStyle(profile: Profile, variable: string | undefined, endpoint: string | undefined): boolean {
  const style = variable ?? profile.config.get("s3.addressing_style");
  if (style === "path" || style === "virtual") return style === "path";
  return endpoint !== undefined;
}

function checkEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
  if (isPlain) return text.replace(/\/+$/, "");
  throw new MillraceError("BAD_OPTION", "The endpoint of the object store is no address of a server.", {
    hint: "Set AWS_ENDPOINT_URL_S3 (or endpoint_url of the profile) to https://host or https://host:port, without a name and password.",
  });
}

function noProfile({ name }: Profile): MillraceError {
  return new MillraceError("BAD_OPTION", `There is no profile ${JSON.stringify(name)}, which AWS_PROFILE names.`, {
    hint: "Add it to ~/.aws/credentials or ~/.aws/config, or correct AWS_PROFILE.",
  });
}
