/**
 * The rules of the pack as others evaluate them: SQL aggregates at decision time, each with an
 * index that fits, over a table in SQLite's memory. Conditions are the product's own; every figure
 * is a query, made when a condition asks for it.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { windowOf } from '../src/slices/rules/aggregates.ts';
import { spanOf } from '../src/slices/rules/checkRule.ts';
import { compileCondition } from '../src/slices/rules/conditions.ts';
import type { Entry } from '../src/slices/rules/entry.ts';
import {
  asFraction,
  type Exact,
  fractionOf,
  over,
  times,
} from '../src/slices/rules/exactNumbers.ts';
import type { Aggregate, Condition, Operand, Rule } from '../src/slices/rules/ruleLanguage.ts';
import { Calendar } from '../src/slices/rules/spans.ts';
import {
  type Evaluation,
  type Lets,
  type Params,
  paramsOf,
  readerOf,
} from '../src/slices/rules/values.ts';

const EXPONENT = 2;
const COLUMNS =
  'tseq INTEGER PRIMARY KEY, at INTEGER, account TEXT, customer TEXT, counterparty TEXT, ' +
  'direction TEXT, channel TEXT, amount INTEGER, own INTEGER, unit INTEGER, ' +
  'cross_border INTEGER, source TEXT, target TEXT';
const INDEXES = ['account, at', 'customer, at', 'counterparty, at', 'target, at'];
/** Before or at the transaction, which is `:at` and `:tseq`. */
const UP_TO = '(at < :to OR (at = :to AND (:to < :at OR tseq <= :tseq)))';

type Figure = (of: Evaluation) => Exact | undefined;
interface SqlRule {
  readonly ruleId: string;
  readonly inScope: (entry: Entry) => boolean;
  readonly isMet: (of: Evaluation) => boolean;
}

/** A table of transactions, and rules over it. */
export class SqlRules {
  readonly #store = new DatabaseSync(':memory:');
  readonly #calendar = new Calendar('UTC');
  readonly #rules: readonly SqlRule[];

  constructor(rules: readonly Rule[]) {
    this.#store.exec(`CREATE TABLE tx (${COLUMNS})`);
    for (const [at, columns] of INDEXES.entries()) {
      this.#store.exec(`CREATE INDEX by${at} ON tx (${columns})`);
    }
    this.#rules = rules.map((rule) => this.#compiled(rule));
  }

  /** What moved money. */
  insert(entries: readonly Entry[]): void {
    const insert = this.#store.prepare(`INSERT INTO tx VALUES (${Array(13).fill('?').join(',')})`);
    this.#store.exec('BEGIN');
    for (const { amount, at, crossBorder, isCounted, own, ownUnit, texts, tseq } of entries) {
      const { account, channel, counterparty, customer, direction } = texts;
      if (!isCounted) continue;
      const isSent = direction === 'debit';
      const [source, target] = isSent ? [account, counterparty] : [counterparty, account];
      const row = [tseq, at, account, customer, counterparty, direction, channel, amount, own];
      const more = [ownUnit, crossBorder === undefined ? null : Number(crossBorder)];
      const values = [...row, ...more, source, target].map((value) => value ?? null);
      insert.run(...(values as SQLInputValue[]));
    }
    this.#store.exec('COMMIT');
  }

  /** Ids of the rules that a transaction meets. */
  met(entry: Entry): readonly string[] {
    return this.#rules
      .filter(({ inScope }) => inScope(entry))
      .filter(({ isMet }) =>
        isMet({
          calendar: this.#calendar,
          edges: undefined,
          entry,
          taken: new Map(),
          unknown: new Set(),
        }),
      )
      .map(({ ruleId }) => ruleId);
  }

  close(): void {
    this.#store.close();
  }

