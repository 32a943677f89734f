/**
 * How far dates of birth agree (decisions 2.4): 1 exact, 0.5 in part, 0 not. A date is yyyymmdd
 * with 00 for an unknown month or day.
 */
import { quotient } from './machine.ts';

const PARTIAL: f64 = 0.5;

function monthOf(date: i32): i32 {
  return quotient(date, 100) % 100;
}

/** Last day that a partial date may mean; with 00 the date itself orders as the first day. */
function latest(date: i32): i32 {
  if (monthOf(date) === 0) return date + 1231;
  return date % 100 === 0 ? date + 31 : date;
}

/**
 * How far a full or partial date of the query agrees with one published date or range, all
 * yyyymmdd: 1, 0.5 or 0.
 */
export function scoreDates(query: i32, from: i32, to: i32): f64 {
  if (from !== to) return latest(query) >= from && query <= latest(to) ? PARTIAL : 0;
  const complete = query % 100 !== 0 && from % 100 !== 0;
  if (query === from) return complete ? 1 : PARTIAL;
  if (quotient(query, 10_000) !== quotient(from, 10_000)) return 0;
  if (complete) {
    const swapped = monthOf(query) === from % 100 && query % 100 === monthOf(from);
    return swapped ? PARTIAL : 0;
  }
  return PARTIAL;
}

/**
 * How far the query's range of months, yyyymm00, agrees with one published date or range: 0.5 where
 * they overlap, else 0.
 */
export function scoreMonths(first: i32, last: i32, from: i32, to: i32): f64 {
  return latest(last) >= from && first <= latest(to) ? PARTIAL : 0;
}

/** Whether two full dates differ by one digit, or by a year. */
function isNearDate(a: i32, b: i32): bool {
  const years = quotient(a, 10_000) - quotient(b, 10_000);
  if ((years === 1 || years === -1) && a % 10_000 === b % 10_000) return true;
  let differences = 0;
  let left = a;
  let right = b;
  while (left !== 0 || right !== 0) {
    if (left % 10 !== right % 10) differences += 1;
    left = quotient(left, 10);
    right = quotient(right, 10);
  }
  return differences === 1;
}

/**
 * As scoreDates, from re-ranker 1.1 on: full dates that differ by one digit, or by a year, agree in
 * part.
 */
export function scoreDatesNear(query: i32, from: i32, to: i32): f64 {
  const score = scoreDates(query, from, to);
  if (score > 0 || from !== to || query % 100 === 0 || from % 100 === 0) return score;
  return isNearDate(query, from) ? PARTIAL : 0;
}
