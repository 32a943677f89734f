/** Forms as a list: latest first, or those that end first; without what stands on them. */
import type { PageAsk } from '#core/kernel';
import { type ExaminedPage, examinedPage } from './examinedPage.ts';
import { type FormStatus, type TaxForm, taxFormTable } from './formTable.ts';
import type { TaxReadPorts } from './ports.ts';
import type { FormType } from './taxForm.ts';

/** Which; an absent member matches all. */
export interface ListForms {
  readonly tenantId: TaxForm['tenantId'];
  readonly subjectRef?: string;
  readonly type?: FormType;
  readonly status?: FormStatus;
  /** A day: those that count and whose last day is before it, the first to end first. */
  readonly expiringBefore?: string;
  /** Continues behind this one. */
  readonly after?: FormPosition;
  readonly limit: number;
}

/** Where a page ended: an id, and the last day of that form where the list is by it. */
export interface FormPosition {
  readonly formId: string;
  readonly validUntil?: string;
}

/** One page. */
export type FormsPage = ExaminedPage<TaxForm, FormPosition>;

/** Rows as they are stored; whoever opens one gets it as it was signed. */
export const listForms = (
  { tables }: Pick<TaxReadPorts, 'tables'>,
  ask: ListForms,
): Promise<FormsPage> =>
  examinedPage<TaxForm, FormPosition>({
    after: ask.after,
    isWanted: (record) => isWanted(record, ask),
    limit: ask.limit,
    positionOf: ({ formId, validUntil }) => ({
      formId,
      ...(validUntil !== undefined && { validUntil }),
    }),
    read: async (after, limit) =>
      (await tables.page(taxFormTable, rangeOf(ask, after, limit))).records,
  });

function rangeOf(ask: ListForms, after: FormPosition | undefined, limit: number): PageAsk {
  const { expiringBefore, status, subjectRef, tenantId } = ask;
  if (expiringBefore !== undefined && subjectRef === undefined) {
    return {
      equal: { isRunning: true, tenantId },
      index: 'ending',
      limit,
      to: expiringBefore,
      ...(after?.validUntil !== undefined && {
        after: [after.validUntil, tenantId, after.formId],
      }),
    };
  }
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
    ...(after !== undefined && { after: [tenantId, after.formId] }),
  };
}

const isWanted = (record: TaxForm, { expiringBefore, status, type }: ListForms): boolean =>
  (status === undefined || record.status === status) &&
  (type === undefined || record.type === type) &&
  (expiringBefore === undefined ||
    (isRunning(record) && record.validUntil !== undefined && record.validUntil < expiringBefore));

const isRunning = ({ status }: TaxForm): boolean => status === 'valid' || status === 'expiring';
