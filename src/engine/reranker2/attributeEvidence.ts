/**
 * What attributes say beside the names, added to z: logarithms of how much likelier an agreement is
 * of one person than of two. A missing attribute says nothing. Dates and nationalities that agree
 * lift a name no further than it is likely by itself, so that no birthday makes a match of another
 * name; an equal identifier is always for review. Evidence against never clears an identical rare
 * name by itself.
 */
import type { DateSpan } from '../dateDistance.ts';
import { scoreDates, scoreMonths } from '../native/dates.ts';
import type { NormalizedQuery } from '../ports.ts';
import { ENTITY_FEMALE, ENTITY_IDENTIFIED, ENTITY_IMO, ENTITY_MALE } from '../snapshotFormat.ts';

/** Evidence of each attribute, by how it agrees. */
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
  genderOther: -3,
  identifierSame: 6,
  identifierOther: -0.5,
  imoOther: -4,
} as const;
/** Sum of the evidence, at most, either way. */
const EVIDENCE_MOST = 6;
/**
 * z of the names, as thresholds see it, above which agreeing dates and nationalities lift it, and
 * by how much for each unit above it. A name that is under .27 by itself is not lifted, and one
 * under .60, where a batch clears, stays under .85, where a match begins.
 */
const LIFTED_FROM = -1;
const LIFT_PER_Z = 0.94;
/** Bounds are lowered by more than the order of sums can matter. */
const BOUND_SLACK = 1e-6;
const NEAR_YEARS = 2;
const APART_YEARS = 5;
/** z of what is kept for review: an identical name of this much information, an identifier. */
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

/** Evidence of a gender that is known on both sides, from an entity's flags. */
export function genderEvidence(gender: 'f' | 'm' | undefined, flags: number): number {
  const other = gender === 'm' ? ENTITY_FEMALE : gender === 'f' ? ENTITY_MALE : 0;
  return (flags & other) !== 0 ? EVIDENCE.genderOther : 0;
}

/** Evidence of identifiers: one is equal, or both have some and none is. */
export function identifierEvidence(
  { identifiers, imo }: Pick<NormalizedQuery, 'identifiers' | 'imo'>,
  flags: number,
  isEqual: boolean,
): number {
  if (isEqual) return EVIDENCE.identifierSame;
  if (identifiers === undefined || (flags & ENTITY_IDENTIFIED) === 0) return 0;
  return imo === true && (flags & ENTITY_IMO) !== 0 ? EVIDENCE.imoOther : EVIDENCE.identifierOther;
}

/** What the attributes say, each 0 where it is absent on a side. */
export interface AttributeEvidence {
  readonly date: number;
  readonly nation: number;
  readonly gender: number;
  readonly identifier: number;
}

/** No attribute says anything. */
export const NO_EVIDENCE: AttributeEvidence = { date: 0, gender: 0, identifier: 0, nation: 0 };

/** z of the names as thresholds see it, and what bounds what is added to it. */
export interface NameEvidence {
  readonly shifted: number;
  readonly bits: number;
  /** Every word of both names is the same. */
  readonly isSame: boolean;
}

/** How far agreeing dates and nationalities may lift a name of this z. */
function liftOf(z: number): number {
  return z > LIFTED_FROM ? (z - LIFTED_FROM) * LIFT_PER_Z : 0;
}

function agreeing(evidence: number): number {
  return Math.max(0, evidence);
}

function conflicting(evidence: number): number {
  return Math.min(0, evidence);
}

/**
 * z of the names, at least, with which an entity of this evidence can reach `least`: a bound, no
 * part of any score.
 */
export function nameRequired(least: number, evidence: AttributeEvidence): number {
  if (evidence.identifier > 0) return Number.NEGATIVE_INFINITY;
  const lift = Math.min(EVIDENCE_MOST, agreeing(evidence.date) + agreeing(evidence.nation));
  if (least <= LIFTED_FROM || lift === 0) return least - BOUND_SLACK;
  const byLift = (least + LIFT_PER_Z * LIFTED_FROM) / (1 + LIFT_PER_Z);
  return Math.max(least - lift, byLift) - BOUND_SLACK;
}

/** z of an entity: that of its names, and what the attributes add. */
export function withEvidence(
  name: NameEvidence,
  { date, gender, identifier, nation }: AttributeEvidence,
): number {
  const lift = Math.min(agreeing(date) + agreeing(nation), liftOf(name.shifted));
  const against = conflicting(date) + conflicting(nation) + gender;
  const sum = lift + against + identifier;
  const z = name.shifted + Math.max(-EVIDENCE_MOST, Math.min(EVIDENCE_MOST, sum));
  if (z >= KEPT_Z) return z;
  if (identifier > 0) return KEPT_Z;
  if (!name.isSame || name.bits < KEPT_BITS) return z;
  return Math.max(z, Math.min(name.shifted, KEPT_Z));
}
