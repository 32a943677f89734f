/**
 * The key that signs evidence (decisions 3.2): from a file that the operator names, else made in
 * the data directory at the first start. Never from the database.
 *
 * Several processes may start at once over one data directory: the file is written whole under
 * another name and linked into place, so that one of them wins and all read the same key.
 */
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatePrivateKeyPem, type Signer, signerFromFile } from './crypto.ts';

const KEY_FILE_MODE = 0o600;
const KEY_DIRECTORY_MODE = 0o700;

/** @param at `file`: the operator's, must exist; else `defaultFile`, made if absent. */
export function ensureSigner(at: { readonly file?: string; readonly defaultFile: string }): Signer {
  if (at.file !== undefined) return signerFromFile(at.file);
  if (!existsSync(at.defaultFile)) makeKeyFile(at.defaultFile);
  return signerFromFile(at.defaultFile);
}

function makeKeyFile(file: string): void {
  mkdirSync(dirname(file), { mode: KEY_DIRECTORY_MODE, recursive: true });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, generatePrivateKeyPem(), { flag: 'wx', flush: true, mode: KEY_FILE_MODE });
  try {
    linkSync(draft, file);
  } catch (error) {
    // Another process was first: its key is the installation's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
