/** What the console reads of the API's answers: the members that it shows, by their wire names. */
export interface Caller {
  readonly person: {
    /** As alerts name who does something. */
    readonly actor: string;
    readonly name: string;
    /** null: the account is no registered person's. */
    readonly person_id: string | null;
    readonly roles: readonly string[];
  };
  readonly session: { readonly expires_at: string; readonly session_id: string };
  readonly sign_in: SignedOut['sign_in'];
  readonly tenant: { readonly kind: string; readonly name: string; readonly tenant_id: string };
}

/** Nobody is signed in; how to be. */
export interface SignedOut {
  readonly person: null;
  readonly sign_in: 'link' | 'provider';
}

export interface Session {
  readonly session_id: string;
  readonly created_at: string;
  readonly seen_at: string;
  readonly expires_at: string;
  readonly is_this: boolean;
}

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

export interface Outcome {
  readonly status: string;
  readonly reason_code: string | null;
  readonly comment: string;
  readonly by: string;
  readonly at: string;
  readonly confirmed_by: string | null;
}

export interface Alert {
  readonly alert_id: string;
  readonly revision: number;
  readonly type: string;
  readonly severity: string;
  readonly score: number;
  readonly source: string;
  readonly typology: string;
  readonly subject: {
    readonly kind: string;
    readonly id: string;
    readonly batch_id: string | null;
    readonly external_id: string | null;
    readonly name: string | null;
    readonly erased: boolean;
    readonly fault: string | null;
  };
  readonly hits_total: number;
  readonly status: string;
  readonly assignee: string | null;
  readonly due_at: string;
  readonly sla_breached: boolean;
  readonly proposal: Outcome | null;
  readonly outcome: Outcome | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly fault: string | null;
}

export interface AlertsPage extends Page<Alert> {
  readonly altered: readonly string[];
}

export interface AlertDetail extends Alert {
  readonly hits: readonly {
    readonly ftm_id: string;
    readonly primary_name: string;
    readonly source: string;
    readonly typology: string;
    readonly score: number;
    readonly matched_name: string | null;
  }[];
  readonly notes: readonly {
    readonly note_id: string;
    readonly by: string;
    readonly at: string;
    /** Absent once it was erased. */
    readonly text: string | null;
  }[];
  readonly closable_by_one: boolean;
}

export interface Explanation {
  readonly query: string;
  readonly entry: string;
  readonly words: readonly {
    readonly query: string;
    readonly entry: string;
    readonly reason: string;
    readonly similarity: number;
  }[];
  readonly left_over: { readonly query: readonly string[]; readonly entry: readonly string[] };
  readonly bits: number;
  readonly terms: readonly { readonly term: string; readonly z: number }[];
  readonly score: number;
}

export interface Candidate {
  readonly ftm_id: string;
  readonly primary_name: string;
  readonly schema: string;
  readonly categories: readonly string[];
  readonly dates_of_birth: readonly string[] | null;
  readonly citizenships: readonly string[] | null;
  readonly countries: readonly string[] | null;
  readonly programmes: readonly string[] | null;
  readonly akas: readonly string[] | null;
  readonly identifiers: readonly string[] | null;
  readonly finalScore: number;
  readonly nameScore: number;
  readonly phoneticScore: number | null;
  readonly dobScore: number | null;
  readonly nationalityScore: number | null;
  readonly aliasUnfoldScore: number | null;
  readonly matched_name: string;
  readonly source_lists_hits: readonly { readonly list: string; readonly version: string }[];
}

export interface Hit {
  readonly candidate: Candidate;
  readonly directScore: number;
  readonly typology: string;
  readonly rcaHits: readonly {
    readonly depth: number;
    readonly pathTypes: readonly string[];
    readonly rcaScore: number;
    readonly sanctionedTargetFtmId: string;
  }[];
  readonly explanation?: Explanation | null;
}

