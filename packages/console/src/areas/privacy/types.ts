/** What the pages of privacy requests read of the API's answers, by their wire names. */
export interface PlannedStore {
  readonly store: string;
  readonly action: string;
  readonly rows: number;
  readonly until: string | null;
  readonly why: string;
}

export interface PrivacyRequest {
  readonly request_id: string;
  readonly action: 'erase' | 'export' | 'rectify';
  readonly status: string;
  readonly subject: {
    readonly subject_id: string | null;
    readonly external_ref: string | null;
    readonly case_id: string | null;
  };
  readonly requester: { readonly relation: string; readonly contact: string | null };
  readonly identity: {
    readonly method: string;
    readonly evidence: string | null;
    readonly verified: boolean | null;
    readonly verified_by: string | null;
  };
  readonly note: string | null;
  readonly created_by: string;
  readonly received_at: string;
  readonly due_at: string;
  readonly extended_to: string | null;
  readonly extension_reason: string | null;
  readonly overdue: boolean;
  readonly ended_at: string | null;
  readonly decided_by: string | null;
  readonly refusal: { readonly ground: string; readonly text: string | null } | null;
  readonly archive: {
    readonly bytes: number;
    readonly files: number;
    readonly sha256: string;
    readonly available_until: string | null;
    readonly passphrase_told: boolean;
  } | null;
  readonly plan: {
    readonly made_at: string;
    readonly retention_years: number;
    readonly stores: readonly PlannedStore[];
  } | null;
  readonly erasure: { readonly pseudonym: string; readonly kept_until: string | null } | null;
  readonly etag: string;
}
