/**
 * Windows hold accounts of payments. Once something of those was erased, the next windows end the
 * key of the last ones; where no more come, the erasure does it itself.
 */
import { type CommitEvidence, type EntryContext, entry, overwrite } from '#core/audit';
import { chainOf, type Tables, type TenantId } from '#core/kernel';
import type { ErasureOrder, HoldingErasure } from '#core/privacy';
import { rulePositionTable } from './tables.ts';
import { WindowKeeper, type WindowPorts } from './windowKeeper.ts';

/** What windows are ended with. */
export interface EraseWindowsPorts extends EntryContext, WindowPorts {
  readonly commit: CommitEvidence;
  readonly tables: Pick<Tables, 'find' | 'findMany'>;
}

/** Whomever it is about: what was erased is gone of all windows that had it. */
export const erasureOfWindows = (ports: EraseWindowsPorts): HoldingErasure => ({
  erase: ({ tenantId }, order) => overwrite(() => endWindows(ports, tenantId, order)),
  async plan({ tenantId }) {
    const change = await endingOf(ports, tenantId);
    return change === undefined
      ? []
      : [{ action: 'delete', isUntold: true, rows: 1, why: 'no_duty' }];
  },
});

async function endingOf(ports: EraseWindowsPorts, tenantId: TenantId) {
  const position = await ports.tables.find(rulePositionTable, { shard: 0, tenantId });
  return position && new WindowKeeper(ports, tenantId).ending(position);
}

async function endWindows(
  ports: EraseWindowsPorts,
  tenantId: TenantId,
  { actor }: Pick<ErasureOrder, 'actor'>,
): Promise<void> {
  const change = await endingOf(ports, tenantId);
  if (change === undefined) return;
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [change],
    events: [entry(ports, { action: 'aml.rules.windows_ended', actor, target: 'rules:position' })],
  });
}
