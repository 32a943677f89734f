/** What the published schema says of a content, and what the server says of it, is the same. */
import { expect, test } from 'vitest';
import {
  changesBetween,
  contentHash,
  contentOfSettings,
  disabledSources,
  isConsistent,
  type PolicyContent,
  settingsOfContent,
} from '#slices/policies';
import { screeningSettings } from '#slices/screening';
import { compileSchema } from '../../../src/api/validate.ts';
import { PublishedContent, SaveBody } from '../../../src/slices/policies/edge/schemas.ts';
import { changed, SETTINGS } from './policyDesk.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 10_000);
const CONTENT = contentOfSettings(SETTINGS.defaults.of(screeningSettings));

/** The same numbers for the same seed: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Path = readonly string[];

function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...at, name]))];
}

/** A copy with one member replaced, taken away or added. */
function mutated(value: object, random: () => number): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  const paths = pathsOf(copy).filter((path) => path.length > 0);
  const path = paths[Math.floor(random() * paths.length)] ?? [];
  const name = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce((of, key) => of[key] as typeof copy, copy);
  const values = [
    ...[-1, -0.01, 0, 0.4, 0.5, 0.85, 1, 1.01, 51, 168, 169, 1_096, Number.MAX_SAFE_INTEGER],
    ...[true, false, null, '', '1.1.0', '2.0.0', '3.0.0', 'rescale', 'all', 'none', 'as_screening'],
    ...[[], ['MATCH_PEP'], ['MATCH_PEP', 'MATCH_PEP'], ['CLEAR'], {}, { enabled: true }],
  ];
  const kind = random();
  if (kind < 0.1) delete holder[name];
  else if (kind < 0.15) holder[`${name}x`] = 1;
  else holder[name] = values[Math.floor(random() * values.length)];
  return copy;
}

const base = changed(CONTENT, {
  sources: {
    OPEN_AGGREGATE: { cadence_override: '0 0 */8 * * ?', enabled: false },
    UN_SC: { enabled: true },
  },
});

test(`${RUNS} contents are judged alike by the published schema and by the server`, () => {
  const isPublished = compileSchema(PublishedContent);
  const isSent = compileSchema(SaveBody);
  const random = seeded(20261123);
  let accepted = 0;
  for (let run = 0; run < RUNS; run++) {
    const times = Math.floor(random() * 3);
    let content: unknown = base;
    for (let n = 0; n < times; n++) content = mutated(content as object, random);
    // What a client checks: the schema, and the two rules that it names in words.
    const byClient = isPublished(content).length === 0 && keepsRules(content as PolicyContent);
    const isShaped = isSent({ content, justification: 'Because' }).length === 0;
    const byServer = isShaped && isConsistent(content as PolicyContent);
    if (byClient !== byServer) expect.fail(JSON.stringify({ byClient, byServer, content }));
    accepted += byServer ? 1 : 0;
  }
  // Neither everything nor nothing.
  expect(accepted).toBeGreaterThan(RUNS / 10);
  expect(accepted).toBeLessThan(RUNS * 0.9);
});

/** In the words of interface.md 4.8, rule 5, and nothing of ours. */
function keepsRules({ thresholds: t, weights: w }: PolicyContent): boolean {
  const sum = w.name + w.phonetic + w.dob + w.nationality + w.alias;
  return Math.abs(sum - 1) < 1e-9 && t.rca_2 <= t.rca_1 && t.rca_1 <= t.pep && t.pep <= t.direct;
}

test('a summary names what differs, and nothing else', () => {
  const next = changed(base, {
    flags: { auto_alert_typologies: ['MATCH_PEP'], topN: 7 },
    sources: { UN_SC: { enabled: false } },
  });
  expect(changesBetween(base, next)).toEqual([
    {
      new: ['MATCH_PEP'],
      old: base.flags.auto_alert_typologies,
      pointer: '/flags/auto_alert_typologies',
    },
    { new: 7, old: 50, pointer: '/flags/topN' },
    { new: false, old: true, pointer: '/sources/UN_SC/enabled' },
  ]);
  expect(changesBetween(base, structuredClone(base))).toEqual([]);
  expect(changesBetween(CONTENT, base).map(({ old, pointer }) => [pointer, old])).toEqual([
    ['/sources/OPEN_AGGREGATE/cadence_override', null],
    ['/sources/OPEN_AGGREGATE/enabled', null],
    ['/sources/UN_SC/enabled', null],
  ]);
});

test('the hash is of the content, in whatever order its members stand', () => {
  const turned = Object.fromEntries(Object.entries(base).reverse()) as never;
  expect(contentHash(turned)).toBe(contentHash(base));
  expect(contentHash(changed(base, { flags: { topN: 49 } }))).not.toBe(contentHash(base));
});

test('lists that are off, or paid for and not wanted, are left out', () => {
  expect(disabledSources(CONTENT)).toEqual(['COMMERCIAL_WATCHLIST']);
  const paid = changed(base, { flags: { commercial_enabled: true } });
  expect(disabledSources(paid)).toEqual(['OPEN_AGGREGATE']);
  const off = { COMMERCIAL_WATCHLIST: { enabled: false } };
  expect(disabledSources(changed(paid, { sources: off }))).toEqual([
    'COMMERCIAL_WATCHLIST',
    'OPEN_AGGREGATE',
  ]);
});

test('batches follow the re-ranker of screenings until they have one of their own', () => {
  const of = { contentHash: 'a'.repeat(64), policyVersion: 3 };
  const same = changed(CONTENT, { batch_reranker_version: 'as_screening' as never });
  expect(settingsOfContent(same, of)).toMatchObject({
    batchRerankerVersion: CONTENT.reranker_version,
    policyDigest: of.contentHash,
    policyVersion: 3,
  });
  const own = changed(CONTENT, { batch_reranker_version: '2.0.0' as never });
  expect(settingsOfContent(own, of).batchRerankerVersion).toBe('2.0.0');
});
