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
import type { AuditStore, SealedEvent } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { type ChainId, chainOf, DomainError } from '#core/kernel';
import { inclusionProof, leafHash } from '#platform/merkleTree';
import type { Attestation } from './attestation.ts';
import type { Batch, BatchChunk, ChunkResult } from './batch.ts';
import { chunkLeaf, chunksOf } from './finishBatch.ts';
import type { BatchStore } from './ports.ts';
import { type ChunkFindings, readFindings } from './reportPorts.ts';
import { parseResult } from './resultLine.ts';

/** A place in a tree of RFC 6962, and the hashes beside the way up, the lowest first, hex. */
export interface TreePlace {
  readonly leaf_index: number;
  readonly leaf_count: number;
  readonly path: readonly string[];
}

export interface SubjectProof {
  readonly type: 'batch-proof';
  readonly version: 1;
  readonly attestation: Attestation;
  /** `aml.batch.chunk.screened` as it is in the chain, without its open members. */
  readonly event: Readonly<Record<string, unknown>>;
  /** Place of the result line in its chunk; the event's `merkle_root` is the root. */
  readonly in_chunk: TreePlace;
  /** Place of the chunk's root among those of all chunks; `results_root` is the root. */
  readonly in_results: TreePlace;
  /** The text, since its bytes are the leaf. */
  readonly result: string;
}

/** A hundredth of a second of reading; chains are long. */
const EVENTS_A_PAGE = 500;
/** Clocks of workers differ by less. */
const SKEW_MS = 60_000;

export interface ProofPorts {
  readonly audit: Pick<AuditStore, 'head' | 'findBySeq' | 'readEvents'>;
  readonly batches: Pick<BatchStore, 'listChunks'>;
  readonly blobs: Pick<BlobStore, 'get'>;
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
 * a blob that it needs.
 */
export async function proveSubject(
  ports: ProofPorts,
  batch: Batch,
  ask: ProofAsk,
): Promise<SubjectProof> {
  if (batch.status !== 'completed' || batch.reports === undefined) {
    throw new DomainError('state-conflict', { detail: `the batch is ${batch.status}: no proofs` });
  }
  const { address } = batch.reports.attestation;
  const text = await ports.blobs.get(address);
  if (text === undefined) {
    throw new DomainError('blob-damaged', { detail: `attestation ${address}: not in the store` });
  }
  // The blob store has verified it by its digest, which the chain names.
  const attestation = JSON.parse(Buffer.from(text).toString()) as Attestation;
  return cutProof(ports, { ...ask, attestation, batch });
}

interface ProofFrom extends ProofAsk {
  readonly batch: Pick<Batch, 'batchId' | 'tenantId'>;
  readonly attestation: Attestation;
}

/** The same with the attestation at hand. */
export async function cutProof(ports: ProofPorts, from: ProofFrom): Promise<SubjectProof> {
  const { at, chunk, lines } = await findSubject(ports, from);
  const line = lines[at];
  assert(line !== undefined);
  const leaves: Buffer[] = [];
  for await (const { result } of chunksOf(ports.batches, from.batch)) {
    from.signal?.throwIfAborted();
    assert(result !== undefined, 'every chunk of a batch that has ended well is done');
    leaves.push(chunkLeaf(result));
  }
  from.signal?.throwIfAborted();
  const event = await findChunkEvent(ports.audit, from.batch, chunk);
  return {
    attestation: from.attestation,
    event: JSON.parse(event.body),
    in_chunk: placeOf(lines.map(leafHash), at),
    in_results: placeOf(leaves, chunk.chunkNo),
    result: line.toString(),
    type: 'batch-proof',
    version: 1,
  };
}

async function findSubject(
  ports: ProofPorts,
  { batch, externalId, signal }: ProofFrom,
): Promise<ChunkFindings & { readonly at: number }> {
  for await (const findings of readFindings(ports, batch)) {
    signal?.throwIfAborted();
    const at = placeIn(findings.lines, externalId);
    if (at >= 0) return { ...findings, at };
  }
  throw new DomainError('not-found', { detail: 'no such subject among the screened ones' });
}

function placeOf(leaves: readonly Buffer[], index: number): TreePlace {
  const path = inclusionProof(leaves, index).map((hash) => hash.toString('hex'));
  return { leaf_count: leaves.length, leaf_index: index, path };
}

/**
 * Lines are canonical JSON, so the member has one spelling: a line without it need not be parsed.
 * One with it may belong to another subject, one of whose other members has the same text.
 */
function placeIn(lines: readonly Buffer[], externalId: string): number {
  const member = Buffer.from(`"external_id":${JSON.stringify(externalId)}`);
  return lines.findIndex(
    (line) => line.includes(member) && parseResult(line).external_id === externalId,
  );
}

/**
 * The chunk's entry. A chain is not indexed by what its entries are about, but its times ascend
 * nearly: it is sought from just before the chunk was done, and only then from the beginning.
 */
export async function findChunkEvent(
  audit: ProofPorts['audit'],
  batch: Pick<Batch, 'batchId' | 'tenantId'>,
  chunk: Pick<BatchChunk, 'chunkNo'> & { readonly result: Pick<ChunkResult, 'completedAt'> },
): Promise<SealedEvent> {
  const chainId = chainOf(batch.tenantId);
  const { seq: headSeq } = await audit.head(chainId);
  const since = chunk.result.completedAt - SKEW_MS;
  const near = await firstSince({ audit, chainId }, { headSeq, since });
  const isIt = (event: SealedEvent): boolean => isEventOf(event, batch.batchId, chunk.chunkNo);
  const found =
    (await firstOf({ audit, chainId }, { fromSeq: near, isIt, toSeq: headSeq })) ??
    (await firstOf({ audit, chainId }, { fromSeq: 1, isIt, toSeq: near - 1 }));
  if (found !== undefined) return found;
  throw new DomainError('not-found', {
    detail: `chunk ${chunk.chunkNo} has no entry in the chain`,
  });
}

interface Chain {
  readonly audit: ProofPorts['audit'];
  readonly chainId: ChainId;
}

/** The first seq whose event occurred at `since` or later, as if times ascended. */
async function firstSince(
  { audit, chainId }: Chain,
  { headSeq, since }: { readonly headSeq: number; readonly since: number },
): Promise<number> {
  let [low, high] = [1, headSeq + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await audit.findBySeq(chainId, middle);
    if (event !== undefined && event.occurredAt < since) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function firstOf(
  { audit, chainId }: Chain,
  range: {
    readonly fromSeq: number;
    readonly toSeq: number;
    readonly isIt: (event: SealedEvent) => boolean;
  },
): Promise<SealedEvent | undefined> {
  for (let fromSeq = range.fromSeq; fromSeq <= range.toSeq; ) {
    const page = await audit.readEvents({ chainId, fromSeq, limit: EVENTS_A_PAGE });
    const found = page.find(range.isIt);
    if (found !== undefined || page.length === 0) return found;
    fromSeq = (page.at(-1)?.seq ?? range.toSeq) + 1;
  }
  return undefined;
}

function isEventOf({ action, body }: SealedEvent, batchId: string, chunkNo: number): boolean {
  if (action !== 'aml.batch.chunk.screened' || !body.includes(batchId)) return false;
  const { chunk_no, target } = JSON.parse(body) as Record<string, unknown>;
  return target === batchId && chunk_no === chunkNo;
}
