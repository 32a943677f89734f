/**
 * A worker of batches as the product has it, without Redis. With DIE_AT it kills itself with -9
 * before or after the call of a port that is named, the DIE_TIMES'th time. Tells its parent once it
 * looks for work.
 */
import type { BatchWorkPorts } from '#domain/aml';
import type { Commit } from '#domain/audit';
import type { LoadedIndex } from '#engine';
import { openBatches } from '../../src/app/batchWork.ts';
import { startBatchRunner } from '../../src/workers/batchRunner.ts';
import { openAt } from './listPublisher.ts';

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

/** By what the commit says of the batch. */
function nameOf({ changes, events }: Commit): string {
  const isChunk = changes.some(({ kind }) => kind === 'batch.chunk.done');
  return isChunk ? 'chunk' : String(events.at(-1)?.action?.split('.').at(-1));
}

function mortal(ports: BatchWorkPorts<LoadedIndex>): BatchWorkPorts<LoadedIndex> {
  const { batches, threads } = ports;
  return {
    ...ports,
    batches: {
      ...batches,
      addChunks: around('addChunks', (chunks) => batches.addChunks(chunks)),
      leaseChunk: around('leaseChunk', (ask) => batches.leaseChunk(ask)),
    },
    commit: (chainId, commit) => around(nameOf(commit), () => ports.commit(chainId, commit))(),
    threads: {
      atOnce: threads.atOnce,
      screen: around('screen', (ask, signal) => threads.screen(ask, signal)),
    },
    writeReports: around('writeReports', (batch, signal) => ports.writeReports(batch, signal)),
  };
}

const installation = await openAt(DATA_DIR, 'worker');
const { ports } = openBatches(installation);
startBatchRunner({
  holder: installation.holder,
  log: { debug: quiet, error: say, info: quiet, isDebug: () => false, warn: say },
  ports: mortal(ports),
});
process.send?.('working');
