const secretWords = new Set([
  "password",
  "passwd",
  "passphrase",
  "secret",
  "secrets",
  "credential",
  "credentials",
  "auth",
  "authorization",
  "cookie",
  "apikey",
  "apitoken",
  "authtoken",
  "accesstoken",
  "bearer",
  "jwt",
]);
// "key" alone is the key of a table; after one of these words it is a secret.
const beforeKey = new Set(["api", "access", "private", "secret", "encryption", "signing", "auth", "account", "master"]);
// Tokens of a vocabulary: `pad_token: <pad>`.
const vocabulary = new Set(
  (
    "pad padding eos bos sos eot sot unk unknown oov mask sep separator cls class blank blk special additional space start end " +
    "stop begin first last next prev previous new per by max min num n sil silence speech audio image video text lang language " +
    "word subword char phone phoneme task prefix suffix timestamp timestamps transcribe translate source target"
  ).split(" "),
);
// `password_file` is the location of a secret, and `token_type` its kind: neither is a secret.
const aboutSecrets = new Set(
  "file path dir folder name type kind env var variable url uri endpoint count limit length size list policy timeout ttl".split(
    " ",
  ),
);

/**
 * True if the name of a key or variable says that its value is a secret. False for `max_tokens`, `token_list` and
 * `pad_token`.
 */
export function looksSecret(key: string): boolean {
  const words = wordsOf(key);
  const last = words.at(-1);
  if (last === undefined || aboutSecrets.has(last)) return false;
  if (words.some((word, i) => secretWords.has(word) || (isKey(word) && beforeKey.has(words[i - 1] ?? "")))) return true;
  const before = words.at(-2);
  if (last === "token") return before === undefined || !vocabulary.has(before);
  // PWD alone is the working directory.
  return last === "pwd" && before !== undefined && before !== "old";
}

/** True if a string under such a key can be a secret. `<blank>` and `[PAD]` are tokens of a vocabulary. */
export function isSecretText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/^(?:<.*>|\[.*\])$/s.test(value);
}

function isKey(word: string): boolean {
  return word === "key" || word === "keys";
}

function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
