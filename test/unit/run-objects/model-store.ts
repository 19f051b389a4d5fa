import type { ObjectInfo } from "../../../src/object-store/object-info.ts";
import type { ObjectStep } from "../../../src/run-objects/object-step.ts";

/** A step that is a request. */
export type Request = Exclude<ObjectStep, { readonly do: "mark" | "pause" }>;

interface Kept {
  readonly text: string;
  readonly putId: string | undefined;
  readonly writtenMs: number;
}

/** What happens to one try of a request, drawn for each try. */
export type Fault = "lost" | "answer lost" | "late" | "503" | "409" | "twice" | "again later" | "none";

const faults: readonly Fault[] = ["lost", "answer lost", "late", "503", "409", "twice", "again later"];
export const noAnswer: unique symbol = Symbol("no answer");

/** A store in memory with one clock, whose requests may be lost, late, repeated or refused. */
export class ModelStore {
  nowMs = 0;
  faultRate = 0;
  /** Every fault that was made, and how often. */
  readonly made = new Map<Fault, number>();
  /** The texts with which each key was created. */
  readonly created = new Map<string, string[]>();
  private readonly objects = new Map<string, Kept>();
  private readonly late: { readonly atMs: number; readonly request: Request }[] = [];
  /** The keys at earlier times, for lists that are old. */
  private readonly earlier: string[][] = [];
  private readonly random: () => number;
  /** Creates what is there already, as a store that looks first and writes afterwards. */
  private readonly isLying: boolean;

  constructor(random: () => number, isLying = false) {
    this.random = random;
    this.isLying = isLying;
  }

  /** One try of a request: its answer, or none. */
  attempt(request: Request): unknown {
    const fault = this.draw();
    this.made.set(fault, (this.made.get(fault) ?? 0) + 1);
    switch (fault) {
      case "lost":
      case "503":
        return noAnswer;
      case "409":
        return request.do === "create" ? noAnswer : this.act(request);
      case "late":
        this.sendLater(request);
        return noAnswer;
      case "answer lost":
        this.act(request);
        return noAnswer;
      case "twice":
        this.act(request);
        return this.act(request);
      case "again later":
        this.sendLater(request);
        return this.act(request);
      case "none":
        return this.act(request);
    }
  }

  /** Time passes, and what is late arrives. */
  pass(ms: number): void {
    this.nowMs += ms;
    for (let i = this.late.length - 1; i >= 0; i--)
      if (this.late[i]!.atMs <= this.nowMs) this.act(this.late.splice(i, 1)[0]!.request);
  }

  text(key: string): string | undefined {
    return this.objects.get(key)?.text;
  }

  private draw(): Fault {
    const at = Math.floor(this.random() / (this.faultRate / faults.length));
    return faults[at] ?? "none";
  }

  private sendLater(request: Request): void {
    this.late.push({ atMs: this.nowMs + 40_000 * this.random(), request });
  }

  private act(request: Request): unknown {
    const { key } = request as { readonly key: string };
    const found = this.objects.get(key);
    switch (request.do) {
      case "create": {
        if (found !== undefined && !(this.isLying && found.writtenMs === this.nowMs)) return "exists";
        const text = Buffer.from(request.body).toString();
        this.created.set(key, [...(this.created.get(key) ?? []), text]);
        this.keep(key, { text, putId: request.putId, writtenMs: this.nowMs });
        return "created";
      }
      case "put":
        return this.keep(key, { text: request.text, putId: undefined, writtenMs: this.nowMs });
      case "head":
        return found === undefined ? undefined : ({ key, putId: found.putId } as ObjectInfo);
      case "read":
        return found?.text;
      case "age":
        // Both headers count whole seconds.
        return found === undefined ? undefined : seconds(this.nowMs) - seconds(found.writtenMs);
      case "remove":
        this.objects.delete(key);
        return this.remember();
      case "list":
        return this.list(request.prefix);
    }
  }

  private keep(key: string, kept: Kept): void {
    this.objects.set(key, kept);
    this.remember();
  }

  private remember(): void {
    this.earlier.push([...this.objects.keys()]);
    if (this.earlier.length > 8) this.earlier.shift();
  }

  /** Each page is of another time: what is made or removed meanwhile may be in it or not. */
  private list(prefix: string): string[] {
    const isOld = this.faultRate > 0 && this.random() < 0.3;
    const keys = () =>
      isOld && this.earlier.length > 0
        ? this.earlier[Math.floor(this.random() * this.earlier.length)]!
        : [...this.objects.keys()];
    const middle = this.random() < 0.5 ? keys().sort()[Math.floor(keys().length / 2)] : undefined;
    const page = (isIn: (key: string) => boolean) => keys().filter((key) => key.startsWith(prefix) && isIn(key));
    if (middle === undefined) return page(() => true);
    return [...page((key) => key <= middle), ...page((key) => key > middle)];
  }
}

function seconds(ms: number): number {
  return 1000 * Math.floor(ms / 1000);
}
