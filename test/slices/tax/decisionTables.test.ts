/** The shipped tables: total, every rule reachable, the first that fits decides. */
import { describe, expect, test } from 'vitest';
import { checkTable, type DecisionTable, decide, type Facts, TABLES } from '#slices/tax';

/** Every `stride`th combination of the facts, in one order. */
function* combinations({ facts }: DecisionTable<unknown>, stride: number): Generator<Facts> {
  const names = Object.keys(facts);
  const total = names.reduce((count, name) => count * (facts[name] ?? []).length, 1);
  for (let place = 0; place < total; place += stride) {
    let left = place;
    const values: Record<string, string> = {};
    for (const name of names) {
      const all = facts[name] ?? [];
      values[name] = all[left % all.length] ?? '';
      left = Math.floor(left / all.length);
    }
    yield values;
  }
}

/** Prime to the sizes of all facts, so that every value meets every other. */
const SAMPLED = 13;

describe.each(Object.entries(TABLES))('%s', (name, table) => {
  const stride = name === 'entityFatca' ? SAMPLED : 1;

  test('every combination has its first rule, and every rule its combination', () => {
    const deciding = new Set<string>();
    for (const facts of combinations(table as DecisionTable<unknown>, stride)) {
      const { rule, trace } = decide(table as DecisionTable<unknown>, facts);
      deciding.add(rule);
      const fits = table.rules.findIndex(({ when }) =>
        Object.entries(when).every(([fact, values]) => (values ?? []).includes(facts[fact] ?? '')),
      );
      if (table.rules[fits]?.id !== rule || trace.length !== fits + 1) {
        expect.fail(`${JSON.stringify(facts)}: ${rule} is not the first that fits`);
      }
    }
    expect([...deciding].sort()).toEqual(table.rules.map(({ id }) => id).sort());
  });
});

test('outcomes are those of the forms and of the standard', () => {
  const statuses = (table: { rules: readonly { then: { status: string } }[] }) =>
    new Set(table.rules.map(({ then }) => then.status)).size;
  // 32 of line 5 of Form W-8BEN-E, two of US persons, the floor, what is not documented yet, and a
  // form that is awaited anew.
  expect(statuses(TABLES.entityFatca)).toBe(37);
  expect(statuses(TABLES.individualFatca)).toBe(11);
  const reports = TABLES.entityFatca.rules.flatMap(({ then }) => then.reports ?? []);
  expect(new Set(reports)).toEqual(
    new Set(['FATCA101', 'FATCA102', 'FATCA103', 'FATCA104', 'FATCA105']),
  );
});

test('a table that is not total, or asks for what it does not know, is no table', () => {
  const facts = { a: ['x', 'y'] };
  const tableOf = (when: Record<string, readonly string[]>) => ({
    facts,
    // biome-ignore lint/suspicious/noThenProperty: the word of decision tables
    rules: [{ because: '', id: 'r', then: {}, when }],
    table: 't',
  });
  expect(() => checkTable(tableOf({ a: ['x'] }))).toThrow('the last rule must ask for nothing');
  expect(() => checkTable(tableOf({ b: ['x'] }))).toThrow('values that b does not have');
  expect(() => decide(tableOf({}), { a: 'z' })).toThrow('a has no value of the table');
});
