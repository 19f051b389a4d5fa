import { describe, expect, it } from "vitest";
import { isSecretText, looksSecret } from "../../../src/secrets/looks-secret.ts";

describe("a key that looks like a secret", () => {
  it.each([
    "token",
    "TOKEN",
    "hf_token",
    "HF_TOKEN",
    "accessToken",
    "api-token",
    "api_key",
    "apiKey",
    "APIKey",
    "apikey",
    "OPENAI_API_KEY",
    "access_key",
    "AWS_SECRET_ACCESS_KEY",
    "private_key",
    "privateKey",
    "secret",
    "client_secret",
    "secrets",
    "password",
    "dbPassword",
    "PGPASSWORD_VALUE_password",
    "passwd",
    "db_pwd",
    "credential",
    "credentials",
    "Authorization",
    "bearer",
  ])("is %s", (key) => {
    expect(looksSecret(key)).toBe(true);
  });

  it.each([
    "",
    "max_tokens",
    "maxTokens",
    "n_tokens",
    "bpe_tokens",
    "tokens",
    "token_type",
    "tokenType",
    "tokenizer",
    "token_list",
    "tokenList",
    "tokens_per_batch",
    "pad_token",
    "padToken",
    "eos_token",
    "unk_token",
    "blank_token",
    "mask_token",
    "token_id_file",
    "password_file",
    "secret_name",
    "credentials_path",
    "key",
    "sort_key",
    "keyboard",
    "monkey",
    "api",
    "secretary",
    "author",
    "PWD",
    "OLD_PWD",
    "HOME",
    "_target_",
  ])("is not %s", (key) => {
    expect(looksSecret(key)).toBe(false);
  });

  it.each(["", "<blank>", "[PAD]", 5, null, true, undefined])("holds no secret in %j", (value) => {
    expect(isSecretText(value)).toBe(false);
  });

  it.each(["hunter2", "a<b>", "[x"])("may hold one in %j", (value) => {
    expect(isSecretText(value)).toBe(true);
  });
});
