/**
 * What the default pack finds: typologies planted in invented ordinary life, by the label of each
 * plant, beside alerts of accounts in which nothing was planted. The baseline is one threshold on
 * amounts, and of the speed the same rules as SQL aggregates, in the same run.
 */
import { createHash } from 'node:crypto';
import type { EpochMs } from '../src/platform/clock.ts';
import { exponentOf, generateTransactions, readMessage } from '../src/slices/monitoring/index.ts';
import { planRules } from '../src/slices/rules/compileRule.ts';
import { DEFAULT_PACK } from '../src/slices/rules/defaultPack.ts';
import { type Entry, entryOf } from '../src/slices/rules/entry.ts';
import { contextOf } from '../src/slices/rules/readEntries.ts';
import { RuleEngine } from '../src/slices/rules/ruleEngine.ts';
import { SqlRules } from './sqlRules.ts';

const BASE = 'EUR';
const THRESHOLD_MINOR = 1_000_000;
const TOGETHER = 1_000;
const MONTHS = 7;
/** Transactions that SQL evaluates, over the table of all of them. */
const SQL_EVALUATED = 5_000;

/** How much is generated. */
export interface TypologyScale {
  readonly accounts: number;
  readonly transactions: number;
  readonly planted: number;
}

/** Figures of one run. */
export interface TypologyFigures {
  /** By rule, the part of its plants in which one of the plant's transactions met it. */
  readonly recall: Readonly<Record<string, number>>;
  /** The same by one threshold on amounts. */
  readonly baseline: Readonly<Record<string, number>>;
  /** Alerts without a planted transaction, of 1,000 accounts in a month. */
  readonly background: number;
  readonly backgroundByRule: Readonly<Record<string, number>>;
  readonly transactions: number;
  readonly cpuSeconds: number;
  readonly sql: SqlFigures;
}

/** The same rules as SQL. */
export interface SqlFigures {
  readonly evaluated: number;
  readonly cpuSeconds: number;
  /** Share of the hits of either that both have. */
  readonly agreeing: number;
}

/** Everything is evaluated in the order of events. */
export function measureTypologies(scale: TypologyScale): TypologyFigures {
  const labels = new Map<string, string>();
  const entries = entriesOf(scale, labels);
  const plan = planRules(
    DEFAULT_PACK.map((rule) => ({ mode: 'live' as const, rule, version: 1 })),
    exponentOf(BASE) ?? 2,
  );
  const engine = new RuleEngine({
    baseCurrency: BASE,
    keyOf: (kind, id) => createHash('sha256').update(`${kind}\0${id}`).digest('hex'),
    plan,
    zone: 'UTC',
  });
  const hits = new Set<string>();
  const began = process.cpuUsage();
  for (let at = 0; at < entries.length; at += TOGETHER) {
    for (const [tseq, names] of engine.take(entries.slice(at, at + TOGETHER)).triggered) {
      for (const name of names) hits.add(`${engine.alerts.get(name)?.ruleId} ${tseq}`);
    }
  }
  engine.catchUp(Number.MAX_SAFE_INTEGER);
  const { system, user } = process.cpuUsage(began);
  const found = new Set<string>();
  const noise = new Map<string, number>();
  for (const { ruleId, triggers } of engine.alerts.values()) {
    const own = triggers.map(({ txId }) => labels.get(txId)).filter((one) => one !== undefined);
    for (const label of own) if (label.startsWith(`${ruleId}/`)) found.add(label);
    if (own.length === 0) noise.set(ruleId, (noise.get(ruleId) ?? 0) + 1);
  }
  const large = new Set(
    entries
      .filter(({ amount }) => (amount ?? 0) >= THRESHOLD_MINOR)
      .map(({ txId }) => labels.get(txId)),
  );
  const per = (count: number) =>
    Math.round((count / (scale.accounts / 1_000) / MONTHS) * 100) / 100;
  return {
    background: per([...noise.values()].reduce((sum, count) => sum + count, 0)),
    backgroundByRule: Object.fromEntries([...noise].map(([rule, count]) => [rule, per(count)])),
    baseline: partsOf(labels, large),
    cpuSeconds: (system + user) / 1e6,
    recall: partsOf(labels, found),
    sql: measureSql(entries, hits),
    transactions: entries.length,
  };
}

/** Every few transactions, so that windows are those of the whole run. */
function measureSql(entries: readonly Entry[], hits: ReadonlySet<string>): SqlFigures {
  const sql = new SqlRules(DEFAULT_PACK);
  sql.insert(entries);
  const step = Math.max(1, Math.floor(entries.length / SQL_EVALUATED));
  const some = entries.filter((_, at) => at % step === 0);
  const began = process.cpuUsage();
  const met = some.map((entry) => sql.met(entry));
  const { system, user } = process.cpuUsage(began);
  sql.close();
  const bySql = new Set(
    some.flatMap(({ tseq }, at) => (met[at] ?? []).map((id) => `${id} ${tseq}`)),
  );
  const numbers = new Set(some.map(({ tseq }) => String(tseq)));
  const ours = [...hits].filter((hit) => numbers.has(hit.split(' ')[1] ?? ''));
  const both = ours.filter((hit) => bySql.has(hit)).length;
  return {
    agreeing: both / Math.max(1, new Set([...ours, ...bySql]).size),
    cpuSeconds: (system + user) / 1e6,
    evaluated: some.length,
  };
}

function entriesOf(scale: TypologyScale, labels: Map<string, string>): Entry[] {
  const own = { baseCurrency: BASE, ownBics: new Set<string>(), ownIbans: [], zone: 'UTC' };
  const context = contextOf(BASE, { facts: new Map(), table: undefined });
  const entries: Entry[] = [];
  let waiting: Readonly<Record<string, unknown>>[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    const bytes = Buffer.from(JSON.stringify({ transactions: waiting }));
    const { refusals, transactions } = readMessage('json_service', bytes, own);
    if (refusals.length > 0) throw new Error(JSON.stringify(refusals[0]));
    for (const { transaction } of transactions) {
      const receivedAt = Date.parse(transaction.occurred_at) as EpochMs;
      const tseq = entries.length + 1;
      entries.push(
        entryOf({ parties: [], receivedAt, tseq, txId: transaction.tx_id }, transaction, context),
      );
    }
    waiting = [];
  };
  for (const { label, transaction } of generateTransactions({
    ...scale,
    seed: 20,
    until: '2026-11-01',
  })) {
    if (label !== undefined) labels.set(String(transaction.tx_id), label);
    waiting.push(transaction);
    if (waiting.length === TOGETHER) flush();
  }
  flush();
  return entries;
}

/** By rule, which part of its labels is among these. */
function partsOf(
  labels: ReadonlyMap<string, string>,
  found: ReadonlySet<string | undefined>,
): Record<string, number> {
  const all = new Map<string, { wanted: number; met: number }>();
  for (const label of new Set(labels.values())) {
    const rule = label.slice(0, label.lastIndexOf('/'));
    const known = all.get(rule) ?? { met: 0, wanted: 0 };
    known.wanted += 1;
    if (found.has(label)) known.met += 1;
    all.set(rule, known);
  }
  return Object.fromEntries(
    [...all].map(([rule, { met, wanted }]) => [rule, Math.round((met / wanted) * 1_000) / 1_000]),
  );
}
