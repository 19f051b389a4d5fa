import { describe, expect, it } from "vitest";
import { encodeQuery, signRequest } from "../../../src/object-store/sign-request.ts";

// The four examples in Amazon's description of Signature Version 4 for S3, with its keys and results.
const keys = {
  credentials: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
  region: "us-east-1",
  now: new Date("2013-05-24T00:00:00Z"),
};
const bucket = "https://examplebucket.s3.amazonaws.com";

describe("the signature of a request", () => {
  it.each([
    {
      what: "a range of an object",
      parts: { method: "GET", url: new URL(`${bucket}/test.txt`), headers: { range: "bytes=0-9" } },
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    },
    {
      what: "an object that is written",
      parts: {
        method: "PUT",
        url: new URL(`${bucket}/test%24file.text`),
        headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        body: Buffer.from("Welcome to Amazon S3."),
      },
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    },
    {
      what: "a name without a value",
      parts: { method: "GET", url: new URL(`${bucket}/`), query: [["lifecycle", ""]] as const, headers: {} },
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    },
    {
      what: "a list",
      parts: {
        method: "GET",
        url: new URL(`${bucket}/`),
        query: [
          ["prefix", "J"],
          ["max-keys", "2"],
        ] as const,
        headers: {},
      },
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    },
  ])("is that of the documentation for $what", ({ parts, signature }) => {
    expect(signRequest(parts, keys)["authorization"]).toContain(`Signature=${signature}`);
  });

  it("covers a session's token, and holds no secret key", () => {
    const credentials = { ...keys.credentials, sessionToken: "token-of-a-session" };
    const headers = signRequest({ method: "GET", url: new URL(bucket), headers: {} }, { ...keys, credentials });
    expect(headers["x-amz-security-token"]).toBe("token-of-a-session");
    expect(headers["authorization"]).toContain("x-amz-security-token");
    expect(JSON.stringify(headers)).not.toContain(keys.credentials.secretAccessKey);
  });

  it("sorts a query by its names, of which one may begin like another", () => {
    expect(
      encodeQuery([
        ["a-b", "1"],
        ["a", "2 +"],
        ["a", "1"],
      ]),
    ).toBe("a=1&a=2%20%2B&a-b=1");
  });
});
