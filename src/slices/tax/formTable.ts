/** Forms of holders as they are stored: what stands on one lies in a sealed blob. */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { FormType } from './taxForm.ts';

/** States of a form. The first three and those that are over hold the place of their kind. */
export const FORM_STATUSES = [
  'valid',
  'expiring',
  'invalidated_by_change',
  'expired',
  'revoked',
  'incomplete',
  'superseded',
] as const;
/** One of FORM_STATUSES. */
export type FormStatus = (typeof FORM_STATUSES)[number];

/** Why a form is incorrect; what was said of it lies in the blob. */
export const CHANGE_REASONS = [
  'address',
  'citizenship',
  'giin',
  'name',
  'ownership',
  'residence',
  'status',
  'treaty',
  'other',
] as const;

/** A change of circumstances after which a form no longer counts. */
export interface FormChange {
  readonly reason: (typeof CHANGE_REASONS)[number];
  /** The day on which the institution came to know of it. */
  readonly noticedOn: string;
  /** Until when a new form is awaited. */
  readonly cureDue: string;
  /** Until when the holder had undertaken to hand in a new one. */
  readonly holderDue?: string;
}

/** A form of a holder. */
export interface TaxForm {
  readonly tenantId: TenantId;
  /** UUID version 7 of `createdAt`: the order of ids is that of time. */
  readonly formId: string;
  readonly type: FormType;
  /** The tenant's own reference of who signed it. */
  readonly subjectRef: string;
  /** The entity's reference, on a controlling person's certificate. */
  readonly entityRef?: string;
  /** What only one latest form holds: a regime, or a person's part in an entity. */
  readonly place: string;
  readonly status: FormStatus;
  readonly revision?: string;
  readonly signedOn?: string;
  readonly receivedOn: string;
  /** The last day on which it holds; absent: until circumstances change. */
  readonly validUntil?: string;
  /** Until when what was found to be cured has to be. */
  readonly cureDue?: string;
  readonly change?: FormChange;
  /** Days before its end of which people were told last. */
  readonly toldDays?: number;
  /** When the next step of its time is due; absent: none is. */
  readonly dueAt?: EpochMs;
  /** The form: a sealed blob, and its salted digest. */
  readonly blob: string;
  readonly contentHash: string;
  readonly supersedes?: string;
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** Forms by tenant and id; of each place of a holder one is the latest. */
export const taxFormTable = table<TaxForm, 'tenantId' | 'formId'>('tax_form', {
  key: ['tenantId', 'formId'],
  chain: 'tenantId',
  derived: {
    isLatest: {
      field: 'status',
      in: ['valid', 'expiring', 'invalidated_by_change', 'expired', 'revoked'],
    },
    isRunning: { field: 'status', in: ['valid', 'expiring'] },
  },
  indexes: {
    bySubject: ['tenantId', 'subjectRef'],
    byStatus: ['tenantId', 'status'],
    due: ['isRunning', 'dueAt'],
    ending: ['tenantId', 'isRunning', 'validUntil'],
    latestOf: ['tenantId', 'subjectRef', 'isLatest'],
    ofEntity: ['tenantId', 'entityRef', 'isLatest'],
  },
  unique: { latest: ['tenantId', 'subjectRef', 'place', 'isLatest'] },
  leased: { lane: ['tenantId'] },
  open: 'isLatest',
  blobs: ({ blob }) => [blob],
  personal: {
    createdBy: { purpose: 'accountability: who took the form' },
    entityRef: { purpose: 'due diligence for CRS: whom the person controls' },
    subjectRef: { purpose: 'due diligence for FATCA and CRS: whose form it is' },
  },
});
