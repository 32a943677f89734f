/** Attributes add evidence, and neither make a match by themselves nor clear an identical name. */
import { expect, test } from 'vitest';
import {
  dateEvidence,
  EVIDENCE,
  rangeEvidence,
  withEvidence,
} from '../../../src/engine/reranker2/attributeEvidence.ts';

const on = (date: number) => ({ from: date, to: date });
const NONE = { date: 0, nation: 0 };
const name = { bits: 30, isSame: false, raw: 4, shifted: 2 };

test('dates weigh by how they agree', () => {
  expect(dateEvidence(19_651_103, on(19_651_103))).toBe(EVIDENCE.dateSame);
  expect(dateEvidence(19_651_103, on(19_650_000))).toBe(EVIDENCE.dateInPart);
  expect(dateEvidence(19_651_103, on(19_651_104))).toBe(EVIDENCE.dateOneDigit);
  expect(dateEvidence(19_651_103, on(19_661_103))).toBe(EVIDENCE.dateOneDigit);
  expect(dateEvidence(19_651_103, on(19_650_720))).toBe(EVIDENCE.yearOtherDay);
  expect(dateEvidence(19_651_103, on(19_670_720))).toBe(EVIDENCE.yearsNear);
  expect(dateEvidence(19_651_103, on(19_690_720))).toBe(EVIDENCE.yearsApart);
  expect(dateEvidence(19_651_103, on(19_410_720))).toBe(EVIDENCE.yearsFar);
  expect(dateEvidence(19_651_103, { from: 19_600_000, to: 19_700_000 })).toBe(EVIDENCE.dateInPart);
  const range = { from: 19_640_100, to: 19_661_200 };
  expect(rangeEvidence(range, on(19_651_103))).toBe(EVIDENCE.dateInPart);
  expect(rangeEvidence(range, on(19_900_101))).toBe(EVIDENCE.yearsFar);
});

test('a conflict never raises, an agreement never lowers', () => {
  for (const raw of [-8, -2, 0, 3, 6]) {
    for (const isSame of [true, false]) {
      const own = { bits: 30, isSame, raw, shifted: raw - 2 };
      const alone = withEvidence(own, NONE);
      for (const date of [-4, -3, -2, -1]) {
        expect(withEvidence(own, { date, nation: 0 })).toBeLessThanOrEqual(alone);
        expect(withEvidence(own, { date, nation: -2 })).toBeLessThanOrEqual(alone);
      }
      for (const date of [2, 4.5]) {
        expect(withEvidence(own, { date, nation: 1 })).toBeGreaterThanOrEqual(alone);
      }
    }
  }
});

test('an equal birthday lifts no name that does not match', () => {
  const other = { bits: 5, isSame: false, raw: -3, shifted: -5 };
  expect(withEvidence(other, { date: EVIDENCE.dateSame, nation: EVIDENCE.nationSame })).toBe(-5);
});

test('a conflict leaves an identical rare name for review, and no other', () => {
  const against = { date: EVIDENCE.yearsFar, nation: EVIDENCE.nationOther };
  const kept = withEvidence({ bits: 30, isSame: true, raw: 5, shifted: 3 }, against);
  expect(kept).toBeGreaterThan(0.4);
  expect(withEvidence({ ...name, isSame: true, bits: 12 }, against)).toBeLessThan(0);
  expect(withEvidence(name, against)).toBeLessThan(0);
});
