import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { configError } from "./config-error.ts";
import type { SourcePosition } from "./config-node.ts";
import { type DefaultEntry, takeDefaults } from "./default-entry.ts";
import { type ConfigFile, readConfigFile } from "./read-config-file.ts";

export interface FolderConfig extends ConfigFile {
  /** Its defaults list, which is removed from `root`. */
  readonly defaults: readonly DefaultEntry[];
}

/** The configs beside the loaded one: `model/small` is the file model/small.yaml, a choice of the group `model`. */
export class ConfigFolder {
  readonly #path: string;
  readonly #onRead: ((path: string) => void) | undefined;
  readonly #loaded = new Map<string, Promise<FolderConfig | undefined>>();

  /** `onRead` is called with the path of each included file that exists. */
  constructor(path: string, onRead?: (path: string) => void) {
    this.#path = path;
    this.#onRead = onRead;
  }

  /** The config of a name, or undefined. Each file is read once. */
  async load(name: string, asked: SourcePosition): Promise<FolderConfig | undefined> {
    refuseOutside(name, asked);
    const file = name.endsWith(".yaml") || name.endsWith(".yml") ? name : `${name}.yaml`;
    const config = await this.loadFile(file);
    if (config !== undefined) this.#onRead?.(join(this.#path, file));
    return config;
  }

  loadFile(file: string): Promise<FolderConfig | undefined> {
    let loading = this.#loaded.get(file);
    if (loading === undefined) {
      loading = this.#read(join(this.#path, file));
      this.#loaded.set(file, loading);
    }
    return loading;
  }

  async #read(path: string): Promise<FolderConfig | undefined> {
    const file = await readConfigFile(path, path);
    return file === undefined ? undefined : { ...file, defaults: takeDefaults(file.root) };
  }

  /** The groups inside a group: folders that contain configs. */
  async groupsIn(group: string): Promise<string[]> {
    if (group !== "" && !isInside(group)) return [];
    const found = await readdir(join(this.#path, group), { withFileTypes: true }).catch(() => []);
    const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const choices = await Promise.all(folders.map((name) => this.choicesOf(join(group, name))));
    return folders.filter((_, i) => choices[i]!.length > 0).sort();
  }

  /** The choices of a group; empty if there is no such group. The group "" is the folder itself. */
  async choicesOf(group: string): Promise<string[]> {
    if (group !== "" && !isInside(group)) return [];
    const names = await readdir(join(this.#path, group)).catch(() => []);
    return names
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => name.slice(0, -".yaml".length))
      .sort();
  }
}

function isInside(name: string): boolean {
  return !name.split(/[/\\]/).some((part) => part === ".." || part === "." || part === "") && !name.includes("\0");
}

function refuseOutside(name: string, asked: SourcePosition): void {
  if (isInside(name)) return;
  throw configError(asked, `${JSON.stringify(name)} is not the name of a config.`, {
    hint: "Names are relative to the folder of the first config, without . and .. in them.",
  });
}
