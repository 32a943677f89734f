/**
 * Compiles the engine's kernels (src/engine/native) to WebAssembly: `node scripts/buildKernels.ts`.
 * The result is kept beside them, so that nobody needs a build step; test/engine/native.test.ts
 * compiles again and compares the bytes.
 *
 * One source serves both worlds. Where a file has a twin `*.as.ts`, asc takes that one: machine
 * instructions, words of 64 bits and SIMD have no place in plain TypeScript.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const NATIVE = new URL('../src/engine/native/', import.meta.url);
const OPTIONS = [
  ...['kernels.ts', '--outFile', 'kernels.wasm', '-O3', '--noAssert'],
  ...['--runtime', 'stub', '--importMemory', '--sharedMemory'],
  ...['--initialMemory', '1', '--maximumMemory', '65536'],
  ...['--enable', 'simd,threads,bulk-memory'],
];

/** asc strips the ending of what is imported, but not of what is re-exported. */
function readSource(name: string): string | null {
  const bare = name.replace(/(\.ts)+$/, '');
  const file = [`${bare}.as.ts`, `${bare}.ts`]
    .map((path) => new URL(path, NATIVE))
    .find((path) => existsSync(path));
  if (file === undefined) return null;
  return readFileSync(file, 'utf8').replaceAll(/from '(\.\/\w+)\.ts'/g, "from '$1'");
}

/** The bytes of kernels.wasm; throws an Error with what the compiler says. */
export async function compileKernels(): Promise<Uint8Array> {
  const written: Uint8Array[] = [];
  const { error, stderr } = await asc.main(OPTIONS, {
    readFile: readSource,
    writeFile: (_name: string, contents: Uint8Array | string) => {
      if (typeof contents !== 'string') written.push(contents);
    },
    listFiles: () => [],
  });
  const [bytes] = written;
  if (error !== null || bytes === undefined) throw new Error(stderr.toString());
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('kernels.wasm', NATIVE), await compileKernels());
}
