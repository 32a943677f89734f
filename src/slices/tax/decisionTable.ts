/**
 * Decision tables: rules in order over enumerated facts, of which the first that matches decides.
 * A table is data (config/tax) and is total: its last rule asks for nothing. What was looked at is
 * told rule by rule, so that a person can follow it.
 */
import assert from 'node:assert/strict';

/** A fact has one of these values. */
export type Facts = Readonly<Record<string, string>>;

/** A rule: for each fact that it names, the values that fit. */
export interface DecisionRule<Outcome> {
  readonly id: string;
  readonly when: Readonly<Record<string, readonly string[]>>;
  readonly then: Outcome;
  readonly because: string;
}

/** A table as its file has it. */
export interface DecisionTable<Outcome> {
  readonly table: string;
  readonly facts: Readonly<Record<string, readonly string[]>>;
  readonly rules: readonly DecisionRule<Outcome>[];
}

/** A rule that was looked at. */
export interface TraceStep {
  readonly table: string;
  readonly rule: string;
  readonly matched: boolean;
  /** A rule that decides tells its reason, another one the first fact that does not fit. */
  readonly because: string;
}

/** What a table decides. */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  readonly rule: string;
  readonly trace: readonly TraceStep[];
}

/** The table, once every rule names facts and values that it has and the last one asks for none. */
export function checkTable<Outcome>(table: DecisionTable<Outcome>): DecisionTable<Outcome> {
  const ids = table.rules.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, `${table.table}: two rules of one id`);
  for (const { id, when } of table.rules) {
    for (const [fact, values] of Object.entries(when)) {
      const known = table.facts[fact] ?? [];
      const odd = values.filter((value) => !known.includes(value));
      assert.deepEqual(odd, [], `${table.table}, rule ${id}: values that ${fact} does not have`);
    }
  }
  const last = Object.keys(table.rules.at(-1)?.when ?? { none: [] });
  assert.deepEqual(last, [], `${table.table}: the last rule must ask for nothing`);
  return table;
}

/** The first rule that fits, and all before it. Every fact must have a value of the table. */
export function decide<Outcome>(table: DecisionTable<Outcome>, facts: Facts): Decision<Outcome> {
  for (const [fact, values] of Object.entries(table.facts)) {
    assert(values.includes(facts[fact] ?? ''), `${table.table}: ${fact} has no value of the table`);
  }
  const trace: TraceStep[] = [];
  for (const { because, id, then, when } of table.rules) {
    const odd = Object.keys(when).find((fact) => !when[fact]?.includes(facts[fact] ?? ''));
    const matched = odd === undefined;
    trace.push({
      because: matched ? because : `${odd} is ${facts[odd]}`,
      matched,
      rule: id,
      table: table.table,
    });
    if (matched) return { outcome: then, rule: id, trace };
  }
  return assert.fail(`${table.table}: no rule fits`);
}
