/**
 * A worker as the product has it, without Redis. With DEAF=1 it cannot tell whether another process
 * lives, as if that ran on another host. Tells its parent once it looks for work.
 */
import { isProcessGone } from '#core/work';
import { startListRunner } from '../../../src/slices/ingestion/edge/jobs.ts';
import { openAt } from '../../slices/ingestion/listPublisher.ts';
import { openRuns } from '../../slices/ingestion/runParts.ts';
import { quietLog } from '../../workers/quietWorker.ts';

const { DATA_DIR = '', DEAF, POLL_MS } = process.env;
const installation = await openAt(DATA_DIR, 'worker');
startListRunner({
  holder: installation.holder,
  isGone: (holder) => DEAF !== '1' && isProcessGone(holder, installation.holder),
  log: quietLog,
  ports: openRuns(installation),
  ...(POLL_MS !== undefined && { pollMs: Number(POLL_MS) }),
});
process.send?.('working');
