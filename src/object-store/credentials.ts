import { MillraceError, messageOf } from "../errors/errors.ts";
import { rememberSecret } from "../secrets/secret-values.ts";
import { type S3Settings, s3Settings } from "./s3-settings.ts";
import type { S3Credentials } from "./sign-request.ts";

/** Gives the credentials of requests, as long as they are valid. */
export interface CredentialSource {
  /** Undefined if there are none: requests are then not signed, which is enough for public buckets. */
  get(): Promise<S3Credentials | undefined>;
  /** Called when a store says that they have expired: the next `get` asks again. */
  expire(): void;
}

// How long it counts that there are none: asking a machine for its role takes about a second where it has none.
const absentMs = 60_000;

/** The credentials of the environment or the profile; all others through the optional peer of the AWS SDK. */
export function openCredentials(
  settings: S3Settings,
  { variables, nowMs = Date.now }: { variables?: NodeJS.ProcessEnv | undefined; nowMs?: () => number } = {},
): CredentialSource {
  let kept = settings.credentials;
  let provider: Promise<Provider | undefined> | undefined;
  let mustRefresh = false;
  let absentUntilMs = 0;
  remember(kept);
  const ofSdk = async (): Promise<S3Credentials | undefined> => {
    if (nowMs() < absentUntilMs) return undefined;
    provider ??= openProvider(settings);
    const ask = await provider;
    if (ask === undefined) return undefined;
    try {
      const forceRefresh = mustRefresh;
      mustRefresh = false;
      return remember(await ask({ forceRefresh }));
    } catch (error) {
      // Nothing names credentials: that there are none is no mistake.
      if (settings.elsewhere === undefined) {
        absentUntilMs = nowMs() + absentMs;
        return undefined;
      }
      throw cannotGet(settings.elsewhere, error);
    }
  };
  return {
    get: async () => kept ?? (await ofSdk()),
    expire() {
      mustRefresh = true;
      // The files may have been written again since.
      if (kept !== undefined) kept = remember(s3Settings(variables).credentials) ?? kept;
    },
  };
}

function remember(credentials: S3Credentials | undefined): S3Credentials | undefined {
  if (credentials === undefined) return undefined;
  rememberSecret(credentials.secretAccessKey);
  if (credentials.sessionToken !== undefined) rememberSecret(credentials.sessionToken);
  return credentials;
}

type Provider = (options: { readonly forceRefresh: boolean }) => Promise<S3Credentials>;

/** Keeps what it got until five minutes before it expires. */
async function openProvider({ elsewhere, profile }: S3Settings): Promise<Provider | undefined> {
  try {
    const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
    return defaultProvider({ profile }) as Provider;
  } catch (error) {
    if (elsewhere === undefined) return undefined;
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    const why = isMissing ? "which is not installed" : `which cannot be loaded: ${messageOf(error)}`;
    throw new MillraceError(
      "MISSING_PEER",
      `The object store needs credentials of which ${elsewhere}; getting them needs @aws-sdk/credential-provider-node, ${why}.`,
      {
        cause: error,
        hint: "Run: npm install @aws-sdk/credential-provider-node, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
      },
    );
  }
}

function cannotGet(elsewhere: string, error: unknown): MillraceError {
  return new MillraceError(
    "STORE_REFUSED",
    `No credentials for the object store: ${elsewhere}, but ${messageOf(error)}.`,
    {
      cause: error,
      hint: "Try the same with `aws sts get-caller-identity`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    },
  );
}
