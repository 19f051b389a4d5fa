import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openCredentials } from "../../../src/object-store/credentials.ts";
import { s3Settings } from "../../../src/object-store/s3-settings.ts";
import { maskSecrets } from "../../../src/secrets/secret-values.ts";

afterEach(() => vi.unstubAllEnvs());

/** The address that a container gets its credentials from, and how often it was asked. */
async function startContainer() {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        AccessKeyId: `CONTAINER${asked.length}`,
        SecretAccessKey: "secret-of-the-container",
        Token: "token-of-the-container",
        Expiration: new Date(Date.now() + 3600_000).toISOString(),
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/role` };
}

function noOthers(): void {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"])
    vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/none");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/none");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
}

describe("credentials through the SDK's own chain", () => {
  it("come from a container, are kept, asked for again where a store says they expired, and masked", async () => {
    noOthers();
    const { asked, address } = await startContainer();
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address);
    vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic of-the-container");
    const source = openCredentials(s3Settings());
    expect(await source.get()).toMatchObject({ accessKeyId: "CONTAINER1", sessionToken: "token-of-the-container" });
    expect(await source.get()).toMatchObject({ accessKeyId: "CONTAINER1" });
    expect(asked).toEqual(["Basic of-the-container"]);
    source.expire();
    expect(await source.get()).toMatchObject({ accessKeyId: "CONTAINER2" });
    expect(maskSecrets("secret-of-the-container, token-of-the-container")).toBe("***, ***");
  });

  it("that cannot be got are an error that names where they should come from", async () => {
    noOthers();
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/role");
    await expect(openCredentials(s3Settings()).get()).rejects.toMatchObject({
      code: "STORE_REFUSED",
      message: expect.stringMatching(
        /No credentials for the object store: AWS_CONTAINER_CREDENTIALS_FULL_URI is set, but/,
      ),
    });
  });

  it("are none where nothing names them", async () => {
    noOthers();
    expect(await openCredentials(s3Settings()).get()).toBeUndefined();
  });
});

it("keys of a profile are read again when a store says that they expired", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-profile-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "credentials");
  const write = (id: string) =>
    writeFileSync(path, `[default]\naws_access_key_id=${id}\naws_secret_access_key=of-${id}-12345\n`);
  write("first");
  const variables = { AWS_SHARED_CREDENTIALS_FILE: path, AWS_CONFIG_FILE: "/none" };
  const source = openCredentials(s3Settings(variables), { variables });
  write("second");
  expect(await source.get()).toMatchObject({ accessKeyId: "first" });
  source.expire();
  expect(await source.get()).toMatchObject({ accessKeyId: "second" });
});
