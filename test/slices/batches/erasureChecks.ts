/** What is still readable of those who were erased, and what a verifier of another hand says. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Every file below a folder that has the words, as it is or unpacked. */
export function filesWith(root: string, words: readonly string[]): string[] {
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  return names
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      const texts = [bytes, unpacked(bytes)];
      return words.some((word) => texts.some((text) => text.includes(word)));
    });
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch {
    return Buffer.alloc(0); // most files are no gzip
  }
}

export const hasPython =
  spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;
if (!hasPython) console.warn('SKIPPED: the second verifier, python3 3.9 or later is not there');
const VERIFIER = join(import.meta.dirname, '../../reports/verify_batch.py');

/** What the verifier in Python says of a proof, beside an export of the chain. */
export function verdicts(
  proofs: readonly object[],
  chain: Buffer,
  keyRing: unknown,
): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'verify-erased-'));
  try {
    const [file, keys, lines] = ['proof', 'keys', 'export'].map((name) => join(folder, name));
    writeFileSync(String(keys), JSON.stringify(keyRing));
    writeFileSync(String(lines), chain);
    return proofs.map((proof) => {
      writeFileSync(String(file), JSON.stringify(proof));
      const words = [VERIFIER, String(file), String(keys), '--export', String(lines)];
      const { stderr, stdout } = spawnSync('python3', words, { encoding: 'utf8' });
      return `${stdout.split(' ').slice(0, 2).join(' ').trim()}${stderr}`;
    });
  } finally {
    rmSync(folder, { force: true, recursive: true });
  }
}
