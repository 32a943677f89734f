/**
 * The key that signs evidence (decisions 3.2): from a file that the operator names, otherwise made
 * in the data directory at the first start (keyFile.ts). Never from the database.
 */
import { ConfigError, fileProblem } from './config.ts';
import { generatePrivateKeyPem, KeyError, type Signer, signerFromFile } from './crypto.ts';
import { ensureKeyFile } from './keyFile.ts';

/**
 * @param at `file`: the operator's, must exist (else ConfigError); else `defaultFile`, made if
 *   absent.
 */
export function ensureSigner(at: { readonly file?: string; readonly defaultFile: string }): Signer {
  if (at.file !== undefined) return operatorsSigner(at.file);
  ensureKeyFile(at.defaultFile, generatePrivateKeyPem);
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
