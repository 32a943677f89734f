/**
 * A chain as JSON lines that anyone can verify without us (docs/audit-format.md): a header, the
 * events in order, and a fresh signed checkpoint of the head. It exports what is stored: broken
 * evidence is exported too, and the verifier finds it broken. But a cut tail would look whole under
 * a fresh signature, so a head behind a known checkpoint is never signed.
 */
import assert from 'node:assert/strict';
import { type ChainId, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type Clock, toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { eventText } from './chain.ts';
import { signCheckpoint } from './checkpoint.ts';
import { storedMembers } from './entrySearch.ts';
import { ERASED_ACTION } from './erasures.ts';
import type { KeyRing } from './keyRing.ts';
import type { AuditStore, ChainHead, Checkpoint, SealedEvent } from './ports.ts';
import { refuseHead } from './refuseHead.ts';

/** Version of the format, in the header; a verifier refuses any other. */
export const EXPORT_VERSION = 1;
/** An event is about 12 KB, so a page is about 2.4 MB. */
const PAGE_EVENTS = 200;
/** A busy chain without the entry that is sought must not be followed for ever. */
const EXTENSIONS_MAX = 3;

/** Which chain to export, from where on, and with what. */
export interface ExportOptions {
  readonly store: AuditStore;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly chainId: ChainId;
  /**
   * Leaves out the events that it covers: the export then begins with it and the event after it.
   */
  readonly after?: Checkpoint;
  /** Checkpoints that are known here of this chain: its head must continue each of them. */
  readonly known?: readonly Checkpoint[];
  /** Keys that verify the entry of a gap; without it a chain that was resumed is refused. */
  readonly keyRing?: KeyRing;
}

/**
 * Yields JSON lines, each with its line feed. Ends at the head that the chain had at the start, or
 * at the entry of an erasure that has met an event meanwhile. Throws `audit-chain-behind` where a
 * known checkpoint is not of this chain as it is stored.
 */
export async function* exportAudit(options: ExportOptions): AsyncGenerator<string> {
  const { store, signer, clock, chainId, after } = options;
  assert(after === undefined || after.tenant_id === chainId, 'a checkpoint of another chain');
  let head = await headOf(options);
  const fromSeq = (after?.seq ?? 0) + 1;
  yield line({
    type: 'export',
    version: EXPORT_VERSION,
    tenant_id: chainId,
    from_seq: fromSeq,
    exported_at: toTimestamp(clock.now()),
  });
  if (after) yield checkpointLine(after);
  const erased = new Set<number>();
  let extensions = 0;
  for (let seq = fromSeq; seq <= head.seq; ) {
    const limit = Math.min(PAGE_EVENTS, head.seq - seq + 1);
    const events = await store.readEvents({ chainId, fromSeq: seq, limit });
    for (const event of events) {
      if (event.seq > head.seq) break;
      noteErasure(erased, event);
      yield `{"type":"event","event":${eventText(event)}}\n`;
    }
    const last = events.at(-1);
    if (!last) break; // a cut tail: the checkpoint below says what is missing
    seq = last.seq + 1;
    // Erased since the export began: the entry that says so stands behind the head of then.
    const isShort = seq > head.seq && erased.size > 0 && extensions++ < EXTENSIONS_MAX;
    if (isShort) head = await store.head(chainId);
  }
  yield checkpointLine(signCheckpoint(chainId, head, { at: clock.now(), signer }));
}

async function headOf(options: ExportOptions): Promise<ChainHead> {
  const { chainId, known = [], store } = options;
  const head = await store.head(chainId);
  for (const checkpoint of known) {
    const refusal = await refuseHead({ ...options, head }, checkpoint);
    if (refusal === undefined) continue;
    throw new DomainError('audit-chain-behind', { detail: `chain ${chainId}: ${refusal}` });
  }
  return head;
}

/** Events without open members that no entry has named yet. */
function noteErasure(erased: Set<number>, event: SealedEvent): void {
  if (event.open === undefined) erased.add(event.seq);
  if (event.action === ERASED_ACTION) erased.delete(Number(storedMembers(event).erased_seq));
}

function checkpointLine(checkpoint: Checkpoint): string {
  return `{"type":"checkpoint","checkpoint":${canonicalJson(checkpoint)}}\n`;
}

function line(value: Readonly<Record<string, string | number>>): string {
  return `${JSON.stringify(value)}\n`;
}
