/**
 * Cases of a tenant, newest first. Each that is shown is what its last entry made it, and stands in
 * the list that it was found in: rows are found by columns beside the record, which somebody who
 * writes the database could set by themselves.
 */
import { DomainError, type PageAsk, type TenantId } from '#core/kernel';
import type { CaseReadPorts } from './ports.ts';
import { type CaseRecord, caseTable } from './tables.ts';
import type { CaseStatus, RiskTier } from './words.ts';

/** What narrows a list. */
export interface CaseFilter {
  readonly status?: CaseStatus;
  readonly riskTier?: RiskTier;
  readonly externalRef?: string;
  readonly assignee?: string;
  readonly workflowCode?: string;
}

/** Rows that one answer looks at beyond those that it shows. */
const LOOKS_MAX = 5_000;
const PAGE = 200;

/** Filters with the index of each, the rarest first: that one leads, the others filter. */
const LEADS = [
  ['externalRef', 'byRef'],
  ['assignee', 'byAssignee'],
  ['riskTier', 'byTier'],
  ['status', 'byStatus'],
  ['workflowCode', 'byWorkflow'],
] as const;

/** A page; `next` is the id of the last case that was looked at. Throws `state-altered`. */
export async function listCases(
  { signed, tables }: Pick<CaseReadPorts, 'signed' | 'tables'>,
  ask: {
    readonly tenantId: TenantId;
    readonly filter: CaseFilter;
    readonly limit: number;
    readonly before?: string;
  },
): Promise<{ readonly cases: readonly CaseRecord[]; readonly next?: string }> {
  const { filter, limit, tenantId } = ask;
  const lead = LEADS.find(([name]) => filter[name] !== undefined);
  const others = LEADS.filter((one) => one !== lead && filter[one[0]] !== undefined);
  const cases: CaseRecord[] = [];
  let before = ask.before;
  for (let looks = 0; looks < LOOKS_MAX; looks += PAGE) {
    const page: PageAsk = {
      direction: 'descending',
      equal: { tenantId, ...(lead && { [lead[0]]: filter[lead[0]] as string }) },
      index: lead?.[1] ?? 'key',
      limit: PAGE,
      ...(before !== undefined && { after: [tenantId, before] }),
    };
    const { next, records } = await tables.page(caseTable, page);
    for (const record of records) {
      before = record.caseId;
      if (others.some(([name]) => record[name] !== filter[name])) continue;
      const shown = await signed.findCase(record);
      if (shown === undefined) continue;
      // It may have moved on since the page was read; what it was then must fit.
      if (lead && record[lead[0]] !== filter[lead[0]]) throw misplaced(record, lead[0]);
      cases.push(shown);
      if (cases.length === limit) return { cases, next: before };
    }
    if (next === undefined) return { cases };
  }
  return { cases, ...(before !== undefined && { next: before }) };
}

function misplaced({ caseId }: CaseRecord, name: string): DomainError {
  const detail = `case ${caseId}: its row is found by another ${name} than its record has`;
  return new DomainError('state-altered', { detail });
}
