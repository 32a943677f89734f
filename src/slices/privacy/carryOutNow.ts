/** An approved erasure, carried out in this process as a worker does it: by its row's lease. */
import { DomainError, type Tables } from '#core/kernel';
import { Hold, type LeaseTimes } from '#core/work';
import type { Clock } from '#platform/clock';
import { carryOutErasure, type RunOptions, requireErasure } from './carryOutErasure.ts';
import type { ErasePorts } from './erasePorts.ts';
import { type ErasureWork, erasureWorkTable } from './erasureTables.ts';

/** How the row of an erasure is leased. */
export const ERASURE_LEASE: LeaseTimes = { leaseMs: 20_000, renewMs: 5_000 };

/** What a process leases with. */
export interface CarryOutMeans {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly holder: string;
  readonly storage: { readonly tables: Tables };
}

/** Throws `privacy-request-state` where nothing was approved, it is over, or a worker has it. */
export async function carryOutNow(
  ports: ErasePorts,
  { clock, holder, storage: { tables } }: CarryOutMeans,
  place: Pick<ErasureWork, 'requestId' | 'tenantId'>,
  options: RunOptions = {},
): Promise<void> {
  const { requestId, tenantId } = place;
  await requireErasure(ports, place);
  const leased = await tables.claim(erasureWorkTable, { holder, key: { requestId, tenantId } });
  if (leased === undefined) {
    const detail = 'the erasure is over, or a worker has it';
    throw new DomainError('privacy-request-state', { detail });
  }
  const hold = new Hold({ clock, tables }, erasureWorkTable, leased, { times: ERASURE_LEASE });
  try {
    await carryOutErasure(ports, hold, undefined, options);
  } finally {
    await hold.giveBack({ isTried: false });
  }
}