  #compiled(rule: Rule): SqlRule {
    const params = paramsOf(rule, undefined, EXPONENT);
    const lets = new Map<string, Figure>();
    for (const [name, spec] of Object.entries(rule.let)) {
      const figure = this.#figureOf(rule, spec, { lets: new Map(lets), params });
      lets.set(name, (of) => {
        if (!of.taken.has(name)) of.taken.set(name, figure(of));
        return of.taken.get(name);
      });
    }
    const { test } = compileCondition(rule.when, params, lets);
    const { channels, directions } = rule.scope ?? {};
    return {
      inScope: ({ texts }) =>
        (channels?.includes(texts.channel ?? '') ?? true) &&
        (directions?.includes(texts.direction) ?? true),
      isMet: (of) => test(of) === true,
      ruleId: rule.rule_id,
    };
  }

  #figureOf(
    rule: Rule,
    spec: Aggregate,
    by: { readonly lets: Lets; readonly params: Params },
  ): Figure {
    const { lets, params } = by;
    if (spec.agg === 'ratio') return ratioOf(spec, lets, params);
    const { calendar, sliding = 'P0D', until = 'P0D' } = windowOf(spec);
    const [length, ends, history] = [sliding, until, spec.history ?? 'P0D'].map((span) =>
      spanOf(rule, span),
    ) as [number, number, number];
    const subject = spec.by ?? rule.subject;
    const statement = this.#store.prepare(queryOf(spec, subject, params));
    const names = new Set(statement.sourceSQL.match(/:[a-z]+/g) ?? []);
    return ({ calendar: zone, entry }) => {
      const id = entry.texts[subject as 'account' | 'counterparty' | 'customer'];
      if (id === undefined) return undefined;
      const to = entry.at - ends;
      const given: Record<string, SQLInputValue> = {
        ':amount': Number(entry.amount ?? 0),
        ':at': entry.at,
        ':from': calendar === undefined ? to - length : zone.startOf(calendar, entry.at) - 1,
        ':id': id,
        ':past': entry.at - history,
        ':to': to,
        ':tseq': entry.tseq,
      };
      return figureFrom(
        statement,
        Object.fromEntries([...names].map((name) => [name, given[name] ?? null])),
      );
    };
  }
}

function figureFrom(
  statement: StatementSync,
  given: Record<string, SQLInputValue>,
): Exact | undefined {
  const row = statement.get(given) as { readonly n: number | null; readonly d?: number | null };
  if (row?.n === null || row?.n === undefined) return undefined;
  return row.d === undefined ? row.n : (over(row.n, row.d ?? 0) ?? 0);
}

const plainOf = (operand: Operand | undefined, params: Params): number => {
  const { d, n } = asFraction(
    readerOf(operand ?? 0, params, new Map())(undefined as never) as Exact,
  );
  return Number(n) / Number(d);
};

/** One row: a number, or one over another. */
function queryOf(spec: Aggregate, subject: string, params: Params): string {
  const inWindow = `${subject} = :id AND at > :from AND ${UP_TO}`;
  const where = spec.where === undefined ? '' : ` AND ${sqlOf(spec.where, params)}`;
  const rows = `FROM tx WHERE ${inWindow}${where}`;
  const part = (of: 'band' | 'share' | 'threshold' | 'tolerance' | 'unit'): number =>
    plainOf(spec[of], params);
  switch (spec.agg) {
    case 'count':
      return `SELECT COUNT(*) AS n ${rows}`;
    case 'sum':
      return `SELECT COALESCE(SUM(amount), 0) AS n ${rows}`;
    case 'max':
      return `SELECT MAX(amount) AS n ${rows}`;
    case 'distinct':
      return `SELECT COUNT(DISTINCT ${String(spec.of)}) AS n ${rows}`;
    case 'near_below':
      return `SELECT COUNT(*) AS n ${rows} AND amount < ${part('threshold')}
        AND amount >= ${part('threshold') * part('band')}`;
    case 'round_share':
      return `SELECT COALESCE(SUM(own % (${part('unit')} * unit) = 0), 0) AS n, COUNT(*) AS d
        ${rows}`;
    case 'same_amount':
      return `SELECT COUNT(*) AS n ${rows}
        AND ABS(amount - :amount) <= ${part('tolerance')} * :amount`;
    case 'first_seen':
      return `SELECT COUNT(DISTINCT counterparty) AS n ${rows} AND counterparty NOT IN (
        SELECT counterparty FROM tx WHERE ${subject} = :id AND at > :past AND at <= :from${where}
          AND counterparty IS NOT NULL)`;
    case 'in_out':
      return `WITH held AS (SELECT * ${rows}),
        begun AS (SELECT MIN(at) AS first FROM held WHERE direction = 'credit')
        SELECT COALESCE(SUM(CASE WHEN direction = 'debit' AND at >= first THEN amount END), 0) AS n,
          COALESCE(SUM(CASE WHEN direction = 'credit' THEN amount END), 0) AS d
        FROM held, begun`;
    case 'cycle':
      return cycleQuery(spec.hops ?? 2, part('tolerance'));
    case 'gather':
      return gatherQuery(part('share'));
    default:
      throw new Error(`no SQL for ${spec.agg}`);
  }
}

