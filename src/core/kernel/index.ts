/** What every slice shares: ids, errors, the shape of events and of changes. */
export * from './effects.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './foldRows.ts';
export * from './fullDisk.ts';
export * from './ids.ts';
export type { LimitRow } from './limitRow.ts';
export * from './port.ts';
export * from './problemRows.ts';
export * from './problemTable.ts';
export * from './publicEvents.ts';
export * from './records.ts';
export * from './schemaWords.ts';
export * from './slice.ts';
export {
  type AnyTable,
  type Change as TableChange,
  type DerivedField,
  type FieldOf,
  isDerived,
  type LeaseSpec,
  type PersonalMember,
  type PlainSpec,
  type PlainTable,
  plainTable,
  type Scalar,
  type Table,
  type TableRecord,
  type TableSpec,
  table,
  writesOf,
} from './table.ts';
export * from './tables.ts';
export * from './violations.ts';
