/**
 * A checkpoint: the signed statement that a chain had this head at this time. Kept away from the
 * database, it proves what the chain alone cannot: that its tail was cut, or that an old backup was
 * restored.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { bytesFromBase64, SIGNATURE_BYTES, type Signer } from '#platform/crypto';
import type { ChainKeys } from './keyRing.ts';
import type { ChainHead, Checkpoint } from './ports.ts';

const CHECKPOINT_DOMAIN = Buffer.from('audit-checkpoint-v1\0');
const HEX_HASH = /^[0-9a-f]{64}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MEMBERS = ['at', 'hash', 'key_id', 'seq', 'signature', 'tenant_id'];

/** The checkpoint of a head, signed with the current key (docs/audit-format.md). */
export function signCheckpoint(
  chainId: string,
  head: ChainHead,
  options: { at: EpochMs; signer: Signer },
): Checkpoint {
  const statement = {
    tenant_id: chainId,
    seq: head.seq,
    hash: head.hash,
    at: toTimestamp(options.at),
    key_id: options.signer.keyId,
  };
  const signature = options.signer.sign(checkpointMessage(statement));
  return { ...statement, signature: Buffer.from(signature).toString('base64') };
}

/** What the key signs: "audit-checkpoint-v1\0" ‖ JCS(checkpoint without signature). */
function checkpointMessage(statement: Omit<Checkpoint, 'signature'>): Uint8Array {
  return Buffer.concat([CHECKPOINT_DOMAIN, Buffer.from(canonicalJson(statement), 'utf8')]);
}

/** A checkpoint from outside, checked for its shape only; undefined where the shape is wrong. */
export function parseCheckpoint(value: unknown): Checkpoint | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const one = value as Partial<Record<keyof Checkpoint, unknown>>;
  const { tenant_id, seq, hash, at, key_id, signature } = one;
  const isShaped =
    Object.keys(one).sort().join() === MEMBERS.join() &&
    typeof tenant_id === 'string' &&
    Number.isSafeInteger(seq) &&
    Number(seq) >= 0 &&
    typeof hash === 'string' &&
    HEX_HASH.test(hash) &&
    typeof at === 'string' &&
    TIMESTAMP.test(at) &&
    typeof key_id === 'string' &&
    typeof signature === 'string';
  return isShaped ? { tenant_id, seq: Number(seq), hash, at, key_id, signature } : undefined;
}

/** Why the checkpoint's signature does not verify; undefined where it does. */
export function refuseCheckpoint(checkpoint: Checkpoint, keys: ChainKeys): string | undefined {
  const key = keys.forCheckpoint(checkpoint.key_id, checkpoint.seq);
  if (typeof key === 'string') return key;
  const { signature, ...statement } = checkpoint;
  const bytes = bytesFromBase64(signature, SIGNATURE_BYTES);
  const isGood = bytes !== undefined && key.verify(checkpointMessage(statement), bytes);
  return isGood ? undefined : 'signature does not verify';
}
