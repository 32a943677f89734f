/**
 * `batch erase`: subjects of one batch, by their places or by the reference under which they came,
 * or of all batches of a tenant by that reference. What it prints is the receipt: what was erased,
 * by which entries of the chain, and what is kept by duty until when.
 */
import { type BatchId, DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type Batch,
  type EraseSubjectsPorts,
  eraseSubjects,
  ordinalsOf,
  retainedUntil,
} from '#slices/batches';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import type { SliceCommand } from '../../processes.ts';
import { erasurePortsOf } from './erasurePorts.ts';

const BATCHES_A_PAGE = 100;
const ORDINALS = /^\d{1,8}(,\d{1,8}){0,199}$/;

/** What became of one batch. */
interface Receipt {
  readonly batch_id: string;
  readonly ordinals: readonly number[];
  /** Seq of the entry; absent where nothing was erased. */
  readonly erased_seq?: number;
  /** Until when they are kept, where they cannot be erased. */
  readonly kept_until?: string;
}

export const batchEraseCommands: readonly SliceCommand[] = [
  {
    words: 'batch erase',
    summary: 'Erase subjects of batches: results stay, provable, without who they were of',
    options: [
      { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" },
      { name: 'batch', value: 'ID', help: 'else all batches of the tenant' },
      { name: 'subject', value: 'ID', help: 'the external_id under which the subject came' },
      { name: 'ordinals', value: 'N,N', help: 'places in the batch, from 0, instead of --subject' },
      { name: 'reason', value: 'TEXT', required: true, help: 'kept in the entry of the erasure' },
    ],
    example: 'batch erase --tenant 0190… --subject C-1017 --reason request-17',
    async run({ actor, open, output }, given) {
      const named = namedBy(given);
      const installation = await open();
      const ports = erasurePortsOf(installation);
      const receipts: Receipt[] = [];
      for await (const batch of batchesOf(ports, given)) {
        const ordinals = named.ordinals ?? (await ordinalsOf(ports, batch, named.subject));
        const externalIds = named.ordinals === undefined ? [named.subject] : [];
        if (batch.lineVersion === undefined) {
          receipts.push(...(await keptOf(ports, batch, ordinals)));
          continue;
        }
        if (ordinals.length === 0) continue;
        const reason = given.value('reason');
        const erased = await eraseSubjects(ports, { actor, batch, externalIds, ordinals, reason });
        receipts.push({
          batch_id: batch.batchId,
          erased_seq: erased.seq,
          ordinals: erased.ordinals,
        });
        await installation.wake('batches', batch.batchId);
      }
      if (receipts.length === 0) throw new DomainError('not-found', { detail: 'no such subject' });
      output.result({ batches: receipts }, receipts.map(inWords).join('\n'));
      return EXIT.done;
    },
  },
];

function namedBy(
  given: Given,
):
  | { readonly ordinals: readonly number[]; readonly subject?: never }
  | { readonly ordinals?: never; readonly subject: string } {
  const subject = given.optional('subject');
  const ordinals = given.optional('ordinals');
  if ((subject === undefined) === (ordinals === undefined)) {
    throw new UsageError('expected either --subject or --ordinals');
  }
  if (subject !== undefined) return { subject };
  const isList = ordinals !== undefined && ORDINALS.test(ordinals);
  if (!isList) throw new UsageError('--ordinals: expected up to 200 numbers, as 17,204');
  if (!given.isSet('batch')) throw new UsageError('--ordinals are of one --batch');
  return { ordinals: ordinals.split(',').map(Number) };
}

async function* batchesOf(ports: EraseSubjectsPorts, given: Given): AsyncGenerator<Batch> {
  const tenantId = given.value('tenant') as Batch['tenantId'];
  const batchId = given.optional('batch') as BatchId | undefined;
  if (batchId !== undefined) {
    const batch = await ports.batches.findBatch({ batchId, tenantId });
    if (batch === undefined) throw new DomainError('not-found', { detail: 'no such batch' });
    return yield batch;
  }
  for (let last: Batch | undefined; ; ) {
    const before = last && { before: { batchId: last.batchId, requestedAt: last.requestedAt } };
    const page = { limit: BATCHES_A_PAGE, tenantId, ...before };
    const batches: readonly Batch[] = await ports.batches.listBatches(page);
    yield* batches;
    last = batches.at(-1);
    if (batches.length < BATCHES_A_PAGE) return;
  }
}

/** A batch of a former release: its results hold what was sent, under a retention of their own. */
async function keptOf(
  { batches }: EraseSubjectsPorts,
  batch: Batch,
  ordinals: readonly number[],
): Promise<readonly Receipt[]> {
  const receipts: Receipt[] = [];
  for (const ordinal of ordinals) {
    const chunkNo = Math.floor(ordinal / batch.chunkSubjects);
    const chunk = await batches.findChunk(batch.batchId, chunkNo);
    const endedAt = chunk?.result?.completedAt ?? batch.requestedAt;
    const until = retainedUntil(Math.max(endedAt, batch.completedAt ?? 0) as EpochMs);
    const kept_until = toTimestamp(until);
    receipts.push({ batch_id: batch.batchId, kept_until, ordinals: [ordinal] });
  }
  return receipts;
}

const inWords = ({ batch_id, erased_seq, kept_until, ordinals }: Receipt): string =>
  kept_until === undefined
    ? `${batch_id}: ordinals ${ordinals.join(', ')} erased, by event ${erased_seq} of the chain`
    : `${batch_id}: ordinals ${ordinals.join(', ')} kept by duty until ${kept_until}`;
