import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRequestSender } from "../../../src/object-store/request-sender.ts";
import { parseS3Address } from "../../../src/object-store/s3-address.ts";
import { s3Settings } from "../../../src/object-store/s3-settings.ts";

let folder: string;
let variables: NodeJS.ProcessEnv;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-profiles-"));
  const [keys, config] = [join(folder, "credentials"), join(folder, "config")];
  writeFileSync(
    keys,
    `[default]
aws_access_key_id = A
aws_secret_access_key = secret-of-a
[lab]
aws_access_key_id=B
aws_secret_access_key = C=
aws_session_token = token-of-the-lab
`,
  );
  writeFileSync(
    config,
    `[default]
region = eu-north-1
[profile  lab]
region = eu-west-3
endpoint_url = https://store.example:9000/
s3 =
  addressing_style = virtual
output = json
[profile role]
role_arn = arn:aws:iam::1:role/x
source_profile = default
`,
  );
  variables = { AWS_SHARED_CREDENTIALS_FILE: keys, AWS_CONFIG_FILE: config };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the settings of an object store", () => {
  it("are those of the environment, then of the profile", () => {
    expect(s3Settings(variables)).toMatchObject({
      credentials: { accessKeyId: "A", secretAccessKey: "secret-of-a", sessionToken: undefined },
      region: "eu-north-1",
      endpoint: undefined,
      isPathStyle: false,
    });
    expect(s3Settings({ ...variables, AWS_PROFILE: "lab" })).toMatchObject({
      credentials: { accessKeyId: "B", secretAccessKey: "C=", sessionToken: "token-of-the-lab" },
      region: "eu-west-3",
      endpoint: "https://store.example:9000",
      isPathStyle: false,
    });
    const own = {
      ...variables,
      AWS_PROFILE: "lab",
      AWS_REGION: "r",
      AWS_ENDPOINT_URL: "http://h",
      AWS_ACCESS_KEY_ID: "E",
    };
    // A key without its secret is none, and nothing of two places is mixed.
    expect(s3Settings(own)).toMatchObject({ credentials: { accessKeyId: "B" }, region: "r", endpoint: "http://h" });
    const whole = { ...own, AWS_SECRET_ACCESS_KEY: "secret-of-e" };
    expect(s3Settings(whole).credentials).toEqual({
      accessKeyId: "E",
      secretAccessKey: "secret-of-e",
      sessionToken: undefined,
    });
  });

  it("name what only the SDK can get, and refuse a profile that is not there", () => {
    expect(s3Settings({ ...variables, AWS_PROFILE: "role" })).toMatchObject({
      credentials: undefined,
      elsewhere: "the profile role has role_arn",
    });
    const web = { AWS_WEB_IDENTITY_TOKEN_FILE: "/t", AWS_CONFIG_FILE: "/none", AWS_SHARED_CREDENTIALS_FILE: "/none" };
    expect(s3Settings(web).elsewhere).toBe("AWS_WEB_IDENTITY_TOKEN_FILE is set");
    expect(() => s3Settings({ ...variables, AWS_PROFILE: "none" })).toThrow(/no profile "none".*\n {2}-> Add it/);
    expect(() => s3Settings({ AWS_ENDPOINT_URL_S3: "http://me:top-secret@host" })).toThrow(
      /^(?!.*top-secret)The endpoint/s,
    );
  });

  it("put the bucket into the path or the host", () => {
    const none = { AWS_CONFIG_FILE: "/none", AWS_SHARED_CREDENTIALS_FILE: "/none" };
    const urlOf = (bucket: string, more: NodeJS.ProcessEnv) =>
      openRequestSender(bucket, { variables: { ...none, ...more } }).url("a b/c").href;
    expect(urlOf("data", {})).toBe("https://data.s3.us-east-1.amazonaws.com/a%20b/c");
    expect(urlOf("my.data", {})).toBe("https://s3.us-east-1.amazonaws.com/my.data/a%20b/c");
    expect(urlOf("data", { AWS_ENDPOINT_URL: "http://h:1" })).toBe("http://h:1/data/a%20b/c");
    const virtual = { AWS_ENDPOINT_URL: "http://h:1/", AWS_S3_ADDRESSING_STYLE: "virtual" };
    expect(urlOf("data", virtual)).toBe("http://data.h:1/a%20b/c");
  });
});

describe("an address", () => {
  it("is a bucket and a key", () => {
    expect(parseS3Address("s3://my-data/a/b c")).toEqual({ bucket: "my-data", key: "a/b c" });
    expect(parseS3Address("s3://my-data")).toEqual({ bucket: "my-data", key: "" });
    expect(parseS3Address("s3://my-data/")).toEqual({ bucket: "my-data", key: "" });
  });

  it.each([
    "s3://",
    "s3://A",
    "s3:///key",
    "s3://data/a/../b",
    "s3://data/./b",
    `s3://data/${"x".repeat(1025)}`,
    "s3://data/\ud800",
  ])("is refused: %s", (address) => {
    expect(() => parseS3Address(address)).toThrow(/-> /);
  });
});
