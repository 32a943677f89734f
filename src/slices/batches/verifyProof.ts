/**
 * Verifies the proof of one subject offline: the file and the public keys are enough. It trusts
 * nothing of ours but the keys, and reads everything by docs/batch-evidence.md.
 */
import { chainKeys, checkEvent, EventRefused, signatureMessage, wordEvent } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { bytesFromBase64, constantTimeEqual, sha256Hex } from '#platform/crypto';
import { isIncluded, leafHash } from '#platform/merkleTree';
import {
  type Attestation,
  type Checked,
  parsed,
  refused,
  type VerifyHow,
  verifyAttestationValue,
} from './attestation.ts';
import type { SubjectProof, TreePlace } from './proof.ts';
import type { SubjectResult } from './resultLine.ts';

export interface ProvenResult {
  readonly attestation: Attestation;
  readonly result: SubjectResult;
  /** Place of the chunk's event in the tenant's chain. */
  readonly seq: number;
}

const HEX_HASH = /^[0-9a-f]{64}$/;
/** Hashes in a path of a tree with 2^53 leaves, and some more. */
const PATH_MAX = 64;
const SALT_BYTES = 16;

/** Throws KeyError where the keys cannot be read; bad content of the file never throws. */
export function verifyProof(
  bytes: Uint8Array,
  keys: unknown,
  how?: VerifyHow,
): Checked<ProvenResult> {
  const value = parsed(bytes);
  return value === undefined ? refused('not JSON') : verifyProofValue(value, keys, how);
}

/** The same for a document that was parsed already, strictly. */
export function verifyProofValue(
  value: unknown,
  keys: unknown,
  how: VerifyHow = {},
): Checked<ProvenResult> {
  const proof = shapeOf(value);
  if (proof === undefined) return refused('expected a proof of version 1 or 2');
  const attested = verifyAttestationValue(proof.attestation, keys, how);
  if (!attested.ok) return refused(`attestation: ${attested.reason}`);
  const event = checkChunkEvent(proof.event, attested.value, keys);
  if (!event.ok) return refused(`event: ${event.reason}`);
  const result = readResult(proof);
  if (result === undefined) return refused('result: not a result line');
  const reason = refuseTrees(proof, { attestation: attested.value, event: event.value, result });
  if (reason !== undefined) return refused(reason);
  return { ok: true, value: { attestation: attested.value, result, seq: event.value.seq } };
}

function shapeOf(value: unknown): SubjectProof | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const proof = value as Partial<Record<keyof SubjectProof, unknown>>;
  const isShaped =
    proof.type === 'batch-proof' &&
    (proof.version === 1 || proof.version === 2) &&
    typeof proof.result === 'string' &&
    isPlace(proof.in_chunk) &&
    isPlace(proof.in_results);
  return isShaped ? (value as SubjectProof) : undefined;
}

function isPlace(value: unknown): value is TreePlace {
  if (typeof value !== 'object' || value === null) return false;
  const { leaf_count, leaf_index, path } = value as Partial<Record<keyof TreePlace, unknown>>;
  return (
    typeof leaf_count === 'number' &&
    typeof leaf_index === 'number' &&
    Array.isArray(path) &&
    path.length <= PATH_MAX &&
    path.every((hash) => typeof hash === 'string' && HEX_HASH.test(hash))
  );
}

interface ChunkEvent {
  readonly seq: number;
  readonly chunkNo: number;
  readonly subjects: number;
  readonly root: Buffer;
}

