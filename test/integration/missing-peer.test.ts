import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

it("without onnxruntime-node everything loads, and a model says what to install", () => {
  const folder = temporaryFolder();
  cpSync(dist, join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const program = `import { fbank, loadOnnx } from "./dist/speech.js";
    console.log(fbank(new Float32Array(400)).rows);
    await loadOnnx("package.json").catch(({ code, message }) => console.log(code, message));`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /^1\nMISSING_PEER Models need onnxruntime-node, which is not installed\.\n {2}-> Run: npm install onnxruntime-node/,
  );
});

it("without @huggingface/hub recipes load, and an upload says what to install", () => {
  const folder = temporaryFolder();
  cpSync(dist, join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const program = `import { score, shareDataset } from "./dist/recipes.js";
    console.log(score({ hyp: ["a"], ref: ["a"] }).words.correct);
    await shareDataset("dist", { repo: "me/corpus" }).catch(({ code, message }) => console.log(code, message));`;
  const args = ["--input-type=module", "--eval", program];
  const env = { ...process.env, HF_TOKEN: "hf_none" };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /^1\nMISSING_PEER Uploading to a hub needs @huggingface\/hub, which is not installed\.\n {2}-> Run: npm install @hugging/,
  );
});

it("without @aws-sdk/credential-provider-node a profile with a role is refused by name", () => {
  const folder = temporaryFolder();
  cpSync(dist, join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "config"), "[profile lab]\nrole_arn = arn:aws:iam::1:role/x\n");
  const program = `import { openJsonl } from "./dist/datasets.js";
    await openJsonl("s3://corpus/a.jsonl", { remote: true }).catch(({ code, message }) => console.log(code, message));`;
  const args = ["--input-type=module", "--eval", program];
  const { AWS_ACCESS_KEY_ID: _id, ...others } = process.env;
  const env = { ...others, AWS_PROFILE: "lab", AWS_CONFIG_FILE: join(folder, "config") };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /^MISSING_PEER The object store needs credentials of which the profile lab has role_arn; .* which is not installed\.\n {2}-> Run: npm install @aws-sdk\/cred/,
  );
});
