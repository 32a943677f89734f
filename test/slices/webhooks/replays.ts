/** Orders of many replays, done as workers do it, step by step on a clock that is moved. */
import type { Tables } from '#core/kernel';
import { Hold, LeaseWatch } from '#core/work';
import {
  type BulkReplayAsk,
  findReplay,
  orderReplay,
  type ReplayJob,
  replayStep,
  replayTable,
  TenantTokens,
} from '#slices/webhooks';
import { freeLimiter } from '../../workers/quietWorker.ts';
import { TENANT, type WebhookHouse } from './webhookHouse.ts';

export const TIMES = { leaseMs: 20_000, renewMs: 5_000 };

interface StepOptions {
  readonly holder?: string;
  readonly tables?: Tables;
  readonly perSecond?: number;
  readonly tokens?: Pick<TenantTokens, 'giveBack' | 'take'>;
}

/** One step of whichever order is due; false where none is. */
export async function oneStep(house: WebhookHouse, options: StepOptions = {}): Promise<boolean> {
  const { clock, tables: stored } = house;
  const { holder = 'worker', perSecond = 100, tables = stored } = options;
  const { tokens = new TenantTokens(freeLimiter, clock, 'replays') } = options;
  const ask = { holder, lane: [TENANT], limit: 1, now: clock.now() };
  const [leased] = await tables.lease(replayTable, ask);
  if (leased === undefined) return false;
  const hold = new Hold({ clock, tables }, replayTable, leased, { times: TIMES });
  const ports = { ...house, perSecondOf: async () => perSecond, tables, tokens, wake: () => {} };
  await replayStep(ports, hold).finally(() => hold.end());
  return true;
}

/** Frees rows of workers whose names begin with `dead`. */
export async function freeDead({ clock, tables }: WebhookHouse): Promise<void> {
  const isGone = (holder: string): boolean => holder.startsWith('dead');
  const watch = new LeaseWatch({
    clock,
    holder: 'worker',
    isGone,
    leaseMs: TIMES.leaseMs,
    table: replayTable,
    tables,
  });
  await watch.free(await watch.silent());
}

/** Orders, and has it done to its end. */
export async function replayMany(house: WebhookHouse, ask: BulkReplayAsk): Promise<ReplayJob> {
  const { replayJobId } = await orderReplay(house, ask);
  for (;;) {
    const job = await findReplay(house, { replayJobId, tenantId: TENANT });
    if (job.state !== 'running') return job;
    if (!(await oneStep(house))) house.clock.advance(250);
  }
}
