/** The last line of a signed bundle: {"signature": {"alg": "Ed25519", "key_id", "sig"}}. */
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';

export interface BundleSignature {
  readonly keyId: string;
  /** In base64. */
  readonly sig: string;
}

/** Without its line feed. */
export function signatureLine(keyId: string, signed: Uint8Array): Buffer {
  return textOf({ keyId, sig: Buffer.from(signed).toString('base64') });
}

const textOf = ({ keyId: key_id, sig }: BundleSignature): Buffer =>
  Buffer.from(canonicalJson({ signature: { alg: 'Ed25519', key_id, sig } }));

/**
 * Reads the line. Throws `list-damaged` for any other form: no member may stand beside the
 * signature that it does not cover.
 */
export function readSignatureLine(line: Uint8Array): BundleSignature {
  const signature = signatureIn(line);
  if (signature && textOf(signature).equals(line)) return signature;
  throw new DomainError('list-damaged', {
    detail: 'bundle: its signature is not of the one form',
  });
}

function signatureIn(line: Uint8Array): BundleSignature | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(line).toString());
  } catch {
    return undefined; // of no form at all
  }
  if (typeof value !== 'object' || value === null || !('signature' in value)) return undefined;
  const { signature } = value;
  if (typeof signature !== 'object' || signature === null) return undefined;
  const { key_id, sig } = signature as Record<string, unknown>;
  return typeof key_id === 'string' && typeof sig === 'string' ? { keyId: key_id, sig } : undefined;
}
