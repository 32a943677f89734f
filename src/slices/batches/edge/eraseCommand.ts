/**
 * `batch erase`: subjects of one batch, by their places or by the reference under which they came,
 * or of all batches of a tenant by that reference. What it prints is the receipt: what was erased,
 * by which entries of the chain, what is kept by duty until when, and which batches must be asked
 * again. It is printed also where a later batch fails.
 */
import type { Actor } from '#core/audit';
import { type BatchId, DomainError, isConflict } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  type Batch,
  type EraseSubjectsPorts,
  eraseSubjects,
  everyBatch,
  isPending,
  isRejected,
  ordinalsOf,
  retainedUntil,
} from '#slices/batches';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import type { SliceCommand } from '../../processes.ts';
import { erasurePortsOf } from './erasurePorts.ts';

const ORDINALS = /^\d{1,8}(,\d{1,8}){0,199}$/;

/** What became of one batch. */
interface Receipt {
  readonly batch_id: string;
  /** `pending`: it still runs, and may have the subject; `conflict`: it was refused. */
  readonly state: 'erased' | 'kept' | 'pending' | 'conflict';
  /** None where only rejected rows came under the reference. */
  readonly ordinals: readonly number[];
  /** Seq of the entry; absent where nothing was erased. */
  readonly erased_seq?: number;
  /** Until when they are kept, where they cannot be erased. */
  readonly kept_until?: string;
  /** Why it was refused. */
  readonly detail?: string;
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
      const ask = { actor, named, reason: given.value('reason') };
      try {
        for await (const batch of batchesOf(ports, given)) {
          const made = await receiptsOf(ports, batch, ask);
          receipts.push(...made);
          const isErased = made.some(({ state }) => state === 'erased');
          if (isErased) await installation.wake('batches', batch.batchId);
        }
      } finally {
        // What is erased stays so, also where a later batch fails.
        const text = receipts.map(inWords).join('\n');
        if (receipts.length > 0) output.result({ batches: receipts }, text);
      }
      if (receipts.length === 0) throw new DomainError('not-found', { detail: 'no such subject' });
      return receipts.some(isOpen) ? EXIT.refused : EXIT.done;
    },
  },
];

const isOpen = ({ state }: Receipt): boolean => state === 'pending' || state === 'conflict';

type Named = ReturnType<typeof namedBy>;

interface Ask {
  readonly actor: Actor;
  readonly named: Named;
  readonly reason: string;
}

async function receiptsOf(
  ports: EraseSubjectsPorts,
  batch: Batch,
  { actor, named, reason }: Ask,
): Promise<readonly Receipt[]> {
  const { batchId: batch_id, lineVersion } = batch;
  const { subject } = named;
  // Before the search: what is screened meanwhile is found, or the batch is asked again.
  const isLater =
    subject !== undefined && lineVersion !== undefined && (await isPending(ports, batch));
  const pending = isLater ? [{ batch_id, ordinals: [], state: 'pending' as const }] : [];
  if (isLater && batch.chunksTotal === undefined) return pending;
  const ordinals = named.ordinals ?? (await ordinalsOf(ports, batch, named.subject));
  if (lineVersion === undefined) return keptOf(ports, batch, ordinals);
  const externalIds = subject === undefined ? [] : [subject];
  const isThere =
    ordinals.length > 0 || (subject !== undefined && (await isRejected(ports, batch, subject)));
  if (!isThere) return pending;
  try {
    const erased = await eraseSubjects(ports, { actor, batch, externalIds, ordinals, reason });
    const { seq: erased_seq } = erased;
    return [{ batch_id, erased_seq, ordinals: erased.ordinals, state: 'erased' }, ...pending];
  } catch (error) {
    // The refusal is the answer where one batch and places of it were named.
    if (subject === undefined || !isConflict(error)) throw error;
    return [{ batch_id, detail: error.message, ordinals, state: 'conflict' }];
  }
}

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
  yield* everyBatch(ports, tenantId);
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
    receipts.push({ batch_id: batch.batchId, kept_until, ordinals: [ordinal], state: 'kept' });
  }
  return receipts;
}

function inWords({ batch_id, detail, erased_seq, kept_until, ordinals, state }: Receipt): string {
  const who = ordinals.length > 0 ? `ordinals ${ordinals.join(', ')}` : 'rejected rows';
  const what = {
    conflict: `${who} not erased: ${detail}`,
    erased: `${who} erased, by event ${erased_seq} of the chain`,
    kept: `${who} kept by duty until ${kept_until}`,
    pending: 'pending: it still runs, and may have the subject; ask again when it has ended',
  };
  return `${batch_id}: ${what[state]}`;
}
