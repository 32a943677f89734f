/** What is known of a tenant's customers as a whole: the last runs, and batches taken over. */
import type { Tables, TenantId } from '#core/kernel';
import { toldLateSince } from './lateness.ts';
import { findCoverage } from './planRuns.ts';
import type { SignedEntries } from './signedEntries.ts';
import { enrolmentTable, runTable } from './tables.ts';

type StateTables = Pick<Tables, 'find' | 'page'>;

const SHOWN = 20;

/** Coverage, and the latest of the others first. */
export async function rescreeningState(
  { entries, tables }: { readonly entries: SignedEntries; readonly tables: StateTables },
  tenantId: TenantId,
) {
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
  const lateSince = coverage && (await toldLateSince(entries, coverage));
  return { coverage, enrolments: enrolments.records, lateSince, runs: runs.records };
}
