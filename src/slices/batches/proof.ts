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
import { inclusionProof, leafHash, merkleRoot } from '#platform/merkleTree';
import type { Subject } from '#slices/intake';
import type { Attestation } from './attestation.ts';
import { type AttestedPorts, attestationOf } from './attestedFiles.ts';
import type { Batch } from './batch.ts';
import { currentFiles } from './batchFiles.ts';
import type { ChunkLines } from './chunkLines.ts';
import { chunkLeaf, chunksOf } from './finishBatch.ts';
import type { BatchStore } from './ports.ts';
import { type ChunkFindings, readFindings } from './reportPorts.ts';
import { isSealedLine, type SubjectResult } from './resultLine.ts';
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
  readonly results: SignedResults;
}

/**
 * `signal` ends the search, which may be long, once its answer is not needed; its reason is thrown.
 */
export interface ProofAsk {
  readonly externalId: string;
  readonly signal?: AbortSignal;
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
  const { at, chunk, lines, parse } = await findSubject(ports, from);
  const line = lines[at];
  assert(line !== undefined);
  const leaves: Buffer[] = [];
  for await (const { result } of chunksOf(ports.batches, from.batch)) {
    from.signal?.throwIfAborted();
    assert(result !== undefined, 'every chunk of a batch that has ended well is done');
    leaves.push(chunkLeaf(result));
  }
  from.signal?.throwIfAborted();
  const { batchId, tenantId } = from.batch;
  if (merkleRoot(leaves).toString('hex') !== from.attestation.results_root) {
    const detail = `batch ${batchId}: its chunks do not have the root that was attested`;
    throw new DomainError('results-altered', { detail });
  }
  const { seq } = await ports.results.check(from.batch, chunk);
  const event = await ports.audit.findBySeq(chainOf(tenantId), seq);
  assert(event !== undefined, 'an entry that was verified is in the chain');
  return {
    attestation: from.attestation,
    event: storedMembers(event),
    in_chunk: placeOf(lines.map(leafHash), at),
    in_results: placeOf(leaves, chunk.chunkNo),
    result: line.toString(),
    type: 'batch-proof',
    ...(isSealedLine(line) ? openedParts(parse(line)) : { version: 1 as const }),
  };
}

const openedParts = ({ salt, subject }: SubjectResult) => ({
  salt,
  subject,
  version: 2 as const,
});

async function findSubject(
  ports: ProofPorts,
  { batch, externalId, signal }: ProofFrom,
): Promise<ChunkFindings & { readonly at: number }> {
  for await (const findings of readFindings(ports, batch)) {
    signal?.throwIfAborted();
    const at = placeIn(findings, externalId);
    if (at >= 0) return { ...findings, at };
  }
  throw new DomainError('not-found', { detail: 'no such subject among the screened ones' });
}

function placeOf(leaves: readonly Buffer[], index: number): TreePlace {
  const path = inclusionProof(leaves, index).map((hash) => hash.toString('hex'));
  return { leaf_count: leaves.length, leaf_index: index, path };
}

/**
 * Sealed lines are opened one by one. Others are canonical JSON, so the member has one spelling: a
 * line without it need not be parsed. One with it may belong to another subject, one of whose other
 * members has the same text.
 */
function placeIn({ lines, parse }: ChunkLines, externalId: string): number {
  const member = Buffer.from(`"external_id":${JSON.stringify(externalId)}`);
  return lines.findIndex(
    (line) =>
      (isSealedLine(line) || line.includes(member)) && parse(line).external_id === externalId,
  );
}
