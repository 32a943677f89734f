/** The kernels that compare two names, over a memory of their own: for tests and benches. */
import { readFileSync } from 'node:fs';
import * as plain from '../../src/engine/native/kernels.ts';
import { bind } from '../../src/engine/native/machine.ts';

const PAGES = 8;
const SCRATCH = 0;
const NAME = 8_192;
const SLOT = 16_384;
const ASCII = 128;

/** WebAssembly, or the twin in plain typed arrays. */
export function pairKernels(kind: 'wasm' | 'twin') {
  const limits = { initial: PAGES, maximum: PAGES, shared: true } as const;
  const memory = new WebAssembly.Memory(limits);
  const bytes = readFileSync(new URL('../../src/engine/native/kernels.wasm', import.meta.url));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const kernels = kind === 'twin' ? plain : (exports as unknown as typeof plain);
  const units = new Uint16Array(memory.buffer, NAME, 2_048);
  const narrow = new Uint8Array(memory.buffer, NAME, 2_048);
  const set = (name: string): void => {
    bind(memory.buffer);
    for (let at = 0; at < name.length; at++) units[at] = name.charCodeAt(at);
    kernels.setSlot(SLOT, NAME, name.length);
  };
  const isShort = (name: string): boolean =>
    name.length <= 64 && [...name].every((char) => (char.codePointAt(0) ?? 0) < ASCII);
  return {
    memory,
    kernels,
    jaroWinkler(a: string, b: string, least = 0): number {
      set(a);
      for (let at = 0; at < b.length; at++) {
        if (isShort(a)) narrow[at] = Math.min(ASCII, b.charCodeAt(at));
        else units[at] = b.charCodeAt(at);
      }
      return kernels.jaroWinkler(SLOT, NAME, b.length, least, SCRATCH);
    },
    levenshtein(a: string, b: string): number {
      set(a);
      for (let at = 0; at < b.length; at++) units[at] = b.charCodeAt(at);
      return kernels.levenshtein(SLOT, NAME, b.length, SCRATCH);
    },
    ratio(a: string, b: string): number {
      set(a);
      for (let at = 0; at < b.length; at++) units[at] = b.charCodeAt(at);
      return kernels.levenshteinRatio(SLOT, NAME, b.length, SCRATCH);
    },
  };
}