const cycleQuery = (hops: number, tolerance: number): string => `
  WITH RECURSIVE closing AS (SELECT * FROM tx WHERE tseq = :tseq),
  back(node, at, tseq, amount, hops, seen) AS (
    SELECT source, at, tseq, amount, 1, ',' || source || ',' FROM closing
    UNION ALL
    SELECT t.source, t.at, t.tseq, t.amount, b.hops + 1, b.seen || t.source || ','
    FROM back b JOIN closing c JOIN tx t ON t.target = b.node
    WHERE t.at > :from AND (t.at < b.at OR (t.at = b.at AND t.tseq < b.tseq))
      AND ABS(t.amount - b.amount) <= ${tolerance} * b.amount AND b.hops < ${hops}
      AND b.node <> c.target AND INSTR(b.seen, ',' || t.source || ',') = 0)
  SELECT COALESCE(MAX(b.hops), 0) AS n FROM back b JOIN closing c
  WHERE b.node = c.target AND b.hops > 1`;

const gatherQuery = (share: number): string => `
  WITH closing AS (SELECT * FROM tx WHERE tseq = :tseq),
  arrived AS (
    SELECT t.source AS middle, SUM(t.amount) AS arrived, MAX(t.at) AS last, c.target AS target
    FROM closing c JOIN tx t ON t.target = c.target
    WHERE t.at > :from AND (t.at < :at OR (t.at = :at AND t.tseq <= :tseq)) GROUP BY t.source),
  sent AS (
    SELECT t.source AS origin, a.middle, SUM(t.amount) AS begun, a.arrived
    FROM arrived a JOIN tx t ON t.target = a.middle
    WHERE t.at > :from AND t.at < a.last AND t.source <> a.target GROUP BY t.source, a.middle)
  SELECT COALESCE(MAX(n), 0) AS n FROM (
    SELECT COUNT(*) AS n FROM sent WHERE arrived >= ${share} * begun GROUP BY origin)`;

function ratioOf(spec: Aggregate, lets: Lets, params: Params): Figure {
  const [one = 0, other = 0] = Array.isArray(spec.of) ? (spec.of as Operand[]) : [];
  const [left, right] = [readerOf(one, params, lets), readerOf(other, params, lets)];
  return (of) => {
    const [a, b] = [left(of), right(of)];
    if (a === undefined || b === undefined) return undefined;
    const quotient = over(a as Exact, b as Exact);
    if (quotient === undefined || spec.times === undefined) return quotient;
    return times(quotient, fractionOf(spec.times));
  };
}

const SIGNS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function sqlOf(condition: Condition, params: Params): string {
  const { all, any, in: within } = condition;
  if (all !== undefined) return `(${all.map((one) => sqlOf(one, params)).join(' AND ')})`;
  if (any !== undefined) return `(${any.map((one) => sqlOf(one, params)).join(' OR ')})`;
  const column = (operand: unknown): string => String(operand).replace('tx.', '');
  if (within !== undefined) {
    const [left, right] = within;
    // Nobody of the invented payments is on a list.
    if (left === 'tx.verdicts') return '0';
    return `${column(left)} IN (${(right as string[]).map((one) => `'${one}'`).join(', ')})`;
  }
  for (const [name, sign] of Object.entries(SIGNS)) {
    const operands = condition[name as keyof typeof SIGNS];
    if (operands === undefined) continue;
    const [left, right] = operands;
    return `${column(left)} ${sign} ${literalOf(right, params)}`;
  }
  throw new Error(`no SQL for ${JSON.stringify(condition)}`);
}

function literalOf(operand: Operand | undefined, params: Params): string {
  if (typeof operand === 'boolean') return operand ? '1' : '0';
  if (typeof operand === 'string' && !operand.startsWith('param.')) return `'${operand}'`;
  return String(plainOf(operand, params));
}
