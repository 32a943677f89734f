/**
 * Words of the signature of IDES: an enveloping XML signature, which is the root of the document
 * and has the report within its one `Object`. RSA with SHA-256; both canonicalizations without
 * comments.
 */
import type { Canonicalization } from '#platform/xml/canonicalTags';

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
export const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** Undefined for an algorithm that we do not take; those with comments are among them. */
export function canonicalizationOf(algorithm: string): Canonicalization | undefined {
  if (algorithm === INCLUSIVE) return 'inclusive';
  return algorithm === EXCLUSIVE ? 'exclusive' : undefined;
}
