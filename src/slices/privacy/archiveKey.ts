/**
 * The passphrase of an archive: 120 bits, for the ZIP format derives its key with a thousand rounds
 * of SHA-1 alone. It follows from a data key of its own, so that it stands nowhere in clear and is
 * gone with that key.
 */
import { hkdfSync } from 'node:crypto';
import type { DataKey } from '#core/blobs';
import { base32 } from './base32.ts';
import type { PrivacyRequest } from './tables.ts';

const BYTES = 15;
const GROUPS = /.{4}/g;

export const archiveKeyId = ({ requestId }: Pick<PrivacyRequest, 'requestId'>): string =>
  `privacy/${requestId}`;

/** 24 characters in groups of four. */
export function passphraseOf({ secret }: Pick<DataKey, 'secret'>): string {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'privacy-archive-v1', BYTES));
  return (base32(bytes).match(GROUPS) ?? []).join('-');
}
