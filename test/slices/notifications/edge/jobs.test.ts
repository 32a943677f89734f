/**
 * A worker as it is configured: an event comes in, a mail goes out over a socket, and neither log
 * nor figures nor chain hold a name or an address.
 */
import { expect, test, vi } from 'vitest';
import { chainOf } from '#core/kernel';
import { loadConfig } from '#platform/config';
import { createLog } from '#platform/log';
import { createMetrics } from '#platform/metrics';
import { registerNoticeFigures } from '#slices/notifications';
import { start, subscribers } from '../../../../src/slices/notifications/edge/jobs.ts';
import type { WorkerProcess } from '../../../../src/slices/processes.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { openInbox } from '../inbox.ts';
import { openHouse, openStore, WAIT } from '../noticeHouse.ts';

test('from the event to the mail and the hook', async () => {
  const store = await openStore(makeSqliteHarness);
  const house = await openHouse(store);
  const inbox = await openInbox();
  const hook = await startReceiver();
  await house.person('Dora Secreta', { email: 'dora.secreta@bank.example', locale: 'fr' });
  inbox.refuse = (address) => (address.startsWith('dora') ? 550 : undefined);
  const config = loadConfig({
    MAIL_FROM: 'notices@house.example',
    OPERATIONS_HOOK_URL: hook.url,
    OPERATIONS_MAIL: 'ops.secreta@house.example',
    SMTP_URL: `smtp://127.0.0.1:${inbox.port}`,
  });
  const metrics = createMetrics({ processFigures: false });
  const lines: string[] = [];
  const made = new Map<unknown, unknown>();
  const process = {
    ...store,
    commit: house.ports.commit,
    config,
    holder: 'worker',
    identity: {
      findPerson: async (_: string, id: string) =>
        (await house.ports.personsOf(house.tenantId)).find((person) => person.id === id),
      listPersons: house.ports.personsOf,
    },
    log: createLog({
      destination: { write: (line) => void lines.push(line) },
      level: 'trace',
      process: 'worker',
    }),
    metrics,
    once: (make: (of: unknown) => unknown) => {
      if (!made.has(make)) made.set(make, make(process));
      return made.get(make);
    },
  } as unknown as WorkerProcess;
  registerNoticeFigures(metrics, {
    clock: store.clock,
    config: config.notices,
    tables: house.tables,
  });
  const running = await start(process);
  const [subscriber] = subscribers(process);
  const event = house.event('webhooks.endpoint.failing');
  await subscriber?.on?.['webhooks.endpoint.failing']?.(event, new AbortController().signal);
  await subscriber?.sweep?.run(new AbortController().signal);
  await vi.waitFor(async () => {
    expect(inbox.received.map(({ to }) => to)).toEqual([['ops.secreta@house.example']]);
    expect(hook.received).toHaveLength(1);
    const { text } = await metrics.expose();
    expect(text).toContain('notices_sent_total{queue="mail"} 1');
    expect(text).toContain('notices_sent_total{queue="hook"} 1');
    expect(text).toContain('notices_failed_total{queue="mail",code="mail-refused"} 1');
    expect(text).toContain('notices_unsent{queue="mail"} 0');
    expect(text).toContain('conditions_open{code="WEBHOOK_FAILED_BURST"} 0');
  }, WAIT);
  await running.stop();
  const { text } = await metrics.expose();
  const chain = [];
  const chainId = chainOf(house.tenantId);
  for (let seq = 1; ; seq++) {
    const found = await house.auditStore.findBySeq(chainId, seq);
    if (found === undefined) break;
    chain.push(found.body);
  }
  expect(chain.length).toBeGreaterThan(4);
  for (const kept of [text, lines.join(''), chain.join(''), hook.received[0]?.body]) {
    expect(kept).not.toMatch(/secreta/i);
  }
  expect(lines.join('')).toContain('a message was held up');
  await inbox.close();
  await hook.close();
  await store.close();
});
