/**
 * A worker of batches as the product has it, without Redis. With DIE_AT it kills itself with -9
 * before or after the call of a port that is named, the DIE_TIMES'th time. Tells its parent once it
 * looks for work; and, where it is to die `during screen`, once a thread is at work on a chunk, for
 * the parent to kill it.
 */
import type { Commit } from '#core/audit';
import { isProcessGone } from '#core/work';
import { type BatchWorkPorts, chunkTable } from '#slices/batches';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import type { ReleasableIndex } from '../../../src/slices/batches/heldIndexes.ts';
import { openAt } from '../ingestion/listPublisher.ts';
import { openBatches } from './workParts.ts';

const { DATA_DIR = '', DIE_AT = '', DIE_TIMES = '1', SAY } = process.env;
const quiet = (): void => {};
const say = (fields: object, text: string): void => {
  if (SAY === '1') process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);
};

let left = Number(DIE_TIMES);
function dieAt(point: string): void {
  if (point !== DIE_AT || --left > 0) return;
  process.kill(process.pid, 'SIGKILL');
  // Nothing goes on until the signal has come.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const around =
  <Of extends readonly unknown[], Answer>(name: string, call: (...of: Of) => Promise<Answer>) =>
  async (...of: Of): Promise<Answer> => {
    dieAt(`before ${name}`);
    const answer = await call(...of);
    dieAt(`after ${name}`);
    return answer;
  };

/** Processor time of all threads but this one that says so much of one is spent on a chunk. */
const UNDER_WAY_MICROS = 20_000;
const LOOK_MS = 2;

function microsBeside(): number {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  return all.user + all.system - own.user - own.system;
}

/** From the DIE_TIMES'th on, by when a thread has started; earlier ones are not looked at. */
async function watched<Answer>(screening: Promise<Answer>): Promise<Answer> {
  if (DIE_AT !== 'during screen' || --left > 0) return screening;
  const since = microsBeside();
  const timer = setInterval(() => {
    if (microsBeside() - since > UNDER_WAY_MICROS) process.send?.('under way');
  }, LOOK_MS);
  return screening.finally(() => clearInterval(timer));
}

/** By what the commit says of the batch. */
function nameOf({ changes, events }: Commit): string {
  const isChunk = changes.some((change) => 'table' in change && change.table === chunkTable.name);
  return isChunk ? 'chunk' : String(events.at(-1)?.action?.split('.').at(-1));
}

function mortal(ports: BatchWorkPorts<ReleasableIndex>): BatchWorkPorts<ReleasableIndex> {
  const { tables, threads } = ports;
  return {
    ...ports,
    commit: (chainId, commit) => around(nameOf(commit), () => ports.commit(chainId, commit))(),
    tables: {
      ...tables,
      lease: async (table, ask) => {
        const leased = await tables.lease(table, ask);
        if (leased.length > 0) dieAt('after leaseChunk');
        return leased;
      },
    },
    threads: {
      atOnce: threads.atOnce,
      screen: around('screen', (ask, signal) => watched(threads.screen(ask, signal))),
    },
    writeReports: around('writeReports', (batch, signal) => ports.writeReports(batch, signal)),
  };
}

const installation = await openAt(DATA_DIR, 'worker');
const { ports } = await openBatches(installation);
startBatchRunner({
  holder: installation.holder,
  isGone: (holder) => isProcessGone(holder, installation.holder),
  log: { debug: quiet, error: say, info: quiet, isDebug: () => false, warn: say },
  ports: mortal(ports),
});
process.send?.('working');
