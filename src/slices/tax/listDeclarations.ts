/** Declarations as a list, latest first: by year of the period, by state, by type. */
import type { PageCursor } from '#core/kernel';
import type { ReportRegime } from './account.ts';
import {
  type DeclarationStatus,
  declarationTable,
  type TaxDeclaration,
} from './declarationTables.ts';
import type { TaxReadPorts } from './ports.ts';

/** Which; an absent member matches all. */
export interface ListDeclarations {
  readonly tenantId: TaxDeclaration['tenantId'];
  readonly year?: string;
  readonly status?: DeclarationStatus;
  readonly type?: string;
  readonly regime?: ReportRegime;
  readonly nilReport?: boolean;
  /** Continues behind this one. */
  readonly after?: string;
  readonly limit: number;
}

/** One page; `next` is absent on the last one. */
export interface DeclarationsPage {
  readonly records: readonly TaxDeclaration[];
  readonly next?: string;
}

const STEP_RECORDS = 200;

/** Rows as they are stored; whoever opens one gets it as it was signed. */
export async function listDeclarations(
  { tables }: Pick<TaxReadPorts, 'tables'>,
  ask: ListDeclarations,
): Promise<DeclarationsPage> {
  const { limit, tenantId } = ask;
  const found: TaxDeclaration[] = [];
  let after: PageCursor | undefined = ask.after === undefined ? undefined : [tenantId, ask.after];
  for (;;) {
    const page = await tables.page(declarationTable, {
      direction: 'descending',
      limit: STEP_RECORDS,
      ...rangeOf(ask),
      ...(after !== undefined && { after }),
    });
    for (const record of page.records) {
      if (!isWanted(record, ask)) continue;
      const last = found.at(-1);
      if (found.length === limit && last !== undefined) {
        return { next: last.declarationId, records: found };
      }
      found.push(record);
    }
    after = page.next;
    if (after === undefined) return { records: found };
  }
}

function rangeOf({ status, tenantId, year }: ListDeclarations) {
  if (year !== undefined) return { equal: { period: year, tenantId }, index: 'byPeriod' };
  if (status !== undefined) return { equal: { status, tenantId }, index: 'byStatus' };
  return { equal: { tenantId }, index: 'key' };
}

const isWanted = (
  record: TaxDeclaration,
  { nilReport, regime, status, type }: ListDeclarations,
): boolean =>
  (status === undefined || record.status === status) &&
  (type === undefined || record.type === type) &&
  (regime === undefined || record.regime === regime) &&
  (nilReport === undefined || record.nilReport === nilReport);
