import { nodeChildProcess } from "./child-process.ts";
import { crc32, sha256 } from "./digests.ts";
import { nodeFs, nodeFsPromises } from "./node-fs.ts";
import * as posixPath from "./posix-path.ts";
import type { Program } from "./program.ts";
import { nodeWorkerThreads } from "./worker-threads.ts";

/** The built-in modules of Node.js that the library uses, for one program. Each is created on first use. */
export function nodeBuiltins(program: Program): Record<string, object> {
  const { machine, start } = program;
  const made = new Map<string, object>();
  const makers: Record<string, () => object> = {
    "node:fs": () => nodeFs(program),
    "node:fs/promises": () => nodeFsPromises(program),
    "node:path": () => ({ ...posixPath, resolve: posixPath.resolveIn(() => program.cwd) }),
    "node:os": () => ({
      hostname: () => start.host,
      availableParallelism: () => 4,
      tmpdir: () => "/tmp",
      userInfo: () => ({ username: "you" }),
    }),
    "node:url": () => ({
      fileURLToPath: (url: string | URL) => decodeURIComponent(new URL(url).pathname),
      pathToFileURL: (path: string) => new URL(`file://${path}`),
    }),
    "node:util": () => ({
      inspect: Object.assign(String, { custom: Symbol.for("nodejs.util.inspect.custom") }),
      isDeepStrictEqual,
    }),
    "node:zlib": () => ({ crc32 }),
    "node:crypto": () => ({
      randomBytes: (length: number) => ({
        toString: () =>
          Array.from({ length: length * 2 }, () => Math.floor(machine.math.random() * 16).toString(16)).join(""),
      }),
      createHash: () => hash(),
    }),
    "node:module": () => ({
      isBuiltin: () => false,
      createRequire: () => (name: string) => machine.options.modules[name],
    }),
    "node:worker_threads": () => nodeWorkerThreads(program),
    "node:child_process": () => nodeChildProcess(program),
    "node:buffer": () => ({ constants: { MAX_STRING_LENGTH: 2 ** 29 - 24, MAX_LENGTH: 2 ** 33 } }),
  };
  return new Proxy<Record<string, object>>(
    {},
    {
      get(_target, name: string) {
        if (!made.has(name)) made.set(name, makers[name]?.() ?? {});
        return made.get(name);
      },
    },
  );
}

function hash() {
  const parts: number[] = [];
  const own = {
    update(content: string | Uint8Array) {
      for (const byte of typeof content === "string" ? new TextEncoder().encode(content) : content) parts.push(byte);
      return own;
    },
    digest: () => sha256(Uint8Array.from(parts)),
  };
  return own;
}

function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  if (keys.length !== others.length || Array.isArray(one) !== Array.isArray(other)) return false;
  return keys.every((key) => isDeepStrictEqual(Reflect.get(one, key), Reflect.get(other, key)));
}
