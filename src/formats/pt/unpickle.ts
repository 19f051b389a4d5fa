import { isUtf8 } from "node:buffer";
import { badFile } from "../bad-file.ts";
import { Global, nameOfNode, type PickleNode, Tuple } from "./pickle-nodes.ts";
import { callGlobal, isKnownGlobal, storageOf } from "./rebuild-tensor.ts";

/** Where a pickle stands: its bytes, and what errors say about the place. */
export interface PickleBytes {
  readonly bytes: Buffer;
  readonly name: string;
  /** The place of the first byte in the file. */
  readonly fileOffset: number;
}

/**
 * Reads a pickle as PyTorch writes them, and only such: plain values, containers and tensors. Every other class or
 * function is refused by its name, and none is ever called. Says where the pickle ends.
 */
export function unpickle(input: PickleBytes, start = 0): { value: PickleNode; end: number } {
  const machine = new PickleMachine(input, start);
  return { value: machine.run(), end: machine.position };
}

// Far above what anyone counts; arithmetic with larger ones gets slow.
const longestInteger = 1024;

class PickleMachine {
  position: number;
  private readonly input: PickleBytes;
  private readonly stack: PickleNode[] = [];
  private readonly marks: number[] = [];
  private readonly memo = new Map<number, PickleNode>();
  private opAt = 0;

  constructor(input: PickleBytes, start: number) {
    this.input = input;
    this.position = start;
  }

  run(): PickleNode {
    for (;;) {
      this.opAt = this.position;
      const op = this.byte();
      if (op === 0x2e) return this.pop();
      if (!this.value(op) && !this.container(op) && !this.reference(op)) {
        throw this.fail(
          `the pickle has the opcode 0x${op.toString(16)}, which no tensor needs`,
          "Save tensors, numbers, texts and plain containers only.",
        );
      }
    }
  }

  /** Opcodes that put one plain value on the stack. */
  private value(op: number): boolean {
    switch (op) {
      case 0x4e:
        return this.push(null);
      case 0x88:
        return this.push(true);
      case 0x89:
        return this.push(false);
      case 0x4b:
        return this.push(this.byte());
      case 0x4d:
        return this.push(this.input.bytes.readUInt16LE(this.advance(2)));
      case 0x4a:
        return this.push(this.input.bytes.readInt32LE(this.advance(4)));
      case 0x8a:
        return this.push(this.integer(this.byte()));
      case 0x8b:
        return this.push(this.integer(this.length4()));
      case 0x47:
        return this.push(this.input.bytes.readDoubleBE(this.advance(8)));
      case 0x58:
        return this.push(this.text(this.length4()));
      case 0x8c:
        return this.push(this.text(this.byte()));
      case 0x8d:
        return this.push(this.text(this.length4() + this.length4() * 2 ** 32));
      // The str of Python 2.
      case 0x54:
        return this.push(this.text(this.length4()));
      case 0x55:
        return this.push(this.text(this.byte()));
      default:
        return false;
    }
  }

  /** Opcodes that make or fill a container. */
  private container(op: number): boolean {
    switch (op) {
      case 0x28:
        this.marks.push(this.stack.length);
        return true;
      case 0x29:
        return this.push(new Tuple([]));
      case 0x85:
      case 0x86:
      case 0x87:
        return this.push(new Tuple(this.popSeveral(op - 0x84)));
      case 0x74:
        return this.push(new Tuple(this.popToMark()));
      case 0x5d:
        return this.push([]);
      case 0x61:
        return this.append(this.popSeveral(1));
      case 0x65:
        return this.append(this.popToMark());
      case 0x7d:
        return this.push(new Map());
      case 0x73:
        return this.setItems(this.popSeveral(2));
      case 0x75:
        return this.setItems(this.popToMark());
      default:
        return false;
    }
  }

