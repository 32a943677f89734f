/**
 * The key that signs evidence (decisions 3.2): from a file that the operator names, otherwise made
 * in the data directory at the first start. Never from the database.
 *
 * Several processes may start at once over one data directory. The file is written whole under
 * another name and linked into place, so one of them wins and all read the same key.
 */
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError, fileProblem } from './config.ts';
import { generatePrivateKeyPem, KeyError, type Signer, signerFromFile } from './crypto.ts';
import { draftOf, removeAbandonedDrafts } from './draftFile.ts';

const KEY_FILE_MODE = 0o600;
const KEY_DIRECTORY_MODE = 0o700;

/**
 * @param at `file`: the operator's, must exist (else ConfigError); else `defaultFile`, made if
 *   absent.
 */
export function ensureSigner(at: { readonly file?: string; readonly defaultFile: string }): Signer {
  if (at.file !== undefined) return operatorsSigner(at.file);
  removeAbandonedDrafts(dirname(at.defaultFile));
  if (!existsSync(at.defaultFile)) makeKeyFile(at.defaultFile);
  return signerFromFile(at.defaultFile);
}

/** A wrong file stops the start as a wrong variable does. The key itself is never quoted. */
function operatorsSigner(file: string): Signer {
  try {
    return signerFromFile(file);
  } catch (error) {
    const got = error instanceof KeyError ? 'something else' : fileProblem(error);
    throw new ConfigError([
      'AUDIT_SIGNING_KEY_FILE: expected an Ed25519 private key as PKCS#8 PEM or base64 seed, ' +
        `got ${got} at ${file}`,
    ]);
  }
}

function makeKeyFile(file: string): void {
  mkdirSync(dirname(file), { mode: KEY_DIRECTORY_MODE, recursive: true });
  const draft = draftOf(file);
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
