/** `webhook listen` on its way out: it leaves no listener behind. */
import nodeProcess, { getActiveResourcesInfo } from 'node:process';
import { expect, test, vi } from 'vitest';
import { listenCommand } from '../../../src/slices/webhooks/edge/listenCommand.ts';

type Run = Parameters<typeof listenCommand.run>;

const listeners = (): number =>
  getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

test('a listener whose endpoint is refused is closed', async () => {
  const before = listeners();
  let during = before;
  const process = {
    once: () => {
      during = listeners();
      throw new Error('refused');
    },
    tenants: { list: async () => [{ id: 'sandbox', kind: 'sandbox' }] },
  };
  const context = { actor: 'cli:test', clock: {}, open: async () => process, output: {} };
  const given = { all: () => [], isSet: () => true, optional: () => undefined };
  const run = listenCommand.run(context as unknown as Run[0], given as unknown as Run[1]);
  await expect(run).rejects.toThrow('refused');
  // The command lets its process end when it has nothing to do, and this one has more.
  nodeProcess.channel?.ref();
  expect(during).toBe(before + 1);
  await vi.waitFor(() => expect(listeners()).toBe(before));
});
