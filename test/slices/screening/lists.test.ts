/** Which lists a call screens against: never fewer than it asked for, and one identity per set. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DomainError, type SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { SOURCE_CATALOGUE } from '#slices/ingestion';
import type { ListVersion } from '#slices/lists';
import {
  LIST_CODES,
  type ListsState,
  listedEntity,
  listSetOf,
  lookUpEntities,
  selectLists,
} from '#slices/screening';

interface Index {
  readonly of: string;
}

const version = (source: string, members: Partial<ListVersion> = {}): ListVersion => ({
  bundleBlob: 'b'.repeat(64),
  contentDigest: `content of ${source}`,
  entityCount: 1,
  listDigest: `list of ${source}`,
  listVersion: 'v2026-01-01.a',
  nameCount: 1,
  publishedAt: 0 as EpochMs,
  releaseDate: '2026-01-01',
  snapshotBlob: 'c'.repeat(64),
  sourceId: source as SourceId,
  ...members,
});

const stateOf = (sources: readonly string[], unloaded: readonly string[] = []) => ({
  lists: sources.map((source) => ({ index: { of: source }, version: version(source) })),
  unloaded,
});

const SOURCES = Object.keys(SOURCE_CATALOGUE);
const ALL = stateOf(['DEMO', 'EU_CFSP', 'OFAC_CONSOLIDATED', 'OFAC_SDN', 'UN_SC']);
const LIVE = { pointer: '/lists', sandbox: false };
const SANDBOX = { pointer: '/lists', sandbox: true };

const chosen = (state: ListsState<Index>, codes?: readonly string[], asked = LIVE): string[] =>
  selectLists(state, codes, asked).map(({ index }) => index.of);

function refusalOf(state: ListsState<Index>, codes?: readonly string[], asked = LIVE) {
  try {
    selectLists(state, codes, asked);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const pointers = error.violations.map(({ pointer }) => pointer);
    return { code: error.code, detail: error.message, pointers };
  }
  return undefined;
}

describe('selectLists', () => {
  test('without codes all that is in force, in its order', () => {
    expect(chosen(ALL)).toEqual(['EU_CFSP', 'OFAC_CONSOLIDATED', 'OFAC_SDN', 'UN_SC']);
  });

  test.each([
    [['OFAC'], ['OFAC_CONSOLIDATED', 'OFAC_SDN']],
    [['UN'], ['UN_SC']],
    [['EU'], ['EU_CFSP']],
    [['OFAC_SDN'], ['OFAC_SDN']],
    [
      ['UN', 'EU'],
      ['EU_CFSP', 'UN_SC'],
    ],
    [
      ['OFAC', 'OFAC_SDN', 'UN_SC', 'UN'],
      ['OFAC_CONSOLIDATED', 'OFAC_SDN', 'UN_SC'],
    ],
  ])('%j is %j', (codes, sources) => {
    expect(chosen(ALL, codes)).toEqual(sources);
  });

  test('every code and every source that is documented is known', () => {
    const state = stateOf(SOURCES);
    for (const code of [...Object.keys(LIST_CODES), ...SOURCES]) {
      expect(chosen(state, [code], SANDBOX)).toEqual([...(LIST_CODES[code] ?? [code])].sort());
    }
  });

  test('OFAC with one of its sources never imported is the other one', () => {
    expect(chosen(stateOf(['OFAC_SDN']), ['OFAC'])).toEqual(['OFAC_SDN']);
  });

  test('OFAC with one of its sources published and not loaded here is refused', () => {
    const state = stateOf(['OFAC_SDN', 'UN_SC'], ['OFAC_CONSOLIDATED']);
    expect(refusalOf(state, ['UN', 'OFAC'])).toEqual({
      code: 'list-unavailable',
      detail: 'not loaded: OFAC',
      pointers: ['/lists/1'],
    });
    expect(chosen(state, ['UN', 'OFAC_SDN'])).toEqual(['OFAC_SDN', 'UN_SC']);
  });

  test('a list that is published and not loaded here refuses every call without codes', () => {
    expect(refusalOf(stateOf(['UN_SC'], ['EU_CFSP']))).toMatchObject({
      code: 'list-unavailable',
      detail: expect.stringContaining('EU_CFSP'),
    });
  });

  test('a code that is unknown is refused with its place, before what is not loaded', () => {
    for (const code of ['NARNIA', 'ofac', '', 'toString', '__proto__']) {
      expect(refusalOf(ALL, ['HMT', code, 'UN'])).toMatchObject({
        code: 'list-unknown',
        pointers: ['/lists/1'],
      });
    }
  });

  test('every code that is known and not in force is named', () => {
    expect(refusalOf(ALL, ['HMT', 'UN', 'BCT_LOCAL'])).toEqual({
      code: 'list-unavailable',
      detail: 'not loaded: HMT, BCT_LOCAL',
      pointers: ['/lists/0', '/lists/2'],
    });
  });

  test('nothing in force is a refusal, never an empty choice', () => {
    expect(refusalOf(stateOf([]))).toMatchObject({ code: 'list-unavailable' });
    expect(refusalOf(stateOf(['DEMO']))).toMatchObject({ code: 'list-unavailable' });
  });

  test('the shipped list is a sandbox’s alone, loaded or not', () => {
    expect(chosen(ALL, undefined, SANDBOX)).toContain('DEMO');
    expect(chosen(ALL, ['DEMO'], SANDBOX)).toEqual(['DEMO']);
    expect(refusalOf(ALL, ['DEMO'])).toMatchObject({ code: 'list-unavailable' });
    const unloaded = stateOf(['UN_SC'], ['DEMO']);
    expect(chosen(unloaded)).toEqual(['UN_SC']);
    expect(refusalOf(unloaded, undefined, SANDBOX)).toMatchObject({ code: 'list-unavailable' });
  });

  test('entries are looked up and shown only where every list could be loaded', async () => {
    const inForce = () => stateOf(['OFAC_CONSOLIDATED'], ['OFAC_SDN']);
    const refused = { code: 'list-unavailable' };
    const ask = { caller: { turn: 't' }, limit: 1, sandbox: false, text: 'anne' };
    const never = () => Promise.reject(new Error('it was asked'));
    const looked = lookUpEntities({ inForce, lookUp: never }, ask);
    await expect(looked).rejects.toMatchObject(refused);
    const clock = { monotonicMs: () => 0 };
    const ports = { check: never, clock, inForce } as unknown as Parameters<typeof listedEntity>[0];
    const shown = listedEntity(ports, {
      caller: { turn: 't' },
      charge: never,
      id: 'ofac-1',
      sandbox: false,
    });
    await expect(shown).rejects.toMatchObject(refused);
  });

  test('one choice is one array per publication, so that its identity is computed once', () => {
    expect(selectLists(ALL, ['OFAC'], LIVE)).toBe(selectLists(ALL, ['OFAC'], LIVE));
    const next = stateOf(['OFAC_SDN']);
    expect(selectLists(next, ['OFAC'], LIVE)).not.toBe(selectLists(ALL, ['OFAC'], LIVE));
    expect(chosen(next, ['OFAC'])).toEqual(['OFAC_SDN']);
  });

  test('a remembered choice is no other one that reads alike', () => {
    expect(chosen(ALL, ['UN', 'EU'])).toEqual(['EU_CFSP', 'UN_SC']);
    expect(refusalOf(ALL, ['UN,EU'])).toMatchObject({ code: 'list-unknown' });
    expect(refusalOf(ALL, ['UN","EU'])).toMatchObject({ code: 'list-unknown' });
    expect(chosen(ALL)).toHaveLength(4);
    for (const code of ['*', 'null', 'undefined']) {
      expect(refusalOf(ALL, [code])).toMatchObject({ code: 'list-unknown' });
    }
    expect(chosen(ALL, ['DEMO'], SANDBOX)).toEqual(['DEMO']);
    expect(refusalOf(ALL, ['DEMO'], LIVE)).toMatchObject({ code: 'list-unavailable' });
  });

  test('more choices than are remembered are answered all the same', () => {
    const state = stateOf(['EU_CFSP', 'OFAC_SDN', 'UN_SC']);
    const codes = ['EU', 'UN', 'OFAC', 'OFAC_SDN', 'EU_CFSP', 'UN_SC'];
    const pairs = codes.flatMap((a) => codes.flatMap((b) => codes.map((c) => [a, b, c])));
    for (const choice of pairs) {
      const sources = new Set(choice.flatMap((code) => LIST_CODES[code] ?? [code]));
      sources.delete('OFAC_CONSOLIDATED');
      expect(chosen(state, choice)).toEqual([...sources].sort());
    }
  });
});

describe('listSetOf', () => {
  const setOf = (...versions: ListVersion[]) =>
    listSetOf(
      versions.map((one) => ({ index: {}, version: one })),
      'r',
    );

  test('is the digest that the interface describes, sorted by source', () => {
    const text =
      '{"lists":[["EU_CFSP","list of EU_CFSP","content of EU_CFSP"],' +
      '["UN_SC","list of UN_SC","content of UN_SC"]],"resolution":"r"}';
    const expected = createHash('sha256').update(text).digest('hex');
    const set = setOf(version('UN_SC'), version('EU_CFSP'));
    expect(set.listVersion).toBe(expected);
    expect(set.references).toEqual([
      {
        content_digest: 'content of EU_CFSP',
        index: 'c'.repeat(64),
        list_digest: 'list of EU_CFSP',
        list_version: 'v2026-01-01.a',
        source: 'EU_CFSP',
      },
      {
        content_digest: 'content of UN_SC',
        index: 'c'.repeat(64),
        list_digest: 'list of UN_SC',
        list_version: 'v2026-01-01.a',
        source: 'UN_SC',
      },
    ]);
  });

  test('does not depend on the order of the lists, their labels or where they are kept', () => {
    const { listVersion } = setOf(version('UN_SC'), version('EU_CFSP'));
    const moved = { listVersion: 'v2026-01-01.b', snapshotBlob: 'd'.repeat(64) };
    expect(setOf(version('EU_CFSP'), version('UN_SC', moved)).listVersion).toBe(listVersion);
  });

  test('is another one under another resolution of the same lists, and says how it is made', () => {
    const lists = [{ index: {}, version: version('UN_SC') }];
    const of = (resolution?: string) => listSetOf(lists, resolution);
    const made = [of('r'), of('s'), of()];
    expect(new Set(made.map(({ listVersion }) => listVersion)).size).toBe(3);
    expect(made.map(({ listVersionV }) => listVersionV)).toEqual([2, 2, 2]);
    const text = '{"lists":[["UN_SC","list of UN_SC","content of UN_SC"]],"resolution":null}';
    expect(of().listVersion).toBe(createHash('sha256').update(text).digest('hex'));
  });

  test('is another one with another digest, or with a list less', () => {
    const others = [
      setOf(version('UN_SC'), version('EU_CFSP')),
      setOf(version('UN_SC')),
      setOf(version('UN_SC', { listDigest: 'x' }), version('EU_CFSP')),
      setOf(version('UN_SC', { contentDigest: 'x' }), version('EU_CFSP')),
    ];
    expect(new Set(others.map(({ listVersion }) => listVersion)).size).toBe(4);
  });

  test('leaves the order of what it was given', () => {
    const lists = [version('UN_SC'), version('EU_CFSP')].map((one) => ({
      index: {},
      version: one,
    }));
    listSetOf(lists, 'r');
    expect(lists.map((list) => list.version.sourceId)).toEqual(['UN_SC', 'EU_CFSP']);
    expect(listSetOf(lists, 'r')).toBe(listSetOf(lists, 'r'));
  });
});
