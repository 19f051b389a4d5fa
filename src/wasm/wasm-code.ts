/**
 * A piece of a WebAssembly function: its bytes, and nested pieces. Instructions that return a value are nested like the
 * calls that build them and flattened only at the end: copying at every step would take longer than a short utterance.
 */
export type Code = readonly (number | Code)[];

/** A local variable of the function: its number. */
export type Local = number;

const type = { i32: 0x7f, v128: 0x7b } as const;

/** Allocates the local variables of one function, from 1 on. */
export interface Locals {
  i32(): Local;
  v128(): Local;
  /** The types of all allocated locals, by number. */
  readonly types: number[];
}

/** Creates an allocator for the local variables of a function. */
export function makeLocals(): Locals {
  const types: number[] = [];
  const next = (code: number) => types.push(code);
  return { types, i32: () => next(type.i32), v128: () => next(type.v128) };
}

/** A function of a module: one number as its parameter, which is local 0, and no result. */
export interface ModuleFunction {
  readonly locals: Locals;
  readonly body: Code;
}

/** A whole module: its own memory and its functions. The first one is exported as `run`. */
export function assembleModule(pages: number, functions: readonly ModuleFunction[]): Uint8Array<ArrayBuffer> {
  const bodies = functions.map(({ locals, body }) => {
    const declared = locals.types.flatMap((code) => [1, code]);
    return [...unsigned(locals.types.length), ...declared, ...flatten(body), 0x0b];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 1, type.i32, 0]),
    ...section(3, [...unsigned(functions.length), ...functions.map(() => 0)]),
    ...section(5, [1, 0x01, ...unsigned(pages), ...unsigned(pages)]),
    ...section(7, [2, ...name("memory"), 0x02, 0, ...name("run"), 0x00, 0]),
    ...section(10, [...unsigned(bodies.length), ...bodies.flatMap((body) => [...unsigned(body.length), ...body])]),
  ]);
}

function flatten(code: Code, bytes: number[] = []): number[] {
  for (const part of code) {
    if (typeof part === "number") bytes.push(part);
    else flatten(part, bytes);
  }
  return bytes;
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...[...text].map((letter) => letter.charCodeAt(0))];
}

/** A number in WebAssembly's size encoding: seven bits a byte. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

export function get(local: Local): Code {
  return [0x20, ...unsigned(local)];
}

export function set(local: Local, value: Code): Code {
  return [value, 0x21, ...unsigned(local)];
}

export function int(value: number): Code {
  return [0x41, ...signed(value)];
}

/** `local += step`, for pointers and counters. */
export function advance(local: Local, step: number): Code {
  return set(local, sumOf(get(local), int(step)));
}

export function sumOf(a: Code, b: Code): Code {
  return [a, b, 0x6a];
}

/** Calls a function of the module with one number. */
export function call(index: number, parameter: Code): Code {
  return [parameter, 0x10, ...unsigned(index)];
}

/** A word of memory as a number. */
export function loadInt(pointer: Local, offset: number): Code {
  return [get(pointer), 0x28, 2, ...unsigned(offset)];
}

/** Runs the body `times` times, at least once. The counter counts down to 0. */
export function repeat(counter: Local, times: Code, body: Code): Code {
  return [set(counter, times), ...[0x03, 0x40, body], ...[advance(counter, -1), get(counter)], ...[0x0d, 0, 0x0b]];
}

/** Runs the body if the local is not 0. */
export function ifNotZero(local: Local, body: Code): Code {
  return [get(local), 0x04, 0x40, body, 0x0b];
}

function simd(opcode: number): number[] {
  return [0xfd, ...unsigned(opcode)];
}

function binary(opcode: number): (a: Code, b: Code) => Code {
  const operator = simd(opcode);
  return (a, b) => [a, b, ...operator];
}

