/** The work of sanctions in a worker: register, verification of chains, replays. */
import type { Subscriber } from '#core/reactions';
import { isProcessGone } from '#core/work';
import { ChainWalks, RegisterFill } from '#slices/sanctions';
import type { JobPurposes, RunningWork, WorkerProcess } from '../../processes.ts';
import { chainBreaksOf, sanctionsPartsOf } from './parts.ts';
import { startReplays } from './replayWork.ts';

export const purposes: JobPurposes = {
  'chain-walk': 'audit',
  'screening-register': 'screening',
  start: 'screening',
};

/** What no event tells of: screenings of before there was a register. */
const FILL_EVERY_MS = 5_000;
/** How soon it is seen that the time of a chain has come. */
const WALK_LOOK_EVERY_MS = 30_000;

export const subscribers = (process: WorkerProcess): readonly Subscriber[] => [
  registerSubscriber(process),
  walkSubscriber(process),
];

export function start(process: WorkerProcess): RunningWork {
  const replays = startReplays(process);
  return { stop: () => replays.close(), wake: () => replays.wake() };
}

const goneOf =
  ({ holder }: WorkerProcess) =>
  (other: string): boolean =>
    isProcessGone(other, holder);

function registerSubscriber(process: WorkerProcess): Subscriber {
  const { clock, holder, identity, storage } = process;
  const { audit, tables } = storage;
  const fill = new RegisterFill({ audit, clock, holder, isGone: goneOf(process), tables });
  return {
    from: 'now',
    name: 'screening-register',
    sweep: {
      after: ['sanctions.batch.progress'],
      everyMs: FILL_EVERY_MS,
      retryMs: FILL_EVERY_MS,
      run: async (signal) => {
        const tenants = await identity.listTenants();
        const ids = tenants.map(({ id }) => id);
        await fill.sweep(ids, signal);
      },
    },
  };
}

function walkSubscriber(process: WorkerProcess): Subscriber {
  const { clock, holder, storage } = process;
  const { audit, tables } = storage;
  const walks = new ChainWalks({
    ...sanctionsPartsOf(process),
    audit,
    breaks: process.once(chainBreaksOf),
    clock,
    holder,
    isGone: goneOf(process),
    tables,
  });
  return {
    from: 'now',
    name: 'chain-walk',
    sweep: {
      after: ['sanctions.chain.broken'],
      everyMs: WALK_LOOK_EVERY_MS,
      retryMs: WALK_LOOK_EVERY_MS,
      run: async (signal) => void (await walks.sweep(signal)),
    },
  };
}
