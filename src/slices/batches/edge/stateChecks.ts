/**
 * Check of batches for `doctor`: each record is what its entries say, completed ones with the root
 * over their chunks, people's decisions are those of their entries, and no batch that was ordered
 * is gone.
 */
import { entryPages, lookSettled, refusalsIn, storedMembers, tellRefusals } from '#core/audit';
import { identityStore } from '#core/identity';
import { type BatchId, chainOf, DomainError, everyRecord, type TenantId } from '#core/kernel';
import { merkleRoot } from '#platform/merkleTree';
import {
  type Batch,
  type BatchStore,
  batchStore,
  batchTable,
  chunkLeaf,
  chunksOf,
  type HitReview,
  lastDecisions,
  type SignedResults,
  signedResults,
} from '#slices/batches';
import type { CliProcess, SliceCheck } from '../../processes.ts';

export const checks: readonly SliceCheck[] = [
  { isOfState: true, look: checkBatches, name: 'batches' },
];

interface Parts {
  readonly batches: BatchStore;
  readonly process: Pick<CliProcess, 'blobs' | 'dataKeys' | 'keyRing' | 'storage'>;
  readonly results: SignedResults;
}

export async function checkBatches(process: Parts['process']): Promise<string> {
  const { audit, tables } = process.storage;
  const parts: Parts = {
    batches: batchStore(tables),
    process,
    results: signedResults({ ...process, audit }),
  };
  const refusals: string[] = [];
  let total = 0;
  for (const { id: tenantId } of await identityStore(tables).listTenants()) {
    const records = everyRecord(tables, batchTable, { equal: { tenantId }, index: 'byKind' });
    const found = await refusalsIn(records, (batch) => checkBatch(parts, batch));
    const gone = await refusalsIn(ordered(parts, tenantId), async (batchId) => {
      if (await parts.batches.findBatch({ batchId, tenantId })) return;
      throw new DomainError('results-altered', { detail: `batch ${batchId}: its record is gone` });
    });
    total += found.count;
    refusals.push(...found.refusals, ...gone.refusals, ...(await checkReviews(parts, tenantId)));
  }
  return tellRefusals(refusals, `${total} batches are what was signed`);
}

/** What is wrong with people's decisions of hits. */
async function checkReviews(
  { batches, process }: Parts,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const { keyRing, storage } = process;
  const last = await lastDecisions({ audit: storage.audit, keyRing }, tenantId);
  const refusals = [...last.refusals];
  const ask = { equal: { tenantId }, index: 'byKind' };
  for await (const { batchId } of everyRecord(storage.tables, batchTable, ask)) {
    for (let after: HitReview | undefined; ; ) {
      const page = await batches.listReviews({ batchId, limit: 1_000, ...(after && { after }) });
      refusals.push(...page.flatMap((review) => last.refusalOf(review) ?? []));
      after = page.at(-1);
      if (page.length < 1_000) break;
    }
  }
  return [...refusals, ...last.gone()];
}

async function* ordered({ process }: Parts, tenantId: TenantId): AsyncGenerator<BatchId> {
  const range = { action: 'aml.batch.created', chainId: chainOf(tenantId), fromSeq: 1 };
  for await (const page of entryPages(process.storage.audit, range)) {
    for (const event of page) yield storedMembers(event).target as BatchId;
  }
}

async function checkBatch({ batches, process, results }: Parts, batch: Batch): Promise<void> {
  const look = async () => {
    const found = await batches.findBatch(batch);
    const { refusals } = await refusalsIn(found ? [found] : [], results.checkRecord);
    return { chainId: chainOf(batch.tenantId), found, refusal: refusals[0] };
  };
  const { refusal } = await lookSettled(process.storage.audit, look);
  if (refusal !== undefined) throw new DomainError('results-altered', { detail: refusal });
  if (batch.status === 'completed') await checkRoot(batches, batch);
}

async function checkRoot(batches: BatchStore, batch: Batch): Promise<void> {
  const leaves: Buffer[] = [];
  for await (const { result } of chunksOf(batches, batch)) {
    if (result !== undefined) leaves.push(chunkLeaf(result));
  }
  if (merkleRoot(leaves).toString('hex') === batch.resultsRoot) return;
  const detail = `batch ${batch.batchId}: its chunks are not what was signed at its end`;
  throw new DomainError('results-altered', { detail });
}
