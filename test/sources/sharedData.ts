/** Real files outside the repository, unpacked: found through TEST_DATA_DIR. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';

export const dataFolder = process.env.TEST_DATA_DIR;

/** Says aloud that the tests of it are skipped where the data is not there. */
export function warnWithoutData(what: string): void {
  if (!dataFolder) console.warn(`SKIPPED: ${what} (TEST_DATA_DIR is not set)`);
}

export async function* sharedFile(path: string): AsyncGenerator<Uint8Array> {
  const file = join(dataFolder ?? '', path);
  if (!path.endsWith('.xz')) {
    yield* createReadStream(file);
    return;
  }
  const xz = spawn('xz', ['-dc', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(xz, 'close');
  yield* xz.stdout;
  const [code] = await closed;
  if (code !== 0) throw new Error(`xz ended with ${code}`);
}

export async function sharedBytes(path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of sharedFile(path)) pieces.push(piece);
  return Buffer.concat(pieces);
}
