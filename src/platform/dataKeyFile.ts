/**
 * The key that wraps data keys: from a file that the operator names, otherwise made in the data
 * directory at the first start. Never from the database: without this file nobody reads what lies
 * under the keys there.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, fileProblem } from './config.ts';
import { bytesFromBase64 } from './crypto.ts';
import { ensureKeyFile } from './keyFile.ts';

const KEY_BYTES = 32;

/**
 * 32 bytes. Throws ConfigError where the file holds something else, or the operator's is not there.
 *
 * @param at `file`: the operator's, must exist; else `defaultFile`, made if absent.
 */
export function ensureDataKey(at: {
  readonly file?: string;
  readonly defaultFile: string;
}): Uint8Array {
  const { defaultFile, file = defaultFile } = at;
  if (file === defaultFile) {
    ensureKeyFile(file, () => `${randomBytes(KEY_BYTES).toString('base64')}\n`);
  }
  const key = bytesFromBase64(readText(file).trim(), KEY_BYTES);
  return key ?? refuse('something else', file);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return refuse(fileProblem(error), file);
  }
}

/** A wrong file stops the start as a wrong variable does. The key itself is never quoted. */
function refuse(got: string, file: string): never {
  throw new ConfigError([
    `DATA_KEY_FILE: expected ${KEY_BYTES} bytes in base64, got ${got} at ${file}`,
  ]);
}
