/** What the pages of reports to the authority read of the API's answers. */
import type { SigningMembers } from '../../signedBytes.ts';

export const REPORTS = '/v1/aml/str';

export const STATUSES = [
  'draft',
  'pending_validation',
  'validated',
  'submitted',
  'acknowledged',
  'returned',
] as const;
export type ReportStatus = (typeof STATUSES)[number];

export interface ReportRow {
  readonly str_id: string;
  readonly status: ReportStatus;
  readonly report_code: string;
  readonly profile: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly submitted_at: string | null;
  readonly etag: string;
}

export interface Party {
  readonly id?: string;
  readonly kind: 'organisation' | 'person';
  readonly is_customer: boolean;
  readonly name?: string;
  readonly birth_date?: string;
  readonly residence?: string;
  readonly role?: string;
  readonly [member: string]: unknown;
}

export interface ReportedTransaction {
  readonly id: string;
  readonly date: string;
  readonly amount: string;
  readonly currency: string;
  readonly direction: 'credit' | 'debit';
  readonly counterparty: string;
  readonly channel?: string;
  readonly country?: string;
}

export interface Content {
  readonly narrative?: string;
  readonly action?: string;
  readonly indicators?: readonly string[];
  readonly destination?: string;
  readonly subject?: Party;
  readonly counterparties?: readonly Party[];
  readonly transactions?: readonly ReportedTransaction[];
  readonly attachments: readonly {
    readonly attachment_id: string;
    readonly file_name: string;
  }[];
  readonly [member: string]: unknown;
}

export interface Outcome {
  readonly at: string;
  readonly by: string;
  readonly fiu_reference: string | null;
  readonly kind: 'acknowledged' | 'refused';
  readonly reasons: readonly { readonly code: string; readonly detail: string }[];
  readonly receipt: { readonly base64: string; readonly file_name: string } | null;
}

export interface Submission {
  readonly number: number;
  readonly entity_reference: string;
  readonly channel: string;
  readonly content_hash: string;
  readonly package_sha256: string;
  readonly package_bytes: number;
  readonly submitted_by: string;
  readonly submitted_at: string;
  readonly xml_sha256: string;
  readonly outcome: Outcome | null;
}

export interface Report extends ReportRow {
  readonly author: string;
  readonly updated_by: string;
  readonly content_hash: string;
  readonly content: Content | null;
  readonly return_comment: string | null;
  readonly signing: SigningMembers | null;
  readonly validation: {
    readonly checklist: { readonly special_categories: 'justified' | 'none' };
    readonly content_hash: string;
    readonly timestamp: string;
    readonly validator: string;
  } | null;
  readonly delivery: {
    readonly channel: string;
    readonly state: string;
    readonly is_overdue?: boolean;
    readonly upload_due_at?: string;
  } | null;
  readonly submissions: readonly Submission[];
}

export interface Preview {
  readonly profile: string;
  readonly filable: boolean;
  readonly complete: boolean;
  readonly faults: readonly {
    readonly pointer: string;
    readonly code: string;
    readonly detail: string;
  }[];
  readonly adapted: readonly {
    readonly pointer: string;
    readonly element: string;
    readonly text: string;
  }[];
  readonly omitted: readonly string[];
  readonly xml: string;
}

export const pathOf = ({ str_id }: Pick<ReportRow, 'str_id'>): string => `${REPORTS}/${str_id}`;
