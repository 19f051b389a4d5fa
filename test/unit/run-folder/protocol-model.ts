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
  readonly published: { shard: string; attempt: string; folder: Node; wasFenced: boolean }[] = [];
  private readonly fenced = new Set<Node>();

  constructor(paths: RunPaths) {
    this.paths = paths;
  }

  /** `isLost`: a server has got the call twice, and this is its answer to the second one. */
  take(step: FileStep, isLost = false): unknown {
    switch (step.do) {
      case "mkdir":
        if (this.nodes.has(step.path)) return isLost ? "unsure" : "exists";
        this.nodes.set(step.path, { entries: new Map(), text: "", changedMs: this.nowMs });
        return isLost ? "unsure" : "made";
      case "rename": {
        const answer = this.rename(step.from, step.to);
        return isLost && answer === "moved" ? "missing" : answer;
      }
      case "exists":
        return this.find(step.path) !== undefined;
      case "wait":
        return true;
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

  shard(id: number): string {
    return this.paths.shard(id);
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
      this.published.push({ shard: to, attempt: from, folder: node, wasFenced: this.fenced.has(node) });
    }
    if (to.endsWith(".fenced")) this.fenced.add(node);
    return "moved";
  }

  private look(path: string): FileSnapshot | undefined {
    const node = this.find(path);
    return node === undefined ? undefined : { text: node.text, ageMs: this.nowMs - node.changedMs };
  }

  private find(path: string): Node | undefined {
    return this.nodes.get(path) ?? this.nodes.get(dirname(path))?.entries?.get(basename(path));
  }

  /** What a client sees whose caches were filled now. */
  copy(): ModelFiles {
    const copy = new ModelFiles(this.paths);
    copy.nowMs = this.nowMs;
    for (const [path, node] of this.nodes)
      copy.nodes.set(path, { ...node, entries: node.entries && new Map(node.entries) });
    return copy;
  }
}

/**
 * The files as one host sees them, through caches: what other hosts did since may be seen late. What it does itself is done
 * on the server, and shows it the folder as it is.
 */
export class ModelClient {
  readonly files: ModelFiles;
  /** Its next call is sent twice, and it gets the second answer. */
  isAnswerLost = false;
  private cache: ModelFiles | undefined;
  private readonly fresh = new Set<string>();
  private readonly watched = new Map<string, { readonly content: string; readonly sinceMs: number }>();

  constructor(files: ModelFiles) {
    this.files = files;
  }

  /** From now on it sees what is there at this moment. */
  freeze(): void {
    this.cache = this.files.copy();
    this.fresh.clear();
  }

  thaw(): void {
    this.cache = undefined;
  }

  take(step: FileStep): unknown {
    if (step.do === "wait") this.thaw();
    if (step.do === "exists") return this.seen(step.path).take(step);
    if (step.do === "committed") return this.seen(this.files.shard(step.shard)).take(step);
    if (step.do === "look") return this.look(step.path, step);
    if (step.do === "same") return this.files.take(step);
    const isLost = this.isAnswerLost;
    this.isAnswerLost = false;
    for (const path of "path" in step ? [step.path] : "from" in step ? [step.from, step.to] : [])
      this.fresh.add(dirname(path));
    return this.files.take(step, isLost);
  }

  names(folder: string): string[] {
    return (this.cache !== undefined && !this.fresh.has(folder) ? this.cache : this.files).names(folder);
  }

  private seen(path: string): ModelFiles {
    const folder = dirname(path);
    if (this.cache === undefined || this.fresh.has(folder)) return this.files;
    // Nothing is cached of a folder that is new here.
    const isNew = this.cache.node(folder) === undefined && this.fresh.has(dirname(folder));
    return isNew ? this.files : this.cache;
  }

  /** The text is read from the server, as after an open; the age may come from the cache. */
  private look(path: string, step: FileStep): FileSnapshot | undefined {
    const now = this.files.take(step) as FileSnapshot | undefined;
    if (now === undefined) return undefined;
    const { cache } = this;
    const old = cache === undefined ? undefined : (cache.take(step) as FileSnapshot | undefined);
    const ageMs = old === undefined ? now.ageMs : old.ageMs + this.files.nowMs - cache!.nowMs;
    const before = this.watched.get(path);
    if (before?.content !== now.text) this.watched.set(path, { content: now.text, sinceMs: this.files.nowMs });
    return { ...now, ageMs, unchangedMs: this.files.nowMs - this.watched.get(path)!.sinceMs };
  }
}
