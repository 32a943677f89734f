/** Where in its chain an event stood that is gone: the first gap from about its time on. */
import { type AuditStore, seqSince } from '#core/audit';
import type { ChainId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

const STEP_EVENTS = 500;
/** Events that are looked through: clocks that differ put no more between. */
const EVENTS_MAX = 5_000;

/** Undefined: no event is missing there. */
export async function seqOfMissing(
  audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>,
  chainId: ChainId,
  at: EpochMs,
): Promise<number | undefined> {
  let expected = await seqSince(audit, chainId, at);
  for (let read = 0; read < EVENTS_MAX; read += STEP_EVENTS) {
    const ask = { chainId, fromSeq: expected, limit: STEP_EVENTS };
    const events = await audit.readEvents(ask);
    for (const { seq } of events) {
      if (seq !== expected) return expected;
      expected++;
    }
    if (events.length < STEP_EVENTS) return undefined;
  }
  return undefined;
}
