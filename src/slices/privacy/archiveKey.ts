/**
 * The passphrase of an archive: 120 bits, for the ZIP format derives its key with a thousand rounds
 * of SHA-1 alone. It follows from a data key of its own, so that it stands nowhere in clear and is
 * gone with that key.
 */
import { hkdfSync } from 'node:crypto';
import type { DataKey } from '#core/blobs';
import type { PrivacyRequest } from './tables.ts';

const BYTES = 15;
/** Crockford's, which leaves out what is misread: I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const FIVE_BITS = /.{5}/g;
const GROUPS = /.{4}/g;

export const archiveKeyId = ({ requestId }: Pick<PrivacyRequest, 'requestId'>): string =>
  `privacy/${requestId}`;

/** 24 characters in groups of four. */
export function passphraseOf({ secret }: Pick<DataKey, 'secret'>): string {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'privacy-archive-v1', BYTES));
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(FIVE_BITS)?.map((five) => ALPHABET[Number.parseInt(five, 2)]) ?? [];
  return (letters.join('').match(GROUPS) ?? []).join('-');
}
