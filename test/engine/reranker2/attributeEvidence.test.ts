/** Attributes add evidence, and neither make a match by themselves nor clear an identical name. */
import { expect, test } from 'vitest';
import {
  dateEvidence,
  EVIDENCE,
  genderEvidence,
  identifierEvidence,
  NO_EVIDENCE,
  rangeEvidence,
  withEvidence,
} from '../../../src/engine/reranker2/attributeEvidence.ts';
import { scoreOf } from '../../../src/engine/reranker2/model.ts';
import {
  ENTITY_FEMALE,
  ENTITY_IDENTIFIED,
  ENTITY_IMO,
  ENTITY_MALE,
} from '../../../src/engine/snapshotFormat.ts';

const on = (date: number) => ({ from: date, to: date });
const evidence = (part: Partial<typeof NO_EVIDENCE>) => ({ ...NO_EVIDENCE, ...part });
const name = { bits: 30, isSame: false, shifted: 2 };

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

test('a conflict never raises, an agreement never lowers, a better name is no worse', () => {
  let before = Number.NEGATIVE_INFINITY;
  for (const shifted of [-20, -10, -4, -1, 0, 0.3, 0.6, 1, 4]) {
    for (const isSame of [true, false]) {
      const own = { bits: 30, isSame, shifted };
      const alone = withEvidence(own, NO_EVIDENCE);
      for (const date of [-4, -3, -2, -1]) {
        for (const more of [{}, { nation: -2 }, { gender: -3 }, { identifier: -4 }]) {
          expect(withEvidence(own, evidence({ date, ...more }))).toBeLessThanOrEqual(alone);
        }
      }
      for (const more of [{ date: 2 }, { date: 4.5, nation: 1 }, { identifier: 6 }]) {
        expect(withEvidence(own, evidence(more))).toBeGreaterThanOrEqual(alone);
      }
    }
    const lifted = withEvidence({ ...name, shifted }, evidence({ date: 4.5, nation: 1 }));
    expect(lifted).toBeGreaterThan(before);
    before = lifted;
  }
});

test('an equal birthday lifts no name that does not match', () => {
  const all = evidence({ date: EVIDENCE.dateSame, nation: EVIDENCE.nationSame });
  const lifted = (score: number) => {
    const shifted = Math.log(score / (1 - score));
    return scoreOf(withEvidence({ ...name, shifted }, all));
  };
  expect(lifted(0.06)).toBeCloseTo(0.06, 8);
  expect(lifted(0.268)).toBeCloseTo(0.268, 8);
  for (const score of [0.3, 0.4, 0.5, 0.599]) expect(lifted(score)).toBeLessThan(0.85);
  expect(lifted(0.6)).toBeLessThan(0.92);
  expect(lifted(0.8)).toBeGreaterThan(0.95);
});

test('an equal identifier is for review, and a vessel with another IMO number is another', () => {
  const own = { bits: 0, isSame: false, shifted: -20 };
  expect(scoreOf(withEvidence(own, evidence({ identifier: 6 })))).toBeGreaterThan(0.6);
  expect(scoreOf(withEvidence(own, evidence({ date: -4, identifier: 6 })))).toBeLessThan(0.85);
  const ship = { identifiers: ['9074729'], imo: true as const };
  const flags = ENTITY_IDENTIFIED | ENTITY_IMO;
  expect(identifierEvidence(ship, flags, true)).toBe(EVIDENCE.identifierSame);
  expect(identifierEvidence(ship, flags, false)).toBe(EVIDENCE.imoOther);
  expect(identifierEvidence(ship, ENTITY_IDENTIFIED, false)).toBe(EVIDENCE.identifierOther);
  expect(identifierEvidence(ship, 0, false)).toBe(0);
  expect(identifierEvidence({}, flags, false)).toBe(0);
});

test('another gender speaks against, an unknown one says nothing', () => {
  expect(genderEvidence('f', ENTITY_MALE)).toBe(EVIDENCE.genderOther);
  expect(genderEvidence('m', ENTITY_FEMALE)).toBe(EVIDENCE.genderOther);
  expect(genderEvidence('m', ENTITY_MALE)).toBe(0);
  expect(genderEvidence('m', 0)).toBe(0);
  expect(genderEvidence(undefined, ENTITY_MALE)).toBe(0);
});

test('a conflict leaves an identical rare name for review, and no other', () => {
  const against = evidence({ date: EVIDENCE.yearsFar, nation: EVIDENCE.nationOther });
  const kept = withEvidence({ bits: 30, isSame: true, shifted: 3 }, against);
  expect(kept).toBeGreaterThan(0.4);
  expect(withEvidence({ ...name, isSame: true, bits: 12 }, against)).toBeLessThan(0);
  expect(withEvidence(name, against)).toBeLessThan(0);
});
