/**
 * Rules for a change of a declared table, checked before a store reads any record. A breach is a
 * mistake of the slice that made the change: it throws, and is never stale.
 */
import assert from 'node:assert/strict';
import {
  isDerived,
  PLATFORM_CHAIN,
  type PlainTable,
  type Scalar,
  type TableChange,
  writesOf,
} from '#core/kernel';

const OPS: Readonly<Record<string, readonly TableChange['op'][]>> = {
  appendOnly: ['insert', 'expect'],
  once: ['insert', 'put', 'expect'],
  rows: ['append'],
  versioned: ['insert', 'put', 'remove', 'expect'],
};

/** Throws unless the change may stand in a commit of this chain. */
export function assertTableChange(
  { name, spec }: PlainTable,
  chain: string,
  change: TableChange,
): void {
  const say = (text: string) => `table ${name}: ${text}`;
  const { key = {}, op, record = key, versionExpected } = change;
  const writes = writesOf(spec);
  assert(OPS[writes]?.includes(op), say(`${op} of a table of ${writes}`));
  for (const member of spec.key) assertKeyMember(record[member], say(`key member ${member}`));
  assertChain(spec.chain, { chain, change, message: say('a record of another chain') });
  assertWork({ name, spec }, change);
  if (writes !== 'versioned' || op === 'expect') return;
  if (op !== 'insert') assert(Number.isSafeInteger(versionExpected), say(`${op} has no version`));
  if (change.record === undefined) return;
  const { version } = change.record;
  const isNewer = Number.isSafeInteger(version) && Number(version) > (versionExpected ?? 0);
  assert(isNewer, say(`version ${version} must be over ${versionExpected ?? 0}`));
}

/** Work members are written by the insert, and by the end as far as it names them. */
function assertWork({ name, spec }: PlainTable, { op, record = {}, work = [] }: TableChange): void {
  if (op === 'insert') assertDue({ name, spec }, record);
  if (work.length === 0) return;
  const open = spec.open === undefined ? undefined : spec.derived?.[spec.open];
  const isEnd = op === 'put' && open !== undefined && !isDerived(open, record);
  assert(isEnd, `table ${name}: ${work.join()} are written by a put that ends the record`);
  const foreign = work.find((member) => !spec.work?.includes(member));
  assert(foreign === undefined, `table ${name}: ${foreign} is not a work field`);
}

/** Throws where a record would wait and never be due: it would never be leased. */
export function assertDue(
  { name, spec }: PlainTable,
  record: Readonly<Record<string, unknown>>,
): void {
  const { due } = spec.leased ?? {};
  const open = spec.open === undefined ? undefined : spec.derived?.[spec.open];
  if (due === undefined || (open !== undefined && !isDerived(open, record))) return;
  assert(Number.isSafeInteger(record[due]), `table ${name}: an open record has no ${due}`);
}

function assertChain(
  declared: string,
  { chain, change, message }: { chain: string; change: TableChange; message: string },
): void {
  if (declared === 'any') return;
  if (declared === 'platform') assert.equal(chain, PLATFORM_CHAIN, message);
  // A key alone may not name its tenant: then the stored record is checked.
  else if (change.record !== undefined) assert.equal(change.record[declared], chain, message);
  else assert((change.key?.[declared] ?? chain) === chain, message);
}

/** Text, or an integer that is not negative. */
export function assertKeyMember(value: unknown, message: string): asserts value is Scalar {
  const isInteger = Number.isSafeInteger(value) && Number(value) >= 0;
  assert(typeof value === 'string' || isInteger, message);
}
