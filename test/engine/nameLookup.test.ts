/** Entries by what a person types, against reading every name. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { buildOverlay, buildSnapshot, createEngine, foldName, type IndexEntity } from '#engine';
import { DictionaryHeads, LIKENESS } from '../../src/engine/dictionaryHeads.ts';
import { type LookupPart, NameLookup } from '../../src/engine/nameLookup.ts';
import { isRemoved, openOverlay } from '../../src/engine/overlayFormat.ts';
import { openSnapshot } from '../../src/engine/snapshotFormat.ts';

const entityOf = (id: string, ...names: string[]): IndexEntity => ({
  card: `{"ftm_id":"${id}"}`,
  categories: 1,
  datesOfBirth: [],
  id,
  names,
  nationalities: [],
  schema: 'Person',
});
const LIST = [
  entityOf('a', 'Tarek Velmorani', 'طارق فلموراني'),
  entityOf('b', 'Tariq Vilmourani'),
  entityOf('c', 'Velmora Trading'),
  entityOf('d', 'Tarek Velmorani Ben Salah'),
  entityOf('e', 'Иван Петров'),
];
const partOf = (entities: readonly IndexEntity[], index = 0) => ({
  buffer: buildSnapshot(entities),
  index,
  removed: undefined,
});
const idsOf = (text: string, parts: readonly LookupPart[] = [partOf(LIST)], limit = 50) =>
  new NameLookup().search(parts, { limit, text }).rows.map(({ id }) => id);

describe('looking up by text', () => {
  test.each([
    ['tarek velmorani', ['a', 'd', 'b']],
    ['Velmo Tar', ['a', 'd', 'b']],
    ['vel', ['a', 'c', 'd', 'b']],
    ['VELMORA', ['c', 'a', 'd', 'b']],
    ['طارق', ['a', 'b', 'd']],
    ['Пет', ['e']],
    ['petrov iv', ['e']],
    ['salah velmorani', ['d']],
    ['nobody', []],
    ['tarek nobody', []],
  ])('%s', (text, ids) => {
    expect(idsOf(text)).toEqual(ids);
  });

  test('what has no letter is told', () => {
    const { isEmpty, rows } = new NameLookup().search([partOf(LIST)], { limit: 5, text: ' . ' });
    expect([isEmpty, rows]).toEqual([true, []]);
  });

  test('the name that has the words is given', () => {
    const search = (text: string) =>
      new NameLookup().search([partOf(LIST)], { limit: 1, text }).rows[0]?.matchedName;
    expect(search('tarek vel')).toBe('Tarek Velmorani');
    expect(search('طارق')).toBe('طارق فلموراني');
  });

  test('pages follow each other over several lists, by rank, id and list', () => {
    const parts = [
      partOf(LIST),
      partOf([entityOf('a', 'Tarek Velmorani'), entityOf('z', 'Tarek Velmorani')], 1),
    ];
    const lookup = new NameLookup();
    const all = lookup.search(parts, { limit: 50, text: 'tarek v' });
    expect(all.hasMore).toBe(false);
    expect(all.rows.map(({ id, index }) => `${id}${index}`)).toEqual([
      'a0',
      'a1',
      'z1',
      'd0',
      'b0',
    ]);
    const paged: string[] = [];
    let after: (typeof all.rows)[number] | undefined;
    for (let hasMore = true; hasMore; ) {
      const page = lookup.search(parts, { after, limit: 2, text: 'tarek v' });
      paged.push(...page.rows.map(({ id, index }) => `${id}${index}`));
      after = page.rows.at(-1);
      hasMore = page.hasMore;
    }
    expect(paged).toEqual(all.rows.map(({ id, index }) => `${id}${index}`));
  });

  test('entities that an overlay hides are not found, and those that it brings are', () => {
    const base = buildSnapshot(LIST);
    const changed = [entityOf('b', 'Somebody Else'), entityOf('f', 'Tarek New')];
    const bytes = buildOverlay({ base, changed, removed: ['d'] });
    const overlay = openOverlay(bytes, base);
    expect(isRemoved(overlay.removed, 3)).toBe(true);
    const parts = [
      { buffer: base, index: 0, removed: overlay.removed },
      { buffer: overlay.snapshot, index: 0, removed: undefined },
    ];
    expect(idsOf('tar', parts)).toEqual(['f', 'a']);
    expect(idsOf('somebody', parts)).toEqual(['b']);
  });

  test('letters that may be a legal form are a person’s initials, too', () => {
    expect(idsOf('a s a', [partOf([entityOf('e', 'A S A')])])).toEqual(['e']);
    expect(idsOf('bo s a', [partOf([entityOf('e', 'Bo S.A.')])])).toEqual(['e']);
  });

  test('every word typed in part leads to the entry, in any order', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { maxLength: 4, minLength: 1 });
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 12, minLength: 1 }),
        fc.nat(),
        fc.nat(),
        (names, pick, cut) => {
          const entities = names.map((name, at) =>
            entityOf(`e${String(at).padStart(2, '0')}`, name.join(' ')),
          );
          const folded = foldName(names[pick % names.length]?.join(' ') ?? '', 'person').latin;
          const typed = folded
            .split(' ')
            .map((word) => word.slice(0, 1 + (cut % word.length)))
            .reverse()
            .join(' ');
          const id = `e${String(pick % names.length).padStart(2, '0')}`;
          // A word may be read as another one of the name: an honorific, a legal form.
          if (foldName(typed, 'person').latin !== typed) return;
          expect(idsOf(typed, [partOf(entities)])).toContain(id);
        },
      ),
      { numRuns: 100 },
    );
  });
});

test('the dictionary knows every beginning of each of its tokens', () => {
  const names = [
    'Zzab',
    'abc',
    'abcd',
    'abcde',
    'abcdef',
    'abd',
    '12',
    '1234567',
    'ظافر',
    'ßa',
    'é',
  ];
  const list = openSnapshot(buildSnapshot(names.map((name, at) => entityOf(`${10 + at}`, name))));
  const heads = new DictionaryHeads(list);
  const tokens = Array.from({ length: list.tokenStart.length - 1 }, (_, token) => token);
  for (const token of tokens) {
    const text = heads.text(token);
    for (let units = 1; units <= text.length; units++) {
      const typed = heads.word(text.slice(0, units));
      const begins = tokens.filter((one) => heads.text(one).startsWith(text.slice(0, units)));
      const found = typed.tokens().filter((one) => typed.likenessOf(one) !== LIKENESS.sounds);
      expect([...found].sort((a, b) => a - b)).toEqual(begins);
      expect(typed.likenessOf(token)).toBe(
        units === text.length ? LIKENESS.whole : LIKENESS.begins,
      );
    }
  }
});

describe('through the engine', () => {
  const engine = createEngine({ queueMax: 10, threads: 0 });
  afterAll(() => engine.close());

  test('lists come and go, and the thread looks up in those that are asked', async () => {
    const first = engine.load(buildSnapshot(LIST));
    const ask = { limit: 10, text: 'tarek' };
    const ids = async (index: typeof first) =>
      (await engine.lookUp([index], ask)).rows.map(({ id }) => id);
    expect(await ids(first)).toEqual(['a', 'd', 'b']);
    const second = engine.load(buildSnapshot([entityOf('x', 'Tarek Other')]));
    expect(await ids(second)).toEqual(['x']);
    first.release();
    expect(await ids(second)).toEqual(['x']);
  });

  test("one tenant's burst neither refuses nor delays another's look-up", async () => {
    const index = engine.load(buildSnapshot(LIST));
    const ask = { limit: 10, text: 'tarek' };
    const answered: string[] = [];
    const lookUp = async (turn: string, signal?: AbortSignal) => {
      await engine.lookUp([index], ask, { signal, turn });
      answered.push(turn);
    };
    const burst = Array.from({ length: 100 }, () => lookUp('hostile'));
    const client = new AbortController();
    const left = lookUp('impatient', client.signal);
    client.abort();
    const [quiet, gone, ...rest] = await Promise.allSettled([lookUp('quiet'), left, ...burst]);
    expect(quiet).toMatchObject({ status: 'fulfilled' });
    expect(gone).toMatchObject({ reason: { code: 'caller-gone' } });
    expect(answered.indexOf('quiet')).toBeLessThan(3);
    const refused = rest.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(67); // all but the one that runs, and half of the places
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'engine-queue-full' } });
  });
});
