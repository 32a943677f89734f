/** How many clients stand at which level. */
import { everyRecord, type Tables, type TenantId } from '#core/kernel';
import { COUNTED_CLIENTS_MAX } from './limits.ts';
import { riskClientTable } from './tables.ts';
import { LEVELS, type Level } from './words.ts';

/** Counts of one look. */
export interface LevelCounts {
  readonly levels: Readonly<Record<Level, number>>;
  readonly clients: number;
  readonly incomplete: number;
  /** False: there are more clients than one look counts. */
  readonly isComplete: boolean;
}

/** Counted anew each time, up to COUNTED_CLIENTS_MAX. */
export async function countLevels(
  { tables }: { readonly tables: Pick<Tables, 'page'> },
  tenantId: TenantId,
): Promise<LevelCounts> {
  const levels = Object.fromEntries(LEVELS.map((level) => [level, 0])) as Record<Level, number>;
  let clients = 0;
  let incomplete = 0;
  const all = { equal: { tenantId }, index: 'key' } as const;
  for await (const { isIncomplete, level } of everyRecord(tables, riskClientTable, all)) {
    if (clients === COUNTED_CLIENTS_MAX) return { clients, incomplete, isComplete: false, levels };
    clients += 1;
    if (isIncomplete) incomplete += 1;
    levels[level] += 1;
  }
  return { clients, incomplete, isComplete: true, levels };
}
