/** Reports as a list: those that exist for the reader, latest first, without what they say. */
import { PAGE_RECORDS_MAX, type PageAsk } from '#core/kernel';
import type { StrReadPorts } from './ports.ts';
import type { StrAsk } from './strRecord.ts';
import { type StrReport, type StrStatus, strReportTable } from './tables.ts';
import { isVisible, type StrReader } from './visibility.ts';

/** Which reports; an absent member matches all. */
export interface ListAsk {
  readonly tenantId: StrAsk['tenantId'];
  readonly reader: StrReader;
  readonly status?: StrStatus;
  /** Continues behind this report. */
  readonly after?: string;
  readonly limit: number;
}

/** One page; `next` is absent on the last one. */
export interface ReportsPage {
  readonly reports: readonly StrReport[];
  readonly next?: string;
}

/** Records that one page looks at: a short page has a next one. */
const EXAMINED_MAX = 5_000;
const STEP_RECORDS = Math.min(500, PAGE_RECORDS_MAX);

/** Rows as they are stored; whoever opens one gets it as it was signed. */
export async function listReports(
  { tables }: Pick<StrReadPorts, 'tables'>,
  ask: ListAsk,
): Promise<ReportsPage> {
  const { limit, reader, status } = ask;
  const found: StrReport[] = [];
  let { after } = ask;
  for (let examined = 0; examined < EXAMINED_MAX; ) {
    const { records } = await tables.page(strReportTable, pageOf(ask, after));
    examined += records.length;
    for (const record of records) {
      const isAsked = status === undefined || record.status === status;
      if (!isAsked || !isVisible(record, reader)) continue;
      if (found.length === limit) return pageWith(found, found.at(-1)?.strId);
      found.push(record);
    }
    after = records.at(-1)?.strId;
    if (records.length < STEP_RECORDS) return pageWith(found, undefined);
  }
  return pageWith(found, after);
}

const pageWith = (reports: readonly StrReport[], next: string | undefined): ReportsPage => ({
  reports,
  ...(next !== undefined && { next }),
});

/** A reader of few reports walks those alone: the others leave no trace, not even of time. */
function pageOf({ reader, tenantId }: ListAsk, after: string | undefined): PageAsk {
  const equal = narrowed(reader);
  const index = 'author' in equal ? 'byAuthor' : 'status' in equal ? 'byStatus' : 'key';
  const key = (strId: string) => [tenantId, strId];
  return {
    direction: 'descending',
    equal: { tenantId, ...equal },
    index,
    limit: STEP_RECORDS,
    ...(after !== undefined && { after: key(after) }),
  };
}

const WIDE = ['compliance_officer', 'mlro', 'admin', 'auditor'] as const;

function narrowed({ names, roles }: StrReader): Readonly<Record<string, string>> {
  if (WIDE.some((role) => roles.includes(role))) return {};
  const isOfficer = roles.includes('data_protection_officer');
  const isAgent = roles.includes('agent_l1') || roles.includes('agent_l2');
  if (isOfficer) return isAgent ? {} : { status: 'pending_validation' };
  return { author: names[0] ?? '' };
}
