/**
 * What dates of birth and nationalities say beside the names, added to z: logarithms of how much
 * likelier an agreement is of one person than of two. A missing attribute says nothing. Evidence
 * for never lifts a name that does not match, and evidence against never clears an identical rare
 * name by itself.
 */
import type { DateSpan } from '../dateDistance.ts';
import { scoreDates, scoreMonths } from '../native/dates.ts';

/** Evidence of dates of birth, and of nationalities. */
export const EVIDENCE = {
  dateSame: 4.5,
  dateInPart: 2,
  dateOneDigit: 2,
  yearOtherDay: -1,
  yearsNear: -2,
  yearsApart: -3,
  yearsFar: -4,
  nationSame: 1,
  nationOther: -2,
} as const;
/** Sum of the evidence, at most, either way. */
const EVIDENCE_MOST = 6;
/** Raw z of the names from which agreeing attributes count. */
const LIFTED_FROM = -1;
const NEAR_YEARS = 2;
const APART_YEARS = 5;
/** z that an identical name of this much information keeps whatever conflicts: for review. */
const KEPT_Z = 0.6;
const KEPT_BITS = 20;

function yearOf(date: number): number {
  return Math.floor(date / 10_000);
}

function isComplete(date: number): boolean {
  return date % 100 !== 0;
}

/** Digits in which two complete dates differ. */
function digitsApart(one: number, other: number): number {
  let apart = 0;
  let a = one;
  let b = other;
  while (a > 0 || b > 0) {
    if (a % 10 !== b % 10) apart += 1;
    a = Math.floor(a / 10);
    b = Math.floor(b / 10);
  }
  return apart;
}

function distanceOf(years: number): number {
  if (years <= NEAR_YEARS) return EVIDENCE.yearsNear;
  return years <= APART_YEARS ? EVIDENCE.yearsApart : EVIDENCE.yearsFar;
}

/** Evidence of the query's date against one published date or range. */
export function dateEvidence(dob: number, { from, to }: DateSpan): number {
  const score = scoreDates(dob, from, to);
  if (score === 1) return EVIDENCE.dateSame;
  if (score > 0) return EVIDENCE.dateInPart;
  if (from === to && isComplete(dob) && isComplete(from)) {
    if (digitsApart(dob, from) === 1) return EVIDENCE.dateOneDigit;
    if (yearOf(dob) === yearOf(from)) return EVIDENCE.yearOtherDay;
  }
  const year = yearOf(dob);
  if (year < yearOf(from)) return distanceOf(yearOf(from) - year);
  return distanceOf(year > yearOf(to) ? year - yearOf(to) : 0);
}

/** Evidence of the query's range of months against one published date or range. */
export function rangeEvidence(range: DateSpan, { from, to }: DateSpan): number {
  if (scoreMonths(range.from, range.to, from, to) > 0) return EVIDENCE.dateInPart;
  const years =
    yearOf(range.from) > yearOf(to)
      ? yearOf(range.from) - yearOf(to)
      : yearOf(from) - yearOf(range.to);
  return distanceOf(Math.max(0, years));
}

/** What the attributes say, each 0 where it is absent on a side. */
export interface AttributeEvidence {
  readonly date: number;
  readonly nation: number;
}

/** z of the names as thresholds see it, and what bounds what is added to it. */
export interface NameEvidence {
  /** Before the shift. */
  readonly raw: number;
  readonly shifted: number;
  readonly bits: number;
  /** Every word of both names is the same. */
  readonly isSame: boolean;
}

/** z of an entity: that of its names, and what the attributes add. */
export function withEvidence(name: NameEvidence, { date, nation }: AttributeEvidence): number {
  const counts = (evidence: number) => (evidence > 0 && name.raw < LIFTED_FROM ? 0 : evidence);
  const sum = counts(date) + counts(nation);
  const bounded = Math.max(-EVIDENCE_MOST, Math.min(EVIDENCE_MOST, sum));
  const z = name.shifted + bounded;
  if (!name.isSame || name.bits < KEPT_BITS || z >= KEPT_Z) return z;
  return Math.min(name.shifted, KEPT_Z);
}
