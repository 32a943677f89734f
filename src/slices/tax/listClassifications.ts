/** Classifications as a list, latest first, without what they say. */
import { type ExaminedPage, examinedPage } from './examinedPage.ts';
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

/** One page; a position is an id. */
export type ClassificationsPage = ExaminedPage<TaxClassification, string>;

/** Rows as they are stored; whoever opens one gets it as it was signed. */
export const listClassifications = (
  { tables }: Pick<TaxReadPorts, 'tables'>,
  ask: ListClassifications,
): Promise<ClassificationsPage> =>
  examinedPage<TaxClassification, string>({
    after: ask.after,
    isWanted: ({ status }) => ask.status === undefined || status === ask.status,
    limit: ask.limit,
    positionOf: ({ classificationId }) => classificationId,
    read: async (after, limit) =>
      (await tables.page(taxClassificationTable, pageOf(ask, after, limit))).records,
  });

function pageOf(
  { status, subjectRef, tenantId }: ListClassifications,
  after: string | undefined,
  limit: number,
) {
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
    limit,
    // The equal fields are no part of a cursor: what is left is the key.
    ...(after !== undefined && { after: [tenantId, after] }),
  } as const;
}
