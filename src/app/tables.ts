/** Every table that core or a slice declares: what the store of an installation is opened with. */
import type { AnyTable } from '#core/kernel';
import { dataKeyTable } from '../core/blobs/tables.ts';
import {
  apiKeyTable,
  consumedApprovalTable,
  personTable,
  tenantTable,
} from '../core/identity/tables.ts';
import type { Slice } from '../slices/slice.ts';
import { SLICES } from './slices.ts';

const slices: readonly Slice[] = SLICES;

/** Those of core, then those of the slices in their order. */
export const TABLES: readonly AnyTable[] = [
  tenantTable,
  apiKeyTable,
  personTable,
  consumedApprovalTable,
  dataKeyTable,
  ...slices.flatMap(({ tables }) => Object.values(tables ?? {})),
];
