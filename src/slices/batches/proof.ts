/**
 * The proof of one subject: his result, cut out of a batch of millions, with what ties it to the
 * chain of the tenant and to the attestation, and nothing of any other subject but hashes.
 *
 *   result line ─ path ─► root of its chunk ═ merkle_root of the chunk's event in the chain
 *                                   └─ path ─► results_root of the signed attestation
 *
 * docs/batch-evidence.md describes the file; verifyProof.ts and a stranger read it.
 */
import assert from 'node:assert/strict';
import { storedMembers } from '#core/audit';
import type { DataKeys } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import { inclusionProof, isIncluded } from '#platform/merkleTree';
import type { Subject } from '#slices/intake';
import type { Attestation } from './attestation.ts';
import { type AttestedPorts, attestationOf } from './attestedFiles.ts';
import type { Batch } from './batch.ts';
import { currentFiles } from './batchFiles.ts';
import type { ProofAnswer } from './chunkQuestions.ts';
import type { ReadingCaller } from './chunkReading.ts';
import type { DoneChunk } from './chunkWalk.ts';
import { chunkLeaf, chunksOf } from './finishBatch.ts';
import type { BatchStore } from './ports.ts';
import type { SignedResults } from './signedResults.ts';

/** A place in a tree of RFC 6962, and the hashes beside the way up, the lowest first, hex. */
export interface TreePlace {
  readonly leaf_index: number;
  readonly leaf_count: number;
  readonly path: readonly string[];
}

export interface SubjectProof {
  readonly type: 'batch-proof';
  /** 2: of a result line of that version. */
  readonly version: 1 | 2;
  readonly attestation: Attestation;
  /** `aml.batch.chunk.screened` as it is in the chain, without its open members. */
  readonly event: Readonly<Record<string, unknown>>;
  /** Place of the result line in its chunk; the event's `merkle_root` is the root. */
  readonly in_chunk: TreePlace;
  /** Place of the chunk's root among those of all chunks; `results_root` is the root. */
  readonly in_results: TreePlace;
  /** The text, since its bytes are the leaf. */
  readonly result: string;
  /** Version 2: what is sealed in the line, and the salt (base64) of its commitment there. */
  readonly subject?: Subject;
  readonly salt?: string;
}

export interface ProofPorts extends AttestedPorts {
  readonly batches: Pick<BatchStore, 'latestIssue' | 'listChunks'>;
  readonly dataKeys: Pick<DataKeys, 'find'>;
  readonly results: Pick<SignedResults, 'check' | 'read'>;
}

/**
 * `signal` ends the search, which may be long, once its answer is not needed; `leftMs` says at any
 * time how long its caller still waits.
 */
export interface ProofAsk {
  readonly externalId: string;
  readonly signal?: AbortSignal;
  readonly leftMs?: () => number;
}

/**
 * The proof of one subject of a batch that has ended well. Throws DomainError `state-conflict` for
 * another batch, `not-found` where it has no such subject, `blob-damaged` where the store has lost
 * a blob that it needs, `results-altered` where something is not what was signed.
 */
export async function proveSubject(
  ports: ProofPorts,
  batch: Batch,
  ask: ProofAsk,
): Promise<SubjectProof> {
  ask.signal?.throwIfAborted();
  if (batch.status !== 'completed' || batch.reports === undefined) {
    throw new DomainError('state-conflict', { detail: `the batch is ${batch.status}: no proofs` });
  }
  const { rejected, reports } = await currentFiles(ports, batch);
  if (reports === undefined) throw new DomainError('state-conflict', { detail: REWRITTEN });
  const { rejected: _, ...rest } = batch;
  const attested = { ...rest, reports, ...(rejected !== undefined && { rejected }) };
  const attestation = await attestationOf(ports, attested);
  return cutProof(ports, { ...ask, attestation, batch });
}

const REWRITTEN = 'the reports are being written again, after an erasure';

interface ProofFrom extends ProofAsk {
  readonly batch: Pick<Batch, 'batchId' | 'tenantId'>;
  readonly attestation: Attestation;
}

/** The same with the attestation at hand. */
export async function cutProof(ports: ProofPorts, from: ProofFrom): Promise<SubjectProof> {
  const { chunk, found } = await findSubject(ports, from);
  const leaves: Buffer[] = [];
  for await (const { result } of chunksOf(ports.batches, from.batch)) {
    from.signal?.throwIfAborted();
    assert(result !== undefined, 'every chunk of a batch that has ended well is done');
    leaves.push(chunkLeaf(result));
  }
  from.signal?.throwIfAborted();
  const { tenantId } = from.batch;
  const inResults = placeOf(leaves, chunk.chunkNo, from);
  const { seq } = await ports.results.check(from.batch, chunk, callerOf(from));
  const event = await ports.audit.findBySeq(chainOf(tenantId), seq);
  assert(event !== undefined, 'an entry that was verified is in the chain');
  return {
    attestation: from.attestation,
    event: storedMembers(event),
    in_chunk: { leaf_count: found.count, leaf_index: found.at, path: found.path },
    in_results: inResults,
    result: found.line,
    type: 'batch-proof',
    ...(found.opened === undefined
      ? { version: 1 as const }
      : { ...found.opened, version: 2 as const }),
  };
}

const callerOf = ({ leftMs, signal }: ProofAsk): ReadingCaller => ({
  deadlineMs: leftMs?.(),
  signal,
});

/** Chunks are read one by one, each in its tenant's turn: nobody waits for a whole search. */
async function findSubject(
  ports: ProofPorts,
  from: ProofFrom,
): Promise<{ readonly chunk: DoneChunk; readonly found: ProofAnswer }> {
  const { batch, externalId, signal } = from;
  for await (const { result, ...chunk } of chunksOf(ports.batches, batch)) {
    signal?.throwIfAborted();
    assert(result !== undefined, 'every chunk of a batch that has ended well is done');
    const done = { ...chunk, result };
    const question = { externalId, what: 'proof' as const };
    const ask = { by: callerOf(from), chunk: done, question };
    const found = await ports.results.read(batch, ask);
    if (found !== undefined) return { chunk: done, found };
  }
  throw new DomainError('not-found', { detail: 'no such subject among the screened ones' });
}

/** Throws `results-altered` where the chunks do not have the root that was attested. */
function placeOf(
  leaves: readonly Buffer[],
  index: number,
  { attestation, batch }: ProofFrom,
): TreePlace {
  const proof = inclusionProof(leaves, index);
  const [leaf, root] = [leaves[index], Buffer.from(attestation.results_root, 'hex')];
  if (leaf === undefined || !isIncluded(root, leaf, { index, proof, size: leaves.length })) {
    const detail = `batch ${batch.batchId}: its chunks do not have the root that was attested`;
    throw new DomainError('results-altered', { detail });
  }
  const path = proof.map((hash) => hash.toString('hex'));
  return { leaf_count: leaves.length, leaf_index: index, path };
}
