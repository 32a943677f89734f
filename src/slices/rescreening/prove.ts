/**
 * "This customer was screened against that version": his leaf, its way to the root in a signed
 * entry of the tenant's chain, and nothing of any other customer but hashes. The file and the
 * public keys suffice to verify it.
 */
import {
  type AuditStore,
  chainKeys,
  checkEvent,
  EventRefused,
  entryPages,
  signatureMessage,
  storedMembers,
  wordEvent,
} from '#core/audit';
import type { BlobStore } from '#core/blobs';
import { type ChainId, chainOf, DomainError, type Tables, type TenantId } from '#core/kernel';
import { inclusionProof, isIncluded, leafHash } from '#platform/merkleTree';
import { subjectKeyOfRef } from '#slices/screening';
import { type RescreeningChunk, rescreenedTable, runTable } from './tables.ts';

/** What a stranger is handed. */
export interface RescreeningProof {
  readonly type: 'rescreening-proof';
  readonly version: 1;
  /** `SANCTIONS_RESCREENED` as it is in the chain, without its open members. */
  readonly event: Readonly<Record<string, unknown>>;
  /** The text, since its bytes are the leaf. */
  readonly leaf: string;
  readonly leaf_index: number;
  readonly leaf_count: number;
  /** Hashes beside the way up, the lowest first, hex. */
  readonly path: readonly string[];
}

/** What proofs are cut from. */
export interface ProvePorts {
  readonly audit: Pick<AuditStore, 'readEvents'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly tables: Pick<Tables, 'find' | 'page'>;
}

/** Whom, and in which run; without one, in the last that looked at him. */
export interface ProveAsk {
  readonly tenantId: TenantId;
  readonly subjectRef: string;
  readonly runId?: string;
}

const RUNS_LOOKED_AT = 100;
const CHUNKS_PAGE = 1_000;

/** Throws `not-found` where no such run has looked at the customer. */
export async function proveRescreening(
  ports: ProvePorts,
  { runId, subjectRef, tenantId }: ProveAsk,
): Promise<RescreeningProof> {
  const subjectId = subjectKeyOfRef(tenantId, subjectRef);
  const { records: runs } = await ports.tables.page(runTable, {
    direction: 'descending',
    equal: { tenantId },
    index: 'newest',
    limit: RUNS_LOOKED_AT,
  });
  for (const run of runs) {
    if (runId !== undefined && run.runId !== runId) continue;
    const proof = await inRun(ports, { runId: run.runId, subjectId, tenantId });
    if (proof !== undefined) return proof;
  }
  throw new DomainError('not-found', { detail: 'no such run has looked at this customer' });
}

interface InRun {
  readonly tenantId: TenantId;
  readonly runId: string;
  readonly subjectId: string;
}

async function inRun(ports: ProvePorts, of: InRun): Promise<RescreeningProof | undefined> {
  const { runId, subjectId, tenantId } = of;
  let after: readonly (string | number | boolean)[] | undefined;
  do {
    const page = await ports.tables.page(rescreenedTable, {
      equal: { runId, tenantId },
      index: 'key',
      limit: CHUNKS_PAGE,
      ...(after !== undefined && { after }),
    });
    const chunk = page.records.find(({ from, to }) => from <= subjectId && subjectId <= to);
    if (chunk !== undefined) return inChunk(ports, chunk, subjectId);
    after = page.next;
  } while (after !== undefined);
  return undefined;
}

async function inChunk(
  ports: ProvePorts,
  chunk: RescreeningChunk,
  subjectId: string,
): Promise<RescreeningProof | undefined> {
  const bytes = await ports.blobs.get(chunk.leaves);
  if (bytes === undefined) throw new DomainError('blob-damaged', { detail: 'leaves are gone' });
  const texts = Buffer.from(bytes).toString().split('\n').slice(0, -1);
  const index = texts.findIndex((text) => text.includes(`"subject_id":"${subjectId}"`));
  const leaf = texts[index];
  if (leaf === undefined) return undefined;
  const leaves = texts.map(leafHash);
  return {
    event: await entryOf(ports, chunk),
    leaf,
    leaf_count: leaves.length,
    leaf_index: index,
    path: inclusionProof(leaves, index).map((hash) => hash.toString('hex')),
    type: 'rescreening-proof',
    version: 1,
  };
}

