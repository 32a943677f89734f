/** What re-ranker 2 promises of any names: properties, tried on random ones through an index. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMMON_WORDS } from '../../../scripts/reranker2/listFigures.ts';
import { byName, ListRun, SETTINGS } from '../../../scripts/reranker2/listRun.ts';
import type { RawQuery } from '../../../src/engine/ports.ts';
import { makeReranker } from '../../../src/engine/rerankers.ts';
import { entity } from '../fixtures.ts';

const reranker = makeReranker('2.0.0');
const letters = 'abdefgiklmnoprstuvz';
const word = fc
  .array(fc.constantFrom(...letters), { maxLength: 9, minLength: 5 })
  .map((one) => one.join(''));
const words = fc.uniqueArray(word, { maxLength: 3, minLength: 2 });
const RUNS = { numRuns: 10 };

/** Words that are common in names of companies. */
const BUSINESS: ReadonlySet<string> = new Set(
  (
    'Group International Corp Company Trading Bank General Holdings Limited Foundation Services ' +
    'Industries Investment'
  ).split(' '),
);

/** The score of one entity of these names. */
function scoreOf(names: readonly string[], raw: RawQuery, of: object = {}): number {
  const run = new ListRun([entity({ id: 'one', names, ...of })]);
  return run.search(reranker, raw, { ...SETTINGS, answerScoreMin: 0 })[0]?.directScore ?? 0;
}

const person = (name: string, more: Partial<RawQuery> = {}) =>
  byName(name, { schema: 'Person', ...more });

/** A letter of the word, behind its first one, replaced by another. */
function slipped(text: string, at: number): string {
  const place = 1 + (at % (text.length - 1));
  const other = text.charAt(place) === 'x' ? 'q' : 'x';
  return text.slice(0, place) + other + text.slice(place + 1);
}

describe('of any name', () => {
  test('a word that matches better never lowers the score', () => {
    fc.assert(
      fc.property(words, fc.nat(20), fc.nat(20), (own, first, second) => {
        const [head = '', ...rest] = own;
        const with_ = (one: string) => scoreOf([own.join(' ')], person([one, ...rest].join(' ')));
        const once = slipped(head, first);
        const twice = slipped(once, second);
        const scores = [with_(head), with_(once), with_(twice)];
        expect(scores[0]).toBeGreaterThanOrEqual(scores[1] ?? 0);
        if (twice !== head) expect(scores[0]).toBeGreaterThanOrEqual(scores[2] ?? 0);
      }),
      RUNS,
    );
  });

  test('an alias more never lowers the entity', () => {
    fc.assert(
      fc.property(words, words, words, fc.nat(20), (own, alias, other, at) => {
        const typed = [slipped(own[0] ?? '', at), ...own.slice(1)].join(' ');
        const names = [own.join(' '), other.join(' ')];
        const more = [...names, alias.join(' '), typed];
        expect(scoreOf(more, person(typed))).toBeGreaterThanOrEqual(scoreOf(names, person(typed)));
        const less = scoreOf(names, person(alias.join(' ')));
        expect(scoreOf([...names, ...alias], person(alias.join(' ')))).toBeGreaterThanOrEqual(less);
      }),
      RUNS,
    );
  });

  test('an attribute that conflicts never raises, one that agrees never lowers', () => {
    const of = {
      datesOfBirth: ['1961-05-14'],
      gender: 'm',
      identifiers: ['AB 123456'],
      nationalities: ['TN'],
    } as const;
    fc.assert(
      fc.property(words, fc.nat(20), fc.boolean(), (own, at, isExact) => {
        const head = own[0] ?? '';
        const typed = [isExact ? head : slipped(head, at), ...own.slice(1)].join(' ');
        const ask = (more: Partial<RawQuery>) => scoreOf([own.join(' ')], person(typed, more), of);
        const alone = ask({});
        for (const against of [
          { dob: '1999-01-02' },
          { nationality: 'FR' },
          { gender: 'f' },
          { identifiers: ['ZZ 987654'] },
        ]) {
          expect(ask(against)).toBeLessThanOrEqual(alone);
          expect(ask({ dob: '1961-05-14', ...against })).toBeLessThanOrEqual(
            ask({ dob: '1961-05-14' }),
          );
        }
        for (const with_ of [
          { dob: '1961-05-14' },
          { nationality: 'TN' },
          { gender: 'm' },
          { identifiers: ['ab-123456'] },
        ]) {
          expect(ask(with_)).toBeGreaterThanOrEqual(alone);
        }
      }),
      { numRuns: 4 },
    );
  });
});

test('names of all scripts are screened, and find themselves', () => {
  const scripts = [0x61, 0x430, 0x5d0, 0x627, 0x915, 0x4e00, 0xac00, 0x3042, 0x10d0, 0x3b1];
  const anyWord = fc
    .tuple(fc.constantFrom(...scripts), fc.array(fc.nat(22), { maxLength: 7, minLength: 3 }))
    .map(([base, units]) => String.fromCodePoint(...units.map((unit) => base + unit)));
  const name = fc.oneof(
    fc.array(anyWord, { maxLength: 3, minLength: 1 }).map((one) => one.join(' ')),
    fc.string({ maxLength: 40, unit: 'binary' }),
  );
  fc.assert(
    fc.property(name, name, (listed, other) => {
      const run = new ListRun([
        entity({ id: 'a', names: [listed] }),
        entity({ id: 'b', names: ['Nikolai Patrushev', other] }),
      ]);
      for (const text of [listed, other, `${listed}, ${other}`]) {
        const found = run.search(reranker, byName(text), { ...SETTINGS, answerScoreMin: 0 });
        for (const { directScore } of found)
          expect(directScore >= 0 && directScore <= 1).toBe(true);
      }
    }),
    { numRuns: 20 },
  );
});

test('a common word alone is never over a half, nor with an equal date and nationality', () => {
  const about = { dob: '1961-05-14', nationality: 'TN' };
  const of = { datesOfBirth: ['1961-05-14'], nationalities: ['TN'] };
  for (const name of COMMON_WORDS) {
    const schema = BUSINESS.has(name) ? 'Company' : 'Person';
    for (const listed of [name, `${name} Zarkonov`]) {
      const alone = scoreOf([listed], byName(name), { schema });
      expect(alone, `${name} | ${listed}`).toBeLessThanOrEqual(0.5);
      const agreeing = scoreOf([listed], byName(name, about), { ...of, schema });
      expect(agreeing, `${name} | ${listed}, same date`).toBeLessThanOrEqual(0.5);
    }
  }
});
