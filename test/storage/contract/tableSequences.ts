/**
 * Random sequences of commits and of writes outside them, on the store and on the model in step:
 * after each the same answers. Few keys and few values, so that everything meets everything.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type TableChange, writesOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type PlainRecord, valuesOf } from '../modelRows.ts';
import {
  type SampleOf,
  sampleEnd,
  sampleKey,
  sampleRecord,
  type TableCase,
} from './sampleRecord.ts';
import {
  ACCOUNTS,
  DELIVERIES,
  JOBS,
  LINES,
  NOTES,
  PIECES,
  POLICIES,
  TICKETS,
} from './syntheticTables.ts';
import type { Twins } from './twins.ts';

/** Tables that one sequence is about: few, so that its steps meet. */
const TOGETHER = [
  [JOBS],
  [JOBS, PIECES],
  [TICKETS, ACCOUNTS],
  [DELIVERIES, LINES],
  [POLICIES, NOTES],
] as const;
const KEYS = 4;

interface RandomChange {
  readonly of: number;
  /** `save` inserts what is not there, and puts what is. */
  readonly op: 'save' | 'insert' | 'end' | 'remove' | 'expect';
  /** Whose key, and whose values. */
  readonly key: number;
  readonly values: number;
  /** How far the version that is named stands over the one that is there. */
  readonly ahead: number;
}

type Step =
  | { readonly kind: 'commit'; readonly changes: readonly RandomChange[] }
  | {
      readonly kind: 'saveWork' | 'lease' | 'claim' | 'renew' | 'giveBack' | 'takeOver' | 'missing';
      readonly of: number;
      readonly key: number;
      readonly values: number;
      readonly isOwn: boolean;
    };
type Outside = Exclude<Step, { kind: 'commit' }>;

const SAVES = ['save', 'save', 'save', 'save', 'save'] as const;
const of = fc.nat({ max: 1 });
const key = fc.nat({ max: KEYS - 1 });
const values = fc.nat({ max: 7 });
const change: fc.Arbitrary<RandomChange> = fc.record({
  ahead: fc.constantFrom(...[0, 0, 0, 0, 0, 0, 0, 1]),
  key,
  of,
  op: fc.constantFrom(...SAVES, ...SAVES, 'insert', 'end', 'remove', 'expect'),
  values,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    changes: fc.array(change, { maxLength: 3, minLength: 1 }),
    kind: fc.constant('commit' as const),
  }),
  fc.record({
    isOwn: fc.constantFrom(true, true, false),
    key,
    kind: fc.constantFrom<Outside['kind'][]>(
      ...([
        'saveWork',
        'lease',
        'claim',
        'claim',
        'renew',
        'giveBack',
        'takeOver',
        'missing',
      ] as const),
    ),
    of,
    values,
  }),
);
const sequence = fc.record({
  cases: fc.constantFrom(...TOGETHER),
  steps: fc.array(step, { maxLength: 20, minLength: 8 }),
});

export function tableSequencesContract(twins: () => Twins, runs: number): void {
  test('whatever is done in whatever order, the store answers as the model', async () => {
    // Another tenant, of whom everything stays as it was.
    const bystander = new Run(twins(), TOGETHER.flat());
    await bystander.begin();
    const before = await bystander.view();
    await fc.assert(
      fc.asyncProperty(sequence, async ({ cases, steps }) => {
        const run = new Run(twins(), cases);
        await run.begin();
        for (const one of steps) await run.take(one);
      }),
      { numRuns: runs },
    );
    expect(await bystander.view()).toEqual(before);
  });
}

class Run {
  readonly #cases: readonly TableCase[];
  readonly #twins: Twins;
  readonly #sample: SampleOf;

  constructor(twins: Twins, cases: readonly TableCase[]) {
    this.#cases = cases;
    this.#twins = twins;
    this.#sample = twins.sample();
  }

  async view(): Promise<unknown> {
    const views = this.#cases.map((of) => {
      const keys = Array.from({ length: KEYS }, (_, n) => sampleKey(of, n, this.#sample));
      return this.#twins.store.tables.findMany(of.table, keys);
    });
    return (await Promise.all(views)).map((records) => new Set(records));
  }

