/** Classifications as a list, latest first, without what they say. */
import type { TaxReadPorts } from './ports.ts';
import {
  type ClassificationStatus,
  type TaxClassification,
  taxClassificationTable,
} from './tables.ts';

/** Which; an absent member matches all. */
export interface ListClassifications {
  readonly tenantId: TaxClassification['tenantId'];
  readonly subjectRef?: string;
  readonly status?: ClassificationStatus;
  /** Continues behind this one. */
  readonly after?: string;
  readonly limit: number;
}

/** One page; `next` is absent on the last one. */
export interface ClassificationsPage {
  readonly records: readonly TaxClassification[];
  readonly next?: string;
}

/** Rows that a page of a filtered history looks at: a short page has a next one. */
const EXAMINED_MAX = 5_000;
const STEP_RECORDS = 500;

/** Rows as they are stored; whoever opens one gets it as it was signed. */
export async function listClassifications(
  { tables }: Pick<TaxReadPorts, 'tables'>,
  ask: ListClassifications,
): Promise<ClassificationsPage> {
  const { limit, status } = ask;
  const found: TaxClassification[] = [];
  let { after } = ask;
  for (let examined = 0; examined < EXAMINED_MAX; examined += STEP_RECORDS) {
    const { records } = await tables.page(taxClassificationTable, pageOf(ask, after));
    for (const record of records) {
      if (status !== undefined && record.status !== status) continue;
      if (found.length === limit) return pageWith(found, found.at(-1)?.classificationId);
      found.push(record);
    }
    after = records.at(-1)?.classificationId;
    if (records.length < STEP_RECORDS) return pageWith(found, undefined);
  }
  return pageWith(found, after);
}

const pageWith = (records: readonly TaxClassification[], next: string | undefined) => ({
  records,
  ...(next !== undefined && { next }),
});

function pageOf({ status, subjectRef, tenantId }: ListClassifications, after: string | undefined) {
  const [index, narrow] =
    subjectRef !== undefined
      ? (['bySubject', { subjectRef }] as const)
      : status !== undefined
        ? (['byStatus', { status }] as const)
        : (['key', {}] as const);
  return {
    direction: 'descending',
    equal: { tenantId, ...narrow },
    index,
    limit: STEP_RECORDS,
    // The equal fields are no part of a cursor: what is left is the key.
    ...(after !== undefined && { after: [tenantId, after] }),
  } as const;
}
