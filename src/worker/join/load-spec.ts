import { hostname } from "node:os";
import { MillraceError } from "../../errors/errors.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { openNotices } from "../../run-folder/run/notices.ts";
import { type RunSpec, readSpec } from "../../run-folder/run/run-spec.ts";
import { digestVariables } from "../../secrets/digest-variables.ts";
import type { EnvironmentValue, Origin } from "../../secrets/origins.ts";
import { makeInstance } from "../../values/make-instance.ts";
import { type InstanceReference, isSerializableClass, keyOf } from "../../values/value-marks.ts";
import { loadClass } from "./load-class.ts";

/** Reads the spec of a run, rebuilds the instances in it and resolves values from the environment of this process. */
export async function loadSpec(paths: RunPaths): Promise<RunSpec> {
  const references = new Map<string, InstanceReference & { readonly kind: "class" | "function" }>();
  let isFromEnvironment = false;
  const spec = readSpec(paths, {
    onInstance: (reference) => references.set(keyOf(reference), { ...reference, kind: "class" }),
    onFunction: (reference) => references.set(keyOf(reference), { ...reference, kind: "function" }),
    onEnvironment(value) {
      isFromEnvironment = true;
      return { value, origin: undefined };
    },
  });
  if (references.size === 0 && !isFromEnvironment) return spec;
  const loaded = new Map<string, object>();
  for (const [key, { kind, ...reference }] of references)
    loaded.set(key, await loadClass(reference, { cwd: spec.cwd, code: "BAD_PROVIDER", kind }));
  return readSpec(paths, {
    onInstance(reference, json) {
      const found = loaded.get(keyOf(reference))!;
      if (!isSerializableClass(found)) throw notSerializable(reference);
      return makeInstance(found, json);
    },
    onFunction: (reference) => loaded.get(keyOf(reference)),
    onEnvironment: isFromEnvironment ? await environmentReader(paths, spec) : undefined,
  });
}

function notSerializable({ name, module }: InstanceReference): MillraceError {
  return new MillraceError("BAD_PROVIDER", `${name} of ${module} has no static \`module\` and \`from(json)\`.`, {
    hint: `The run was started with an instance of ${name}: a worker makes it again with ${name}.from. Put both back.`,
  });
}

type Resolved = { readonly value: unknown; readonly origin: Origin | undefined };

async function environmentReader(paths: RunPaths, spec: RunSpec): Promise<(value: EnvironmentValue) => Resolved> {
  // The config reader is loaded only if it is needed.
  const { resolveExpression } = await import("../../config/resolve-expression.ts");
  return ({ expression, at, variables }) => {
    const key = at.replace(/^spec\./, "");
    try {
      const resolved = resolveExpression(expression, key.split(".").at(-1)!);
      if (variables !== "" && digestVariables(expression) !== variables) noteOtherValue(paths, expression, key);
      return resolved;
    } catch (error) {
      throw missingVariable(expression, key, spec) ?? error;
    }
  };
}

/** Prints a notice: each worker reads its own environment, and different values may be intended (TMPDIR) or mix data. */
function noteOtherValue(paths: RunPaths, expression: string, at: string): void {
  openNotices(paths).say(
    "other-environment",
    `${at} is ${expression}, which has another value in the environment of this worker on ${hostname()} than where the run was started; the worker uses its own`,
  );
}

function missingVariable(expression: string, at: string, { parallel }: RunSpec): MillraceError | undefined {
  const read = [...expression.matchAll(/\$\{(oc\.env|secret):(\w+)\}/g)];
  const missing = read.find(([, , name]) => !process.env[name!]);
  if (missing === undefined) return undefined;
  const [, resolver, name] = missing;
  const file = resolver === "secret" ? ` and no ${name}_FILE` : "";
  return new MillraceError(
    "ENV_FAILED",
    `${at} is \${${resolver}:${name}}, and the environment of this worker on ${hostname()} has no variable ${name}${file}.`,
    { hint: howToPassVariable(name!, String((parallel as { env?: unknown }).env)) },
  );
}

const prologue = "job_script_prologue: ['. ~/.run-secrets'], a file of yours that only you can read,";

// How to pass an environment variable from the driver to a worker, for each env.
const adviceByEnv: Readonly<Record<string, (name: string) => string>> = {
  ssh: (name) =>
    `ssh passes on no variables: add ssh_arguments: ["-o", "SendEnv=${name}"] where the host has AcceptEnv for it, or set it on the host for shells that are not interactive (~/.ssh/environment, ~/.bashrc).`,
  slurm: (name) =>
    `sbatch passes it on unless --says otherwise: ${name} where the run is started, add job_extra_directives: ["--export=ALL"], or set it in the job with ${prologue} that exports it.`,
  pbs: (name) => `Add job_extra_directives: ["-v ${name}"], or set it in the job with ${prologue} that exports it.`,
  sge: (name) => `Add job_extra_directives: ["-v ${name}"], or set it in the job with ${prologue} that exports it.`,
  lsf: (name) =>
    `bsub passes it on unless LSB_JOB_ENV or -env says otherwise: ${name} where the run is started, or set it in the job with ${prologue} that exports it.`,
  moab: (name) => `Add job_extra_directives: ["-v ${name}"], or set it in the job with ${prologue} that exports it.`,
  htcondor: (name) =>
    `Add job_extra_directives: ["getenv = ${name}"], or set it in the job with ${prologue} that exports it.`,
  oar: (name) => `OAR passes on no variables: set ${name} in the job with ${prologue} that exports it.`,
  kube: (name) =>
    `Pods have no variables of the driver: mount a Secret through the image or the service account, and ${name} in job_script_prologue.`,
};

/** What a user can do so that a worker has a variable. */
function howToPassVariable(name: string, env: string): string {
  return (
    adviceByEnv[env]?.(name) ??
    `Export ${name} before you start the run, or this command: workers inherit the environment of the process that starts them.`
  );
}
