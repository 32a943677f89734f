/**
 * A chain as JSON lines that anyone can verify without us (docs/audit-format.md): a header, the
 * events in order, and a fresh signed checkpoint of the head. It exports what is stored: broken
 * evidence is exported too, and the verifier finds it broken.
 */
import assert from 'node:assert/strict';
import type { ChainId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type Clock, toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { eventText } from './chain.ts';
import { signCheckpoint } from './checkpoint.ts';
import type { AuditStore, Checkpoint } from './ports.ts';

/** Version of the format, in the header; a verifier refuses any other. */
export const EXPORT_VERSION = 1;
/** An event is about 12 KB, so a page is about 2.4 MB. */
const PAGE_EVENTS = 200;

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
}

/** Yields JSON lines, each with its line feed. Ends at the head that the chain had at the start. */
export async function* exportAudit(options: ExportOptions): AsyncGenerator<string> {
  const { store, signer, clock, chainId, after } = options;
  assert(after === undefined || after.tenant_id === chainId, 'a checkpoint of another chain');
  const head = await store.head(chainId);
  const fromSeq = (after?.seq ?? 0) + 1;
  yield line({
    type: 'export',
    version: EXPORT_VERSION,
    tenant_id: chainId,
    from_seq: fromSeq,
    exported_at: toTimestamp(clock.now()),
  });
  if (after) yield checkpointLine(after);
  for (let seq = fromSeq; seq <= head.seq; ) {
    const limit = Math.min(PAGE_EVENTS, head.seq - seq + 1);
    const events = await store.readEvents({ chainId, fromSeq: seq, limit });
    for (const event of events) {
      if (event.seq <= head.seq) yield `{"type":"event","event":${eventText(event)}}\n`;
    }
    const last = events.at(-1);
    if (!last) break; // a cut tail: the checkpoint below says what is missing
    seq = last.seq + 1;
  }
  yield checkpointLine(signCheckpoint(chainId, head, { at: clock.now(), signer }));
}

function checkpointLine(checkpoint: Checkpoint): string {
  return `{"type":"checkpoint","checkpoint":${canonicalJson(checkpoint)}}\n`;
}

function line(value: Readonly<Record<string, string | number>>): string {
  return `${JSON.stringify(value)}\n`;
}
