/** Which buckets stand before a call, and what the wire shows of them. */
import { describe, expect, test } from 'vitest';
import {
  type Bucket,
  type BucketState,
  bucketsOf,
  createTenantDirectory,
  limitSettings,
  type RateDecision,
  tenantTable,
} from '#core/identity';
import { createRateLimit, present } from '../../../src/api/middleware/rateLimit.ts';
import { createLocalBuckets } from '../../../src/redis/localBuckets.ts';
import { memoryIdentity, movableClock, settings, tenantOf } from '../../core/identity/memory.ts';
import { PRINCIPAL, TENANT } from '../fakes.ts';

const DEFAULTS = settings.defaults.of(limitSettings);
const [GENERAL, SCREENING, USER] = bucketsOf(PRINCIPAL, DEFAULTS, 'screening') as [
  Bucket,
  Bucket,
  Bucket,
];
const state = (bucket: Bucket, given: Partial<BucketState> = {}): BucketState => ({
  bucket,
  fullInMs: 0,
  remaining: bucket.capacity,
  waitMs: 0,
  ...given,
});
const decision = (states: BucketState[], allowed = true): RateDecision => ({
  allowed,
  counter: 'shared',
  states,
});
const headersOf = (given: RateDecision) => Object.fromEntries(present(given).headers);

describe('the buckets before a call', () => {
  test('are one for every route, and three for screening', () => {
    expect(bucketsOf(PRINCIPAL, DEFAULTS, 'general')).toEqual([GENERAL]);
    const sizes = [GENERAL, SCREENING, USER].map((one) => [one.capacity, one.refillPerSecond]);
    expect(sizes).toEqual([
      [100, 20],
      [30, 30],
      [1000, 1000 / 60],
    ]);
  });

  test('of transactions: one for the call, and one of the tenant for what it holds', () => {
    expect(bucketsOf(PRINCIPAL, DEFAULTS, 'transactions')).toEqual([GENERAL]);
    const further = bucketsOf(PRINCIPAL, DEFAULTS, 'transactions', true);
    expect(further).toMatchObject([{ capacity: 1000, name: 'transactions', refillPerSecond: 200 }]);
    const other = { ...PRINCIPAL, id: 'key-2' };
    expect(bucketsOf(other, DEFAULTS, 'transactions', true)).toEqual(further);
  });

  test('never shared between tenants, credentials, kinds or limits', () => {
    const keys = [
      PRINCIPAL,
      { ...PRINCIPAL, tenantId: 'other' as never },
      { ...PRINCIPAL, id: 'key-2' },
      { ...PRINCIPAL, kind: 'user' as const },
    ].map((principal) => bucketsOf(principal, DEFAULTS, 'general')[0]?.key);
    const raised = bucketsOf(PRINCIPAL, { ...DEFAULTS, burst: 200 }, 'general')[0]?.key;
    expect(new Set([...keys, raised]).size).toBe(5);
  });

  test("the tenant's screening bucket is one for all of its credentials", () => {
    const other = bucketsOf({ ...PRINCIPAL, id: 'key-2' }, DEFAULTS, 'screening');
    expect(other[1]?.key).toBe(SCREENING.key);
    expect(other[2]?.key).not.toBe(USER.key);
  });
});

describe('rate headers', () => {
  test('of a general call', () => {
    const one = decision([state(GENERAL, { fullInMs: 2_150, remaining: 57 })]);
    expect(headersOf(one)).toEqual({
      ratelimit: '"burst";r=57;t=3',
      'ratelimit-policy': '"burst";q=100;w=5,"sustained";q=20;w=1',
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '57',
    });
    expect(present(one).retryAfterS).toBe(0);
  });

  test('of a screening list all policies, and the tightest fills X-RateLimit', () => {
    const states = [
      state(GENERAL, { remaining: 90 }),
      state(SCREENING, { fullInMs: 700, remaining: 9 }),
      state(USER, { remaining: 900 }),
    ];
    expect(headersOf(decision(states))).toEqual({
      ratelimit: '"burst";r=90;t=0,"screening-tenant";r=9;t=1,"screening-user";r=900;t=0',
      'ratelimit-policy':
        '"burst";q=100;w=5,"sustained";q=20;w=1,' +
        '"screening-tenant";q=30;w=1,"screening-user";q=1000;w=60',
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '9',
    });
  });

  test('of a refusal: the longest wait, in whole seconds rounded up', () => {
    const states = [
      state(GENERAL, { remaining: 3 }),
      state(SCREENING, { remaining: 0, waitMs: 12 }),
      state(USER, { remaining: 0, waitMs: 1_001 }),
    ];
    const refused = present(decision(states, false));
    expect(refused).toMatchObject({ allowed: false, retryAfterS: 2 });
    expect(refused.headers[0]).toEqual(['x-ratelimit-limit', '1000']);
    expect(refused.headers[1]).toEqual(['x-ratelimit-remaining', '0']);
    const soon = decision([state(GENERAL, { remaining: 0, waitMs: 0.1 })], false);
    expect(present(soon).retryAfterS).toBe(1);
  });

  test("a call is counted under its own tenant's limits", async () => {
    const memory = memoryIdentity();
    const raised = { 'limits.burst': 5_000, 'limits.screening_per_second': 5_000 };
    memory.seed(tenantTable, tenantOf(TENANT, { settings: raised }));
    const { clock } = movableClock();
    const asked: (readonly Bucket[])[] = [];
    const rateLimit = createRateLimit({
      defaults: DEFAULTS,
      here: createLocalBuckets(clock),
      limiter: {
        take: async (buckets) => {
          asked.push(buckets);
          return decision(buckets.map((one) => state(one)));
        },
      },
      tenants: createTenantDirectory({ clock, settings, store: memory.store }),
    });
    await rateLimit.take(PRINCIPAL, 'screening');
    expect(asked[0]?.map(({ capacity }) => capacity)).toEqual([5_000, 5_000, 1_000]);
    expect(Object.fromEntries(rateLimit.untaken())).toMatchObject({
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '100',
    });
  });

  test('what no credential pays for is counted here and at once, by network and by kind', () => {
    const { clock } = movableClock();
    const rateLimit = createRateLimit({
      defaults: { ...DEFAULTS, burst: 2 },
      here: createLocalBuckets(clock),
      limiter: { take: () => Promise.reject(new Error('no other process is asked')) },
      tenants: createTenantDirectory({ clock, settings, store: memoryIdentity().store }),
    });
    const { returnUnknown, takePublic, takeUnknown } = rateLimit;
    const taken = (network: string) => takeUnknown(network).allowed;
    expect([taken('a'), taken('a'), taken('a'), taken('b')]).toEqual([true, true, false, true]);
    returnUnknown('a');
    expect([taken('a'), taken('a')]).toEqual([true, false]);
    const pages = [1, 2, 3].map(() => takePublic('a'));
    expect(pages.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(pages[2]?.retryAfterS).toBe(1);
  });
});
