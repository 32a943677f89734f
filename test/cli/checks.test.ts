/** What doctor says of events, and of what slices look at. */
import { expect, test } from 'vitest';
import { PLATFORM_CHAIN } from '#core/kernel';
import type { SubscriberFigures } from '#core/reactions';
import { type EpochMs, systemClock } from '#platform/clock';
import { createChecks, type Look, type Probes } from '../../src/cli/checks.ts';

async function checked(name: string, installation: object, more: readonly Look[] = []) {
  const checks = createChecks({
    clock: systemClock,
    more,
    nodeVersion: process.versions.node,
    open: async () => installation as unknown as Awaited<ReturnType<Probes['open']>>,
    pause: async () => undefined,
    probeRedis: async () => 'here',
    readConfig: () => {
      throw new Error('not asked');
    },
  });
  const found = await Promise.all(checks.map((check) => check()));
  return found.find((check) => check.name === name);
}

test('what a slice looks at is told, good or bad', async () => {
  const looks: Look[] = [
    { look: async () => 'all there', name: 'one' },
    { look: () => Promise.reject(new Error('mend it')), name: 'another' },
  ];
  expect(await checked('one', {}, looks)).toMatchObject({ detail: 'all there', isGood: true });
  expect(await checked('another', {}, looks)).toMatchObject({ detail: 'mend it', isGood: false });
});

test('a store that is older than its checkpoints is bad, with the way on', async () => {
  const found = [{ chainId: PLATFORM_CHAIN, reason: 'head is seq 3, seq 9 was signed before' }];
  const evidence = (chains: typeof found) =>
    checked('evidence', { headGuard: { behind: async () => chains } });
  expect(await evidence([])).toMatchObject({ isGood: true });
  expect(await evidence(found)).toMatchObject({
    detail: expect.stringMatching(/platform: head is seq 3.*audit resume --tenant/),
    isGood: false,
  });
});

test('a checkpoint that is not what was signed is bad by its name', async () => {
  const reason = 'the checkpoint in the bucket is not what was signed: seq 9: key-unknown';
  const found = [{ chainId: PLATFORM_CHAIN, isAltered: true, reason } as const];
  expect(await checked('evidence', { headGuard: { behind: async () => found } })).toMatchObject({
    detail: `platform: ${reason}; put it back as it was: docs/runbooks/EvidenceBehind.md`,
    isGood: false,
  });
});

const head = (waiting: number, pulse = '1/1/1') => ({
  chainId: PLATFORM_CHAIN,
  holder: 'host/gateway/1/a',
  pulse,
  waiting,
});

test('heads are told by their keepers; one that is waited for but stands is bad', async () => {
  const heads = (looks: readonly (readonly ReturnType<typeof head>[])[]) => {
    let look = 0;
    const heldHeads = async () => looks[Math.min(look++, looks.length - 1)];
    return checked('heads', { storage: { heldHeads } });
  };
  expect(await heads([[]])).toMatchObject({ detail: 'nobody keeps one', isGood: true });
  const kept = 'platform is kept by host/gateway/1/a';
  expect(await heads([[head(0)]])).toMatchObject({ detail: kept, isGood: true });
  expect(await heads([[head(2)], [head(2)], [head(2, '1/2/1')]])).toMatchObject({
    detail: `${kept}, 2 waiting; they move`,
    isGood: true,
  });
  expect(await heads([[head(2)], []])).toMatchObject({ isGood: true });
  expect(await heads([[head(2)]])).toMatchObject({
    detail: expect.stringMatching(/^platform is kept by .* 2 waiting: not moved for 5 s; end the/),
    isGood: false,
  });
});

const figure = (subscriber: string, given: Partial<SubscriberFigures> = {}) => ({
  setAside: 0,
  subscriber,
  waiting: 0,
  ...given,
});
const reactions = (figures: readonly SubscriberFigures[]) =>
  checked('reactions', { storage: { outbox: { figures: async () => figures } } });

test('events that wait are told, and those set aside are bad', async () => {
  const oldestAt = (systemClock.now() - 90_000) as EpochMs;
  expect(await reactions([figure('bus', { oldestAt, waiting: 2 }), figure('one')])).toMatchObject({
    detail: expect.stringMatching(/^bus has 2 waiting, for 9\d s, one has none waiting$/),
    isGood: true,
  });
  expect(await reactions([figure('bus'), figure('one', { setAside: 3 })])).toMatchObject({
    detail: expect.stringContaining('3 events of one failed'),
    isGood: false,
  });
});