  /** All keys but the last are there. */
  async begin(): Promise<void> {
    for (const of of new Set(this.#cases)) {
      const records = [...Array(KEYS - 1).keys()].map((n) => sampleRecord(of, n, this.#sample));
      const isRows = writesOf(of.spec) === 'rows';
      const changes = records.map((one) => (isRows ? of.table.append(one) : of.table.insert(one)));
      await this.#twins.commit(this.#sample.tenant, changes);
    }
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'commit') {
      const changes = await Promise.all(step.changes.map((one) => this.#changeOf(one)));
      await this.#twins.commit(this.#sample.tenant, changes);
    } else if (this.#caseOf(step).spec.leased !== undefined) {
      await this.#outside(step, this.#caseOf(step));
    }
    for (const of of this.#cases) await this.#look(of);
  }

  #caseOf(step: { readonly of: number }): TableCase {
    return this.#cases[step.of] ?? this.#cases[0] ?? JOBS;
  }

  /** Every record of a table, and the pages of its indexes. */
  async #look(of: TableCase): Promise<void> {
    const keys = Array.from({ length: KEYS }, (_, n) => sampleKey(of, n, this.#sample));
    await this.#twins.tables.findMany(of.table, keys);
    for (const [index, [first]] of Object.entries(of.spec.indexes ?? {})) {
      if (first !== of.spec.chain) continue;
      const equal = { [first]: this.#sample.tenant };
      await this.#twins.tables.page(of.table, { equal, index, limit: KEYS });
    }
  }

  async #changeOf(change: RandomChange): Promise<TableChange> {
    const { ahead, key, op, values } = change;
    const of = this.#caseOf(change);
    const { table } = of;
    const writes = writesOf(of.spec);
    const keyOf = sampleKey(of, key, this.#sample);
    const stored = await this.#twins.model.tables.find(table, keyOf);
    const record = this.#valued(of, key, values);
    if (writes === 'rows') return table.append(sampleRecord(of, key, this.#sample));
    const isMissing = stored === undefined && op === 'save';
    if (op === 'insert' || isMissing) return table.insert(record);
    const version = Number(stored?.version ?? 1) + ahead;
    if (op === 'expect') return table.expect(keyOf, writes === 'versioned' ? { version } : {});
    const work = (of.spec.work ?? []).filter((_, at) => (values + at) % 2 === 0);
    if (writes === 'once') return table.put(sampleEnd(of, record), undefined, { work });
    if (op === 'remove') return table.remove(keyOf, version);
    const next = { ...record, ...touchedOf(of, stored), version: version + 1 };
    const isEnd = op === 'end' && of.spec.open !== undefined;
    if (!isEnd) return table.put(next, version);
    return table.put({ ...sampleEnd(of, next), version: next.version }, version, { work });
  }

  /** The record of this key with the values of another; two of one value are not unique. */
  #valued(of: TableCase, key: number, values: number): PlainRecord {
    const record = sampleRecord(of, values, this.#sample);
    return { ...record, ...sampleKey(of, key, this.#sample) };
  }

  async #outside(step: Outside, of: TableCase): Promise<void> {
    const { isOwn, kind, values } = step;
    const { tables } = this.#twins;
    const record = sampleRecord(of, step.key, this.#sample);
    const holder = isOwn ? 'one' : 'two';
    if (kind === 'missing') {
      if (Object.keys(of.spec.unique ?? {}).length > 0) return;
      await tables.insertMissing(of.table, [this.#valued(of, step.key, values), record]);
    } else if (kind === 'lease') {
      const lane = valuesOf(of, record, of.spec.leased?.lane ?? []);
      const now = (1_000 + values) as EpochMs;
      if (lane !== undefined) await tables.lease(of.table, { holder, lane, limit: 2, now });
    } else if (kind === 'claim') {
      await tables.claim(of.table, { holder, key: sampleKey(of, step.key, this.#sample) });
    } else await this.#asHolder(step, of);
  }

  /** By one who has a row, or who had it, or who never did. */
  async #asHolder({ isOwn, key: at, kind, values }: Outside, of: TableCase): Promise<void> {
    const { tables } = this.#twins;
    const { leased, work: fields = [] } = of.spec;
    const keys = Array.from({ length: KEYS }, (_, n) => sampleKey(of, n, this.#sample));
    const all = await this.#twins.model.tables.held(of.table, { limit: 1_000 });
    const held = all.flatMap(({ lease, record }) => {
      const key = keys.find((one) => of.spec.key.every((field) => record[field] === one[field]));
      return key === undefined ? [] : [{ key, lease }];
    });
    const nobody = { key: keys[at] ?? {}, lease: { beat: 1, fence: 1, holder: 'one', tries: 1 } };
    const { key, lease } = held[at % (held.length || 1)] ?? nobody;
    const claim = isOwn ? lease : { ...lease, fence: lease.fence - (values % 2), holder: 'two' };
    const work = Object.fromEntries(
      fields.map((field) => [field, field === leased?.due ? 1_000 + values : [values, 'é']]),
    );
    if (kind === 'takeOver') await tables.takeOver(of.table, { holder: 'new', key, seen: claim });
    if (kind === 'renew') await tables.renew(of.table, { claim, key, work });
    if (kind === 'giveBack')
      await tables.giveBack(of.table, { claim, isTried: values % 3 > 0, key, work });
    if (kind === 'saveWork' && fields.length > 0)
      await tables.saveWork(of.table, { key, work, ...(values % 4 > 0 && { claim }) });
  }
}

const touchedOf = ({ spec: { touch } }: TableCase, stored: PlainRecord | undefined): PlainRecord =>
  touch === undefined || stored?.[touch] === undefined ? {} : { [touch]: stored[touch] };
