/** What pairs of names score, and that the scorer keeps its promises whatever the names. */
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../bench/random.ts';
import { foldName } from '../../../src/engine/foldName.ts';
import { MODEL, scoreOf } from '../../../src/engine/reranker2/model.ts';
import { NamePairs } from '../../../src/engine/reranker2/namePairs.ts';
import { nameToken } from '../../../src/engine/reranker2/nameToken.ts';
import { prepareName } from '../../../src/engine/reranker2/preparedName.ts';
import { lastReason, REASON, similarity } from '../../../src/engine/reranker2/tokenSimilarity.ts';
import type { NameKind } from '../../../src/engine/reranker2/wordFacts.ts';

const pairs = new NamePairs(MODEL);

function prepared(name: string, kind: NameKind) {
  const { latin } = foldName(name, kind === 'person' ? 'person' : 'entity');
  return prepareName(latin.split(' '), kind);
}

function score(one: string, other: string, kind: NameKind = 'person'): number {
  pairs.score(prepared(one, kind), prepared(other, kind));
  return scoreOf(pairs.shifted);
}

describe('names of one person', () => {
  test.each([
    ['Vladimir Vladimirovich Putin', 'Vladimir Putin'],
    ['Nikolai Patrushev', 'Nikolai Patrushve'],
    ['Muammar Qadhafi', 'Muammar Gaddafi'],
    ['Mohammed Abd al-Rahman Zawahiri', 'Muhammad Abdulrahman Zawahiri'],
    ['Zawahiri, Ayman', 'Ayman Zawahiri'],
    ['Sheikh Ayman Zawahiri', 'Ayman Zawahiri'],
    ['Patr ushev Nikolai', 'Nikolai Patrushev'],
    ['Nikolai Atrushevp', 'Nikolai Patrushev'],
    ['Ikolain Patrushev', 'Nikolai Patrushev'],
    ['Bill Zarkonov', 'William Zarkonov'],
  ])('%s is %s', (one, other) => {
    expect(score(one, other)).toBeGreaterThan(0.6);
  });

  test('an identical rare name is a match', () => {
    expect(score('Nikolai Patrushev', 'Nikolai Patrushev')).toBeGreaterThan(0.92);
  });
});

describe('names of two', () => {
  test.each([
    ['Bashar al-Assad', 'Hafez al-Assad'],
    ['Angelo Cruz', 'Angela Merkel'],
    ['John Smith Jr', 'John Smith Sr'],
    ['Maria Ivanova', 'Maria Petrova'],
  ])('%s is not %s', (one, other) => {
    expect(score(one, other)).toBeLessThan(0.5);
  });

  test.each([
    ['Volkswagen AG', 'Siemens AG'],
    ['Brigade 44', 'Brigade 45'],
    ['C.B.A. Company', 'A.B.C. Company'],
  ])('%s is not %s', (one, other) => {
    expect(score(one, other, 'entity')).toBeLessThan(0.5);
  });

  test.each(['Ali', 'Mohammed', 'Kim', 'Hussein', 'Maria'])('%s alone means nobody', (name) => {
    expect(score(name, name)).toBeLessThan(0.5);
    expect(score(name, `${name} Zawahiri`)).toBeLessThan(0.5);
  });

  test.each(['Corp', 'International', 'Group', 'General'])('%s alone means nobody', (name) => {
    expect(score(name, name, 'entity')).toBeLessThan(0.5);
  });
});

describe('companies', () => {
  test.each([
    ['Gazprom OAO', 'Open Joint Stock Company Gazprom'],
    ['Brigade Forty-Four', 'Brigade 44'],
    ['Siemens AG', 'Siemens Aktiengesellschaft'],
    ['Murom Instrument Plant Limited Liability Company', 'Murom Instrument Plant LLC'],
  ])('%s is %s', (one, other) => {
    expect(score(one, other, 'entity')).toBeGreaterThan(0.6);
  });
});

describe('an acronym', () => {
  test.each(['entity', 'vessel'] as const)('of three letters is nobody by itself: %s', (kind) => {
    expect(score('Olga Vladimirovna Korobova', 'OVK', kind)).toBeLessThan(0.5);
    expect(score('Peoples Liberation Army', 'PLA', kind)).toBeLessThan(0.5);
  });

  test('of four letters, or with a word that both names have, is a candidate', () => {
    expect(
      score('Popular Front for the Liberation of Palestine', 'PFLP', 'entity'),
    ).toBeGreaterThan(0.5);
    const alone = score('Peoples Liberation Army', 'PLA', 'entity');
    const with_ = score('Peoples Liberation Army Zarkonov', 'PLA Zarkonov', 'entity');
    expect(with_).toBeGreaterThan(Math.max(alone, 0.6));
  });
});

describe('a first letter that moved', () => {
  const alike = (one: string, other: string) =>
    similarity(nameToken(one, 'person'), nameToken(other, 'person'), true);

  test.each([
    ['patrushev', 'atrushevp'],
    ['patrushev', 'atrpushev'],
    ['atrushevp', 'patrushev'],
  ])('%s and %s are one slip apart', (one, other) => {
    expect(alike(one, other)).toBeGreaterThan(850);
    expect(lastReason()).toBe(REASON.typo);
  });

  test.each([
    ['patrushev', 'atrushevk'],
    ['patrushev', 'vatrushep'],
    ['patr', 'artp'],
  ])('%s and %s are not', (one, other) => {
    expect(alike(one, other)).toBeLessThan(850);
  });
});

test('the alignment says which words stand for each other, and why', () => {
  pairs.score(prepared('Patrush ev Nikolay', 'person'), prepared('Nikolai Patrushev', 'person'));
  const { alignment } = pairs;
  const reasons = alignment.links.slice(0, alignment.count).map(({ reason }) => reason);
  expect(reasons.sort()).toEqual([REASON.spelling, REASON.joined].sort());
});

test('two names score the same from both sides but for words that one has more', () => {
  const random = seededRandom(3);
  const words = 'ali kim zawahiri ayman patrushev nikolai hassan jon von abu schmidt'.split(' ');
  for (let turn = 0; turn < 500; turn++) {
    const pickName = () =>
      Array.from({ length: 2 }, () => words[Math.floor(random() * words.length)]).join(' ');
    const [one, other] = [pickName(), pickName()];
    const there = score(one, other);
    expect(Math.abs(score(other, one) - there), `${one} | ${other}`).toBeLessThan(0.35);
    expect(there).toBeGreaterThanOrEqual(0);
    expect(there).toBeLessThanOrEqual(1);
  }
});

test('any text is scored, of whatever script and length', () => {
  const random = seededRandom(11);
  const ranges = [0x20, 0x61, 0x400, 0x5d0, 0x627, 0xac00, 0x4e00, 0x30, 0x1f600];
  const text = () =>
    Array.from({ length: Math.floor(random() * 60) }, () => {
      const range = ranges[Math.floor(random() * ranges.length)] ?? 0x61;
      return String.fromCodePoint(range + Math.floor(random() * 26));
    }).join('');
  for (let turn = 0; turn < 400; turn++) {
    const value = score(text(), text(), turn % 2 === 0 ? 'person' : 'entity');
    expect(value >= 0 && value <= 1).toBe(true);
  }
});

test('the score of a z is that of the logistic function, to nine decimals', () => {
  for (let z = -30; z <= 30; z += 0.37) {
    expect(scoreOf(z)).toBeCloseTo(1 / (1 + Math.exp(-z)), 8);
  }
  expect(scoreOf(0)).toBe(0.5);
});
