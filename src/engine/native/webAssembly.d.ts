/** The part of WebAssembly that the engine uses; Node's types leave it to those of browsers. */
declare namespace WebAssembly {
  class Memory {
    constructor(limits: { initial: number; maximum: number; shared: true });
    readonly buffer: SharedArrayBuffer;
    /** Grows by a number of pages; `buffer` is another, longer one from then on. */
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } });
    readonly exports: Readonly<Record<string, unknown>>;
  }
  class CompileError extends Error {}
}
