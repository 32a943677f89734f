/** What is known of a tenant's customers as a whole: the last runs, and batches taken over. */
import type { Tables, TenantId } from '#core/kernel';
import { findCoverage } from './planRuns.ts';
import { enrolmentTable, runTable } from './tables.ts';

const SHOWN = 20;

/** Coverage, and the latest of the others first. */
export async function rescreeningState(tables: Pick<Tables, 'find' | 'page'>, tenantId: TenantId) {
  const ask = {
    direction: 'descending',
    equal: { tenantId },
    index: 'newest',
    limit: SHOWN,
  } as const;
  const [coverage, runs, enrolments] = await Promise.all([
    findCoverage({ tables }, tenantId),
    tables.page(runTable, ask),
    tables.page(enrolmentTable, ask),
  ]);
  return { coverage, enrolments: enrolments.records, runs: runs.records };
}
