/** Options of the commands that sign; what they do is loaded when one runs (signatures.ts). */
import type { CommandOption } from './command.ts';

export const SIGN_OPTIONS: readonly CommandOption[] = [
  { name: 'key', value: 'FILE', required: true, help: 'your Ed25519 private key, PKCS#8 PEM' },
  { name: 'signer', value: 'ID', required: true, help: 'your person id' },
];