// Four float32 at a time.
export const add: (a: Code, b: Code) => Code = binary(0xe4);
export const sub: (a: Code, b: Code) => Code = binary(0xe5);
export const mul: (a: Code, b: Code) => Code = binary(0xe6);
export const div: (a: Code, b: Code) => Code = binary(0xe7);
export const lessThan: (a: Code, b: Code) => Code = binary(0x43);
/** `b` where `a < b`, otherwise `a`: a NaN in `a` stays NaN. */
export const atLeast: (a: Code, b: Code) => Code = binary(0xeb);
/** The minimum or maximum of two, NaN if one of them is NaN. */
export const min: (a: Code, b: Code) => Code = binary(0xe8);
export const max: (a: Code, b: Code) => Code = binary(0xe9);
// Two float64 at a time.
export const addDoubles: (a: Code, b: Code) => Code = binary(0xf0);
export const mulDoubles: (a: Code, b: Code) => Code = binary(0xf2);
// Four int32 at a time, for the exponents of floats.
export const addInts: (a: Code, b: Code) => Code = binary(0xae);
export const subInts: (a: Code, b: Code) => Code = binary(0xb1);
export const and: (a: Code, b: Code) => Code = binary(0x4e);

export function negate(a: Code): Code {
  return [a, ...simd(0xe1)];
}

export function sqrt(a: Code): Code {
  return [a, ...simd(0xe3)];
}

export function shiftRight(a: Code, bits: number): Code {
  return [a, int(bits), ...simd(0xac)];
}

export function toFloats(ints: Code): Code {
  return [ints, ...simd(0xfa)];
}

/** The first four of eight int16 as int32, and the last four. */
export function lowerInts(shorts: Code): Code {
  return [shorts, ...simd(0xa7)];
}

export function upperInts(shorts: Code): Code {
  return [shorts, ...simd(0xa8)];
}

/** Lane by lane: `yes` where the mask is set, `no` elsewhere. */
export function choose(mask: Code, yes: Code, no: Code): Code {
  return [yes, no, mask, ...simd(0x52)];
}

/** Four lanes of the eight of two vectors, by number. */
export function shuffle(a: Code, b: Code, lanes: readonly [number, number, number, number]): Code {
  const bytes = lanes.flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3]);
  return [a, b, ...simd(0x0d), ...bytes];
}

/** The same float32 in all four lanes. */
export function splat(value: number): Code {
  return constant(new Uint8Array(Float32Array.of(value, value, value, value).buffer));
}

/** The same int32 in all four lanes. */
export function splatInt(value: number): Code {
  return constant(new Uint8Array(Int32Array.of(value, value, value, value).buffer));
}

function constant(bytes: Uint8Array): Code {
  return [...simd(0x0c), ...bytes];
}

export function load(pointer: Local, offset: number): Code {
  return [get(pointer), ...simd(0x00), 4, ...unsigned(offset)];
}

/** Four floats at an address that is a multiple of four bytes. */
export function loadUnaligned(pointer: Local, offset: number): Code {
  return [get(pointer), ...simd(0x00), 2, ...unsigned(offset)];
}

/** Two float32 at an address that is a multiple of four bytes, as float64. */
export function loadAsDoubles(pointer: Local, offset: number): Code {
  return [get(pointer), ...simd(0x5d), 2, ...unsigned(offset), ...simd(0x5f)];
}

/** One float from memory in all four lanes. */
export function loadSplat(pointer: Local, offset: number): Code {
  return [get(pointer), ...simd(0x09), 2, ...unsigned(offset)];
}

/** The vector with one lane replaced by a float from memory. */
export function loadLane(pointer: Local, offset: number, lane: number, vector: Code): Code {
  return [get(pointer), vector, ...simd(0x56), 2, ...unsigned(offset), lane];
}

export function store(pointer: Local, offset: number, value: Code): Code {
  return [get(pointer), value, ...simd(0x0b), 4, ...unsigned(offset)];
}

export function storeLane(pointer: Local, offset: number, lane: number, vector: Code): Code {
  return [get(pointer), vector, ...simd(0x5a), 2, ...unsigned(offset), lane];
}
