/** What the pages of sanctions policies read of the API's answers, by their wire names. */

import type { Change } from '../../parts/changes.tsx';
import type { SigningMembers } from '../../signedBytes.ts';

export const THRESHOLDS = ['direct', 'pep', 'rca_1', 'rca_2', 'adverse_media'] as const;
export type Threshold = (typeof THRESHOLDS)[number];
export const PARTS = ['name', 'phonetic', 'dob', 'nationality', 'alias'] as const;
export type Part = (typeof PARTS)[number];

export interface PolicyContent {
  readonly thresholds: Readonly<Record<Threshold, number>>;
  readonly weights: Readonly<Record<Part, number>>;
  readonly sources: Readonly<Record<string, { readonly enabled: boolean }>>;
  readonly flags: Readonly<Record<string, unknown>>;
}

export interface SanctionsPolicy {
  readonly version: number;
  readonly status: string;
  readonly base_version: number;
  readonly content: PolicyContent;
  readonly content_hash: string;
  readonly change_summary: readonly Change[];
  readonly justification: string;
  readonly created_by: string;
  readonly updated_by: string;
  readonly updated_at: string;
  readonly etag: string;
  readonly signatures: readonly {
    readonly signer: string;
    readonly roles: readonly string[];
    readonly key_id: string;
    readonly timestamp: string;
  }[];
  readonly published_at: string | null;
  readonly archived_at: string | null;
  readonly signing: SigningMembers | null;
}

export interface SanctionsPolicies {
  readonly active: SanctionsPolicy | null;
  readonly drafts: readonly SanctionsPolicy[];
  readonly history: readonly SanctionsPolicy[];
  readonly history_cursor: string | null;
}

export interface Simulation {
  readonly from: string;
  readonly to: string;
  readonly screened: number;
  readonly erased: number;
  readonly complete: boolean;
  readonly hits_before: number;
  readonly hits_after: number;
  readonly changed: number;
  readonly shifts: readonly {
    readonly from: string;
    readonly to: string;
    readonly count: number;
  }[];
  readonly examples: readonly {
    readonly screening_id: string;
    readonly occurred_at: string;
    readonly before: { readonly decision: string };
    readonly after: { readonly decision: string };
  }[];
}