  /** Opcodes that name, call, remember or skip. */
  private reference(op: number): boolean {
    switch (op) {
      case 0x80:
        if (this.byte() > 5) throw this.fail("the pickle is of an unknown protocol");
        return true;
      case 0x95:
        this.advance(8);
        return true;
      case 0x63:
        return this.global(this.line(), this.line());
      case 0x93: {
        const [module, name] = this.popSeveral(2);
        if (typeof module !== "string" || typeof name !== "string")
          throw this.fail("a name in the pickle is not a text");
        return this.global(module, name);
      }
      case 0x52: {
        const [target, args] = this.popSeveral(2);
        return this.push(callGlobal(target!, args!, (problem) => this.fail(problem)));
      }
      case 0x62: {
        // What PyTorch notes about a state dict beside its tensors (the versions of the modules).
        const state = this.pop();
        if (!(this.top() instanceof Map) || !(state instanceof Map)) {
          throw this.fail(`the pickle gives attributes to ${nameOfNode(this.top())}`);
        }
        return true;
      }
      case 0x51:
        return this.push(storageOf(this.pop(), (problem) => this.fail(problem)));
      case 0x71:
        return this.remember(this.byte());
      case 0x72:
        return this.remember(this.length4());
      case 0x94:
        return this.remember(this.memo.size);
      case 0x68:
        return this.recall(this.byte());
      case 0x6a:
        return this.recall(this.length4());
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
    if (isKnownGlobal(full)) return this.push(new Global(full));
    throw this.fail(
      `the pickle names ${JSON.stringify(full.slice(0, 200))}, which is not a part of a tensor`,
      "Only tensors and plain containers are read, because a pickle can name any code; save those alone.",
    );
  }

  private remember(number: number): true {
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
    for (const item of items) list.push(item);
    return true;
  }

  private setItems(items: readonly PickleNode[]): true {
    const dict = this.top();
    if (!(dict instanceof Map) || items.length % 2 === 1)
      throw this.fail(`the pickle sets items of ${nameOfNode(dict)}`);
    for (let i = 0; i < items.length; i += 2) dict.set(items[i]!, items[i + 1]!);
    return true;
  }

  private push(value: PickleNode): true {
    this.stack.push(value);
    return true;
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
      throw this.fail("the pickle takes more than it has put down");
  }

  private byte(): number {
    const value = this.input.bytes[this.position];
    if (value === undefined) throw this.fail("the pickle ends too early");
    this.position++;
    return value;
  }

  /** Goes over so many bytes, which must be there; says where they begin. */
  private advance(length: number): number {
    const start = this.position;
    if (start + length > this.input.bytes.length) {
      throw this.fail(`the pickle ends too early: ${length} bytes are expected`);
    }
    this.position += length;
    return start;
  }

  private take(length: number): Buffer {
    const start = this.advance(length);
    return this.input.bytes.subarray(start, start + length);
  }

  private length4(): number {
    return this.input.bytes.readUInt32LE(this.advance(4));
  }

  private text(length: number): string {
    const bytes = this.take(length);
    if (!isUtf8(bytes)) throw this.fail("a text in the pickle is not UTF-8");
    return bytes.toString("utf8");
  }

  /** An integer of any size, lowest byte first; a bigint only where a number would not be exact. */
  private integer(length: number): number | bigint {
    if (length > longestInteger) throw this.fail(`the pickle has an integer of ${length} bytes`);
    if (length === 0) return 0;
    const hex = Buffer.from(this.take(length)).reverse().toString("hex");
    const value = BigInt.asIntN(8 * length, BigInt(`0x${hex}`));
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  private line(): string {
    const end = this.input.bytes.indexOf(0x0a, this.position);
    if (end < 0) throw this.fail("the pickle ends within a name");
    const text = this.input.bytes.toString("latin1", this.position, end);
    this.position = end + 1;
    return text;
  }

  private fail(problem: string, hint?: string): Error {
    return badFile(this.input.name, this.input.fileOffset + this.opAt, problem, hint);
  }
}
