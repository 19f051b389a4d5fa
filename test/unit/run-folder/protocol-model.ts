import { basename, dirname } from "node:path";
import type { RunPaths } from "../../../src/run-folder/files/run-paths.ts";
import type { FileSnapshot, FileStep } from "../../../src/run-folder/lease/file-step.ts";

/** A file or folder. Names point to it: a process that has it open can write to it after it was moved or unlinked. */
export interface Node {
  readonly entries: Map<string, Node> | undefined;
  text: string;
  changedMs: number;
}

/** A file system in memory: names and nodes, one clock, and the few operations the protocol is made of. */
export class ModelFiles {
  nowMs = 0;
  private readonly paths: RunPaths;
  private readonly nodes = new Map<string, Node>();
  /** Every move of an attempt's folder to the place of its shard, and whether that attempt had been taken over. */
  readonly published: { shard: string; attempt: string; wasFenced: boolean }[] = [];
  private readonly fenced = new Set<Node>();

  constructor(paths: RunPaths) {
    this.paths = paths;
  }

  take(step: FileStep): unknown {
    switch (step.do) {
      case "mkdir":
        if (this.nodes.has(step.path)) return "exists";
        this.nodes.set(step.path, { entries: new Map(), text: "", changedMs: this.nowMs });
        return "made";
      case "rename":
        return this.rename(step.from, step.to);
      case "exists":
        return (
          this.nodes.has(step.path) || this.nodes.get(dirname(step.path))?.entries?.has(basename(step.path)) === true
        );
      case "link":
        return void this.nodes.set(step.to, this.nodes.get(step.from)!);
      case "same":
        return this.nodes.has(step.path) && this.nodes.get(step.path) === this.nodes.get(step.other);
      case "look":
        return this.look(step.path);
      case "remove":
        return void this.nodes.delete(step.path);
      case "committed":
        return this.nodes.get(this.paths.shard(step.shard))?.entries?.has("done") ?? false;
    }
  }

  write(path: string, text: string): void {
    const node = this.nodes.get(path) ?? { entries: undefined, text: "", changedMs: 0 };
    node.text = text;
    node.changedMs = this.nowMs;
    this.nodes.set(path, node);
  }

  node(path: string): Node | undefined {
    return this.nodes.get(path);
  }

  /** The names directly below a folder. */
  names(folder: string): string[] {
    return [...this.nodes.keys()]
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1));
  }

  private rename(from: string, to: string): "moved" | "missing" | "exists" {
    const node = this.nodes.get(from);
    if (node === undefined) return "missing";
    if ((this.nodes.get(to)?.entries?.size ?? 0) > 0) return "exists";
    this.nodes.delete(from);
    this.nodes.set(to, node);
    // An empty folder at the place of a shard is nothing: the next commit takes its place.
    if (to.startsWith(`${this.paths.root}/split.`) && node.entries!.size > 0) {
      this.published.push({ shard: to, attempt: from, wasFenced: this.fenced.has(node) });
    }
    if (to.endsWith(".fenced")) this.fenced.add(node);
    return "moved";
  }

  private look(path: string): FileSnapshot | undefined {
    const node = this.nodes.get(path);
    return node === undefined ? undefined : { text: node.text, ageMs: this.nowMs - node.changedMs };
  }
}
