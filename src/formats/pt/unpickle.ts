import { PickleMemo } from "./pickle-memo.ts";
import { costs, Global, nameOfNode, type PickleNode, Tuple } from "./pickle-nodes.ts";
import { type PickleBytes, PickleReader } from "./pickle-reader.ts";
import { callGlobal, isKnownGlobal, storageOf } from "./rebuild-tensor.ts";

/**
 * Reads a pickle as PyTorch writes them, and nothing else: plain values, containers and tensors. Every other class or
 * function is refused by name, and none is ever called. Returns the end of the pickle.
 */
export function unpickle(input: PickleBytes, start = 0): { value: PickleNode; end: number } {
  const machine = new PickleMachine(input, start);
  return { value: machine.run(), end: machine.position };
}

// A Map hashes integers of more than 64 bits by their lowest 64 bits: a few thousand collisions are still fast.
const maxLongKeys = 4096;

class PickleMachine {
  private readonly input: PickleBytes;
  private readonly reader: PickleReader;
  private readonly stack: PickleNode[] = [];
  private readonly marks: number[] = [];
  private readonly memo = new PickleMemo();
  private longKeys = 0;
  constructor(input: PickleBytes, start: number) {
    this.input = input;
    this.reader = new PickleReader(input, start);
  }

  /** The end of the pickle, after `run`. */
  get position(): number {
    return this.reader.position;
  }

  run(): PickleNode {
    for (;;) {
      const op = this.reader.opcode();
      if (op === 0x2e) return this.pop();
      if (!this.value(op) && !this.container(op) && !this.reference(op)) {
        throw this.fail(
          `the pickle has the opcode 0x${op.toString(16)}, which no tensor needs`,
          "Save tensors, numbers, texts and plain containers only.",
        );
      }
    }
  }

  /** Opcodes that push one plain value. */
  private value(op: number): boolean {
    switch (op) {
      case 0x4e:
        return this.push(null);
      case 0x88:
        return this.push(true);
      case 0x89:
        return this.push(false);
      case 0x4b:
        return this.push(this.reader.byte());
      case 0x4d:
        return this.push(this.reader.uint16());
      case 0x4a:
        return this.push(this.reader.int32());
      case 0x8a:
        return this.push(this.reader.integer(this.reader.byte()));
      case 0x8b:
        return this.push(this.reader.integer(this.reader.length4()));
      case 0x47:
        return this.push(this.reader.double());
      case 0x58:
        return this.push(this.reader.text(this.reader.length4()));
      case 0x8c:
        return this.push(this.reader.text(this.reader.byte()));
      case 0x8d:
        return this.push(this.reader.text(this.reader.length4() + this.reader.length4() * 2 ** 32));
      // The str of Python 2.
      case 0x54:
        return this.push(this.reader.text(this.reader.length4()));
      case 0x55:
        return this.push(this.reader.text(this.reader.byte()));
      default:
        return false;
    }
  }

  /** Opcodes that create or fill a container. */
  private container(op: number): boolean {
    switch (op) {
      case 0x28:
        this.marks.push(this.stack.length);
        return true;
      case 0x29:
        return this.pushContainer(new Tuple([]));
      case 0x85:
      case 0x86:
      case 0x87:
        return this.pushContainer(new Tuple(this.popSeveral(op - 0x84)));
      case 0x74:
        return this.pushContainer(new Tuple(this.popToMark()));
      case 0x5d:
        return this.pushContainer([]);
      case 0x61:
        return this.append(this.popSeveral(1));
      case 0x65:
        return this.append(this.popToMark());
      case 0x7d:
        return this.pushContainer(new Map());
      case 0x73:
        return this.setItems(this.popSeveral(2));
      case 0x75:
        return this.setItems(this.popToMark());
      default:
        return false;
    }
  }