/** It is an event of the tenant's chain, whole and signed, and it is about a chunk of the batch. */
function checkChunkEvent(
  value: unknown,
  attestation: Attestation,
  keys: unknown,
): Checked<ChunkEvent> {
  try {
    const worded = wordEvent(value);
    const { hash, keyId, seq, signature } = checkEvent(worded, attestation.tenant_id);
    const ring = chainKeys(keys, attestation.tenant_id as ChainId);
    const key = ring.forEvent(keyId, seq);
    if (typeof key === 'string') return refused(key);
    const { occurred_at } = worded.event;
    const dated = ring.forDocument(keyId, { at: String(occurred_at), seq });
    if (typeof dated === 'string') return refused(dated);
    const place = attestation.chain?.seq;
    if (place !== undefined && seq > place) return refused('is later than the attestation');
    if (!key.verify(signatureMessage(hash), signature)) return refused('signature does not verify');
    const { action, chunk_no, merkle_root, subjects, target } = worded.event;
    if (action !== 'aml.batch.chunk.screened' || target !== attestation.batch_id) {
      return refused('is not about a chunk of this batch');
    }
    if (typeof merkle_root !== 'string' || !HEX_HASH.test(merkle_root)) {
      return refused('has no merkle_root');
    }
    const root = Buffer.from(merkle_root, 'hex');
    return {
      ok: true,
      value: { chunkNo: Number(chunk_no), root, seq, subjects: Number(subjects) },
    };
  } catch (error) {
    if (error instanceof EventRefused) return refused(error.message);
    throw error;
  }
}

function readResult(proof: SubjectProof): SubjectResult | undefined {
  const line = parsed(Buffer.from(proof.result));
  if (typeof line !== 'object' || line === null) return undefined;
  const value = proof.version === 1 ? line : openedLine(line, proof);
  const { external_id, ordinal } = (value ?? {}) as Partial<Record<keyof SubjectResult, unknown>>;
  const isOne = typeof external_id === 'string' && typeof ordinal === 'number';
  return isOne ? (value as SubjectResult) : undefined;
}

/** A line of version 2 with what the proof says was sealed in it; undefined where it was not. */
function openedLine(line: object, { salt = '', subject }: SubjectProof): object | undefined {
  const { commitment, version } = line as { readonly commitment?: unknown; version?: unknown };
  const bytes = bytesFromBase64(salt, SALT_BYTES);
  if (version !== 2 || typeof commitment !== 'string' || bytes === undefined) return undefined;
  if (typeof subject !== 'object' || subject === null) return undefined;
  const committed = sha256Hex(Buffer.concat([bytes, Buffer.from(canonicalJson(subject))]));
  if (!constantTimeEqual(committed, commitment)) return undefined;
  return { ...line, external_id: subject.external_id, salt, subject };
}

/** Why the line is not where it is said to be; undefined where it is. */
function refuseTrees(
  proof: SubjectProof,
  read: {
    readonly attestation: Attestation;
    readonly event: ChunkEvent;
    readonly result: SubjectResult;
  },
): string | undefined {
  const { attestation, event, result } = read;
  const { in_chunk, in_results } = proof;
  if (in_chunk.leaf_count !== event.subjects) return 'in_chunk: not the size of its event';
  if (in_results.leaf_count !== attestation.chunks) return 'in_results: not the attested size';
  if (in_results.leaf_index !== event.chunkNo) return 'in_results: not the chunk of its event';
  const ordinal = event.chunkNo * attestation.chunk_subjects + in_chunk.leaf_index;
  if (result.ordinal !== ordinal) return 'result: not the subject of its place';
  if (!isAt(event.root, leafHash(proof.result), in_chunk)) {
    return 'in_chunk: the path does not lead to the merkle_root of the event';
  }
  const resultsRoot = Buffer.from(attestation.results_root, 'hex');
  return isAt(resultsRoot, leafHash(event.root), in_results)
    ? undefined
    : 'in_results: the path does not lead to the attested results_root';
}

function isAt(root: Uint8Array, leaf: Uint8Array, { leaf_count, leaf_index, path }: TreePlace) {
  const proof = path.map((hash) => Buffer.from(hash, 'hex'));
  return isIncluded(root, leaf, { index: leaf_index, proof, size: leaf_count });
}