async function entryOf({ audit }: ProvePorts, { chunkNo, runId, tenantId }: RescreeningChunk) {
  const range = { action: 'SANCTIONS_RESCREENED', chainId: chainOf(tenantId), fromSeq: 1 };
  for await (const page of entryPages(audit, range)) {
    for (const event of page) {
      const members = storedMembers(event);
      if (members.run_id === runId && members.chunk_no === chunkNo) return members;
    }
  }
  throw new DomainError('evidence-altered', { detail: `chunk ${chunkNo}: its entry is gone` });
}

/** What a proof says, once it is verified. */
export interface ProvenRescreening {
  readonly tenantId: string;
  readonly subjectId: string;
  readonly decision: string;
  readonly listVersion: string;
  readonly occurredAt: string;
  readonly seq: number;
}

/** What is wrong with the file, in words; or what it proves. */
export type CheckedRescreening =
  | { readonly ok: true; readonly value: ProvenRescreening }
  | { readonly ok: false; readonly reason: string };

const refused = (reason: string): CheckedRescreening => ({ ok: false, reason });
const HEX = /^[0-9a-f]{64}$/;
const PATH_MAX = 64;

/**
 * Verifies a proof by the public keys alone. `subjectRef`: it must be about this customer. Throws
 * KeyError where the keys cannot be read; bad content of the file never throws.
 */
export function verifyRescreening(
  value: unknown,
  keys: unknown,
  subjectRef?: string,
): CheckedRescreening {
  const proof = shapeOf(value);
  if (proof === undefined) return refused('expected a proof of a re-screening, version 1');
  try {
    const worded = wordEvent(proof.event);
    const chainId = String(worded.event.tenant_id) as ChainId;
    const { hash, keyId, seq, signature } = checkEvent(worded, chainId);
    const key = chainKeys(keys, chainId).forEvent(keyId, seq);
    if (typeof key === 'string') return refused(`event: ${key}`);
    if (!key.verify(signatureMessage(hash), signature)) {
      return refused('event: signature does not verify');
    }
    const { action, list_version, merkle_root, occurred_at } = worded.event;
    if (action !== 'SANCTIONS_RESCREENED') return refused('event: not about customers');
    const root = Buffer.from(String(merkle_root), 'hex');
    const path = proof.path.map((hash) => Buffer.from(hash, 'hex'));
    const place = { index: proof.leaf_index, proof: path, size: proof.leaf_count };
    if (!isIncluded(root, leafHash(proof.leaf), place)) {
      return refused('leaf: not under the root that was signed');
    }
    const leaf = JSON.parse(proof.leaf) as { readonly decision: string; subject_id: string };
    const tenantId = chainId as string as TenantId;
    if (subjectRef !== undefined && subjectKeyOfRef(tenantId, subjectRef) !== leaf.subject_id) {
      return refused('leaf: about another customer');
    }
    return {
      ok: true,
      value: {
        decision: leaf.decision,
        listVersion: String(list_version),
        occurredAt: String(occurred_at),
        seq,
        subjectId: leaf.subject_id,
        tenantId,
      },
    };
  } catch (error) {
    if (error instanceof EventRefused || error instanceof SyntaxError) {
      return refused(error.message);
    }
    throw error;
  }
}

function shapeOf(value: unknown): RescreeningProof | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { event, leaf, leaf_count, leaf_index, path, type, version } = value as Partial<
    Record<keyof RescreeningProof, unknown>
  >;
  const isShaped =
    type === 'rescreening-proof' &&
    version === 1 &&
    typeof event === 'object' &&
    typeof leaf === 'string' &&
    Number.isSafeInteger(leaf_count) &&
    Number.isSafeInteger(leaf_index) &&
    Array.isArray(path) &&
    path.length <= PATH_MAX &&
    path.every((hash) => typeof hash === 'string' && HEX.test(hash));
  return isShaped ? (value as RescreeningProof) : undefined;
}
