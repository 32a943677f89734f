/** Crockford's base 32, which leaves out letters that are misread: I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const FIVE_BITS = /.{5}/g;

/** Five bits a letter; bits that are left over at the end are dropped. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(FIVE_BITS) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join('');
}