export interface ReviewedHit extends Hit {
  readonly ftm_id: string;
  readonly source: string;
  readonly decision: string;
  readonly etag: string;
}

export interface ScreeningHits {
  readonly alert_id: string | null;
  readonly subject: {
    readonly names: readonly string[];
    readonly type: string | null;
    readonly dob: string | null;
    readonly nationality: string | null;
  } | null;
  readonly data: readonly ReviewedHit[];
}

export interface Verdict {
  readonly screening_id: string;
  readonly decision: string;
  readonly hits: readonly Hit[];
  readonly list_version: string;
  readonly policy_version: number;
  readonly reranker_version: string;
  readonly took_ms: number;
  readonly audit: { readonly event_id: string; readonly seq: number; readonly hash: string };
}

export interface Screening {
  readonly screening_id: string;
  readonly occurred_at: string;
  readonly seq: number | null;
  readonly decision: string;
  readonly subject: {
    readonly name: string | null;
    readonly dob: string | null;
    readonly nationality: string | null;
    readonly erased: boolean;
  } | null;
  readonly hits_count: number | null;
  readonly top_hit: { readonly primary_name: string; readonly directScore: number } | null;
  readonly review_status: string | null;
  readonly channel: string;
  readonly fault: string | null;
}

export interface Chain {
  readonly status: string;
  readonly checked: number;
  readonly first_bad_seq: number | null;
  readonly reason: string | null;
  readonly breaks: readonly { readonly alert_id: string; readonly seq: number }[];
  readonly head_seq: number;
  readonly checkpoint_seq: number;
}

export interface ScreeningsPage extends Page<Screening> {
  readonly chain: Chain;
}

export interface Evidence {
  readonly event: Readonly<Record<string, unknown>>;
  readonly checkpoint: Readonly<Record<string, unknown>> | null;
}

export interface Replay {
  readonly replay_id: string;
  readonly status: string;
  readonly reason?: string | null;
  readonly differences?: readonly { readonly pointer: string }[];
}

export interface Batch {
  readonly batch_id: string;
  readonly name: string;
  readonly mode: string;
  readonly status: string;
  readonly progress_pct: number;
  readonly subjects_total: number;
  readonly subjects_processed: number;
  readonly subjects_with_hits: number;
  readonly hits_total: number;
  readonly requested_at: string;
}

export interface Approval {
  readonly approval_id: string;
  readonly resource: string;
  readonly field: string;
  readonly old_value: unknown;
  readonly new_value: unknown;
  readonly reason: string;
  readonly state: string;
  readonly author: string;
  readonly signer_roles: readonly string[];
  readonly requested_at: string;
  readonly expires_at: string;
}

export interface Signing {
  readonly prefix: string;
  readonly before_timestamp: string;
  readonly after_timestamp: string;
}

export interface ApprovalDetail extends Approval {
  readonly stale: boolean;
  readonly signing: Signing | null;
}

export interface Exclusion {
  readonly exclusion_id: string;
  readonly status: string;
  readonly screening_id: string;
  readonly ftm_id: string;
  readonly source: string;
  readonly reason_code: string;
  readonly reason: string;
  readonly created_by: string;
  readonly expires_at: string;
  readonly applied_count: number;
  readonly etag: string;
}

export interface ListInForce {
  readonly source_id: string;
  readonly list_version: string;
  readonly entity_count: number;
  readonly name_count: number;
  readonly release_date: string;
  readonly published_at: string;
  readonly age_s: number;
  readonly next_fire_at: string | null;
  readonly enabled_by_policy: boolean;
  readonly last_change: {
    readonly added: number;
    readonly updated: number;
    readonly removed: number;
  } | null;
}

export interface TrailEntry {
  readonly seq: number;
  readonly event_id: string;
  readonly timestamp: string;
  readonly action: string;
  readonly actor: string | null;
  readonly target: string | null;
  readonly severity: string | null;
  readonly hash: string;
}