  /** Opcodes that name, call, store or skip. */
  private reference(op: number): boolean {
    switch (op) {
      case 0x80:
        if (this.reader.byte() > 5) throw this.fail("the pickle is of an unknown protocol");
        return true;
      case 0x95:
        this.reader.advance(8);
        return true;
      case 0x63:
        return this.global(this.reader.line(), this.reader.line());
      case 0x93: {
        const [module, name] = this.popSeveral(2);
        if (typeof module !== "string" || typeof name !== "string")
          throw this.fail("a name in the pickle is not a text");
        return this.global(module, name);
      }
      case 0x52: {
        const [target, args] = this.popSeveral(2);
        const { meter } = this.input;
        return this.pushContainer(callGlobal(target!, args!, { fail: (problem) => this.fail(problem), meter }));
      }
      case 0x62: {
        // PyTorch's metadata of a state dict (the versions of the modules).
        const state = this.pop();
        if (!(this.top() instanceof Map) || !(state instanceof Map)) {
          throw this.fail(`the pickle gives attributes to ${nameOfNode(this.top())}`);
        }
        return true;
      }
      case 0x51:
        return this.pushContainer(storageOf(this.pop(), (problem) => this.fail(problem)));
      case 0x71:
        return this.remember(this.reader.byte());
      case 0x72:
        return this.remember(this.reader.length4());
      case 0x94:
        return this.remember(this.memo.size);
      case 0x68:
        return this.recall(this.reader.byte());
      case 0x6a:
        return this.recall(this.reader.length4());
      case 0x30:
        this.pop();
        return true;
      case 0x31:
        this.popToMark();
        return true;
      default:
        return false;
    }
  }

  private global(module: string, name: string): true {
    const full = `${module}.${name}`;
    if (isKnownGlobal(full)) return this.pushContainer(new Global(full));
    throw this.fail(
      `the pickle names ${JSON.stringify(full.slice(0, 200))}, which is not a part of a tensor`,
      "Only tensors and plain containers are read, because a pickle can name any code; save those alone.",
    );
  }

  private remember(number: number): true {
    if (number > this.input.bytes.length) throw this.fail(`the pickle cannot remember ${number} values`);
    this.memo.set(number, this.top());
    return true;
  }

  private recall(number: number): true {
    const value = this.memo.get(number);
    if (value === undefined) throw this.fail(`the pickle recalls number ${number}, which it has not remembered`);
    return this.push(value);
  }

  private append(items: readonly PickleNode[]): true {
    const list = this.top();
    if (!Array.isArray(list)) throw this.fail(`the pickle appends to ${nameOfNode(list)}`);
    this.input.meter.spend(costs.item * items.length);
    for (const item of items) list.push(item);
    return true;
  }

  private setItems(items: readonly PickleNode[]): true {
    const dict = this.top();
    if (!(dict instanceof Map) || items.length % 2 === 1)
      throw this.fail(`the pickle sets items of ${nameOfNode(dict)}`);
    this.input.meter.spend(costs.pair * items.length);
    for (let i = 0; i < items.length; i += 2) dict.set(this.checkKey(items[i]!), items[i + 1]!);
    return true;
  }

  private checkKey(key: PickleNode): PickleNode {
    if (typeof key === "bigint" && BigInt.asIntN(64, key) !== key && ++this.longKeys > maxLongKeys) {
      throw this.fail(`the pickle has more than ${maxLongKeys} keys that are integers of more than 64 bits`);
    }
    return key;
  }

  private push(value: PickleNode): true {
    this.input.meter.spend(typeof value === "object" ? costs.item : costs.value);
    this.stack.push(value);
    return true;
  }

  private pushContainer(value: PickleNode): true {
    this.input.meter.spend(costs.container);
    return this.push(value);
  }

  private top(): PickleNode {
    this.requireValues(1);
    return this.stack[this.stack.length - 1]!;
  }

  private pop(): PickleNode {
    this.requireValues(1);
    return this.stack.pop()!;
  }

  private popSeveral(count: number): PickleNode[] {
    this.requireValues(count);
    return this.stack.splice(this.stack.length - count);
  }

  private popToMark(): PickleNode[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw this.fail("the pickle ends a group that it has not begun");
    return this.stack.splice(mark);
  }

  /** Values below the last mark belong to an outer group. */
  private requireValues(count: number): void {
    if (this.stack.length - (this.marks.at(-1) ?? 0) < count)
      throw this.fail("the pickle takes more values than its stack holds");
  }

  private fail(problem: string, hint?: string): Error {
    return this.reader.fail(problem, hint);
  }
}
