/** The part of WebAssembly that is used. Node's types do not declare it; only the browser's do. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: WasmInstance };
}

/** A module of `assembleModule` that is ready to run. It has its own memory, which never grows. */
export interface WasmInstance {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly run: (parameter: number) => void;
}

const { WebAssembly: api }: { readonly WebAssembly?: WebAssemblyApi } & object = globalThis as object;

/** True if WebAssembly is available: it can be switched off. */
export const hasWasm: boolean = api !== undefined;

export function makeInstance(module: Uint8Array<ArrayBuffer>): WasmInstance {
  return new api!.Instance(new api!.Module(module)).exports;
}
