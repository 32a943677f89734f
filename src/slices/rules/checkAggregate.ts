/** Whether a named figure has what its aggregate needs, no more, and no window beyond the limit. */
import { checkCondition, kindOf, type Scoped } from './checkCondition.ts';
import { isDecimal } from './exactNumbers.ts';
import {
  AGGREGATES,
  type AggregateName,
  DISTINCT_FIELDS,
  HOPS_MAX,
  NUMBER_KINDS,
  SEEN_FIELDS,
  SUBJECTS,
  WINDOW_DAYS_MAX,
} from './ruleLanguage.ts';
import { CALENDAR_UNITS, DAY_MS, spanMs } from './spans.ts';

const WINDOWED = ['by', 'window', 'where'];
/** Members beside `agg`; a trailing `?` says that one may be left out. */
const MEMBERS: Readonly<Record<AggregateName, readonly string[]>> = {
  avg: ['by?', 'window', 'where?'],
  count: ['by?', 'window', 'where?'],
  cycle: ['hops', 'lag', 'tolerance'],
  distinct: ['of', 'by?', 'window', 'where?'],
  fan: ['of', 'by?', 'lag', 'where?'],
  first_seen: ['of', 'by?', 'window', 'history', 'where?'],
  gather: ['lag', 'share'],
  in_out: ['by?', 'lag', 'where?'],
  max: ['by?', 'window', 'where?'],
  min: ['by?', 'window', 'where?'],
  near_below: ['by?', 'window', 'threshold', 'band', 'where?'],
  ratio: ['of', 'times?'],
  round_share: ['by?', 'window', 'unit', 'where?'],
  same_amount: ['by?', 'window', 'tolerance', 'where?'],
  since_last: ['by?', 'window', 'where?'],
  stddev: ['by?', 'window', 'where?'],
  sum: ['by?', 'window', 'where?'],
};

/** Notes what is wrong with it. */
export function checkAggregate(scoped: Scoped, value: unknown, pointer: string): void {
  const { found } = scoped;
  const all = ['agg', 'of', 'hops', 'lag', 'tolerance', 'history', 'threshold', 'band', 'unit'];
  const given = found.object(value, pointer, [...all, 'share', 'times', ...WINDOWED]);
  if (given === undefined || !found.oneOf(given.agg, `${pointer}/agg`, AGGREGATES)) return;
  const agg = given.agg as AggregateName;
  const members = MEMBERS[agg];
  const names = members.map((one) => one.replace('?', ''));
  for (const name of Object.keys(given)) {
    if (name === 'agg' || names.includes(name)) continue;
    const detail = `expected of ${agg}: ${names.join(', ')}`;
    found.add(`${pointer}/${name}`, 'unknown-member', detail);
  }
  for (const name of members.filter((one) => !one.endsWith('?') && given[one] === undefined)) {
    found.add(`${pointer}/${name}`, 'missing', `expected, of ${agg}`);
  }
  for (const name of names.filter((one) => given[one] !== undefined)) {
    checkMember(scoped, agg, { name, pointer: `${pointer}/${name}`, value: given[name] });
  }
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly pointer: string;
}

function checkMember(scoped: Scoped, agg: AggregateName, { name, pointer, value }: Member): void {
  const { found } = scoped;
  if (name === 'by') found.oneOf(value, pointer, SUBJECTS);
  else if (name === 'where') {
    checkCondition({ ...scoped, isFilter: true, lets: new Map() }, value, { depth: 1, pointer });
  } else if (name === 'window') checkWindow(scoped, value, pointer);
  else if (name === 'lag' || name === 'history') checkSpan(scoped, value, pointer);
  else if (name === 'of') checkOf(scoped, agg, value, pointer);
  else if (name === 'hops') {
    const isCount = Number.isInteger(value) && Number(value) >= 2 && Number(value) <= HOPS_MAX;
    if (!isCount) found.add(pointer, 'range', `expected an integer from 2 to ${HOPS_MAX}`);
  } else if (name === 'times') {
    if (typeof value !== 'string' || !isDecimal(value)) {
      found.add(pointer, 'format', 'expected a decimal string');
    }
  } else {
    const kind = kindOf({ ...scoped, isFilter: true, lets: new Map() }, value, pointer);
    const wanted = name === 'threshold' ? 'amount' : 'plain';
    if (kind === undefined || kind === wanted) return;
    found.add(pointer, 'type', `expected ${wanted === 'amount' ? 'an amount' : 'a number'}`);
  }
}

function checkOf(scoped: Scoped, agg: AggregateName, value: unknown, pointer: string): void {
  const { found } = scoped;
  if (agg === 'distinct') found.oneOf(value, pointer, DISTINCT_FIELDS);
  else if (agg === 'first_seen') found.oneOf(value, pointer, SEEN_FIELDS);
  else if (agg === 'fan') found.oneOf(value, pointer, ['in', 'out']);
  else {
    const operands = found.list(value, pointer, 2, 2) ?? [];
    const [one, other] = operands.map((operand, at) => kindOf(scoped, operand, `${pointer}/${at}`));
    if (one === undefined || other === undefined) return;
    if (one === other && NUMBER_KINDS.includes(one)) return;
    found.add(
      pointer,
      'type',
      `expected numbers, amounts or spans, of one kind, got ${one} and ${other}`,
    );
  }
}

function checkWindow(scoped: Scoped, value: unknown, pointer: string): void {
  const { found } = scoped;
  const window = found.object(value, pointer, ['sliding', 'until', 'calendar', 'self']);
  if (window === undefined) return;
  const { calendar, self, sliding, until } = window;
  if ((sliding === undefined) === (calendar === undefined)) {
    found.add(pointer, 'missing', 'expected either sliding or calendar');
  }
  if (calendar !== undefined) found.oneOf(calendar, `${pointer}/calendar`, CALENDAR_UNITS);
  if (calendar !== undefined && until !== undefined) {
    found.add(`${pointer}/until`, 'unknown-member', 'expected with sliding alone');
  }
  if (sliding !== undefined) checkSpan(scoped, sliding, `${pointer}/sliding`);
  if (until !== undefined) checkSpan(scoped, until, `${pointer}/until`);
  if (self !== undefined && typeof self !== 'boolean') {
    found.add(`${pointer}/self`, 'type', 'expected true or false');
  }
  const both = [sliding, until].map((one) => (typeof one === 'string' ? (spanMs(one) ?? 0) : 0));
  checkReach(scoped, (both[0] ?? 0) + (both[1] ?? 0), pointer);
}

/** A span, or a parameter that is a duration; its value is bounded when the rule is compiled. */
function checkSpan(scoped: Scoped, value: unknown, pointer: string): void {
  const { found, params } = scoped;
  if (typeof value === 'string' && value.startsWith('param.')) {
    if (params.get(value.slice('param.'.length)) === 'duration') return;
    found.add(pointer, 'unknown-member', 'expected a parameter that is a duration');
    return;
  }
  const ms = typeof value === 'string' ? spanMs(value) : undefined;
  if (ms === undefined) found.add(pointer, 'format', 'expected a span of ISO 8601, as P30D');
  else checkReach(scoped, ms, pointer);
}

function checkReach({ found }: Scoped, ms: number, pointer: string): void {
  if (ms <= WINDOW_DAYS_MAX * DAY_MS) return;
  found.add(pointer, 'range', `expected ${WINDOW_DAYS_MAX} days at the most`);
}
