/** The port `Tables` on MongoDB: every declared table, by one engine. */
import type { Tables } from '#core/kernel';
import type { AppendTools } from './append.ts';
import { tableLeases } from './tableLeases.ts';
import { tableReads } from './tableReads.ts';
import { tableWork } from './tableWork.ts';

/** Reads, leases and the writes beside commits; changes of commits go through appendGroup. */
export const tablesOf = (tools: AppendTools): Tables => ({
  ...tableReads(tools),
  ...tableWork(tools),
  ...tableLeases(tools),
});
