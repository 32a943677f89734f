/** What is advised of payments that the log has already. */
import { expect, test } from 'vitest';
import { adviseOn } from '#slices/monitoring';
import { openLedger, TENANT, transactionOf } from './ledger.ts';

test('payments of over twenty parts of the log are not compared while a caller waits', async () => {
  const ledger = openLedger();
  const txIds = Array.from({ length: 21 }, (_, at) => `T-${at + 1}`);
  for (const at of txIds.keys()) await ledger.take([transactionOf(at + 1)]);
  const ports = {
    ...ledger.ports,
    evaluate: async () => [],
    isAlerted: async () => () => false,
  };
  const ask = { own: [], tenantId: TENANT, txIds, waitMs: 0 };
  expect(await adviseOn(ports, ask)).toBe(undefined);
  const advised = await adviseOn(ports, { ...ask, txIds: txIds.slice(1) });
  expect(advised?.map(({ decision, tseq }) => [decision, tseq])).toEqual(
    txIds.slice(1).map((_, at) => ['pass', at + 2]),
  );
});
