/** What the run that two persons start takes over from the one that they looked at. */
import { expect, test } from 'vitest';
import type { Approval } from '#core/identity';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { type ListRun, newSource, shrinkApproval } from '#slices/ingestion';

const failed = {
  errorCode: 'list-shrunk',
  fileSha256: 'ab'.repeat(32),
  kind: 'retry',
  removedCount: 136,
  removedDigest: 'cd'.repeat(32),
  runId: 'run-1',
  sourceId: 'OFAC_SDN',
  status: 'failed',
} as ListRun;
const approval = { approver: { id: 'carl' }, author: { id: 'dora' } } as Approval;

test.each(['full', 'delta'] as const)('a released retry of a %s run is done as one', (retryOf) => {
  const ask = shrinkApproval(
    { clock: systemClock, random: systemRandom },
    {
      by: { approval, ip: '127.0.0.1', reason: 'as told' },
      failed: { ...failed, retryOf },
      source: { ...newSource('OFAC_SDN'), lastRunId: 'run-1' },
    },
  );
  expect(ask).toMatchObject({ isForced: true, kind: 'retry', retryOf });
});
