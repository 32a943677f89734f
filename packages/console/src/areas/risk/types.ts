/** What the pages of risk read of the API's answers, by their wire names. */
import type { Condition } from '../../parts/conditionText.ts';

export const DIMENSIONS = ['client', 'geo', 'product', 'channel', 'aml_screening'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
export const LEVELS = ['LOW', 'STANDARD', 'HIGH', 'PROHIBITED'] as const;
export type Level = (typeof LEVELS)[number];

export interface RiskRow {
  readonly policy_id: string;
  readonly name: string;
  readonly version: number | null;
  readonly status: string;
  readonly in_force: boolean;
  readonly content_hash: string;
  readonly based_on: string;
  readonly author: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly effective_at: string | null;
  readonly published_at: string | null;
}

export interface Factor {
  readonly id: string;
  readonly dimension: Dimension;
  readonly label?: Readonly<Record<'ar' | 'en' | 'fr', string>>;
  readonly missing_points: number;
  readonly fact?: string;
  readonly table?: Readonly<Record<string, number>>;
  readonly bands?: readonly { readonly lt?: number; readonly points: number }[];
  readonly when?: Condition;
  readonly points?: number;
}

export interface RiskContent {
  readonly weights: Readonly<Record<Dimension, number>>;
  readonly combine: Readonly<Record<Dimension, string>>;
  readonly thresholds: {
    readonly standard: number;
    readonly high: number;
    readonly prohibited: number | null;
  };
  readonly factors: readonly Factor[];
  readonly overrides: readonly {
    readonly id: string;
    readonly force: string;
    readonly when: Condition;
  }[];
  readonly on_incomplete: string;
}

interface Finding {
  readonly code: string;
  readonly detail: string;
  readonly pointer: string;
}

export interface RiskPolicy extends RiskRow {
  readonly etag: string;
  readonly content: RiskContent;
  readonly violations: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly reports: {
    readonly backtest: { readonly report_id: string } | null;
    readonly shadow: { readonly report_id: string } | null;
  };
  readonly shadow_report_id: string | null;
  readonly justification: string | null;
  readonly approvals: readonly {
    readonly at: string;
    readonly comment: string;
    readonly key_id: string;
    readonly person_id: string;
    readonly role: string;
  }[];
  readonly signing: {
    readonly author: string;
    readonly field: string;
    readonly new_value: unknown;
    readonly resource: string;
  } | null;
}

export interface Confusion {
  readonly cells: readonly (readonly number[])[];
  readonly levels: readonly string[];
  readonly total: number;
}

interface Counted {
  readonly id: string;
  readonly count: number;
}

export interface Shadow {
  readonly since: string;
  readonly evaluations: number;
  readonly complete: boolean;
  readonly counted: number;
  readonly to_count: number;
  readonly ready: boolean;
  readonly needed: { readonly days: number; readonly evaluations: number };
  readonly confusion: Confusion;
  readonly psi: number;
  readonly agreement: number;
  readonly errors: number;
  readonly overrides: readonly Counted[];
  readonly latency_us: { readonly p50: number; readonly p95: number };
}

export interface Mover {
  readonly evaluation_id: string;
  readonly from: string;
  readonly to: string;
  /** In ten-thousandths of a point. */
  readonly shift: number;
}

export interface Recall {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

export interface Backtest {
  readonly btr_id: string;
  readonly status: 'queued' | 'ready' | 'failed';
  readonly progress?: number;
  readonly took_ms?: number;
  readonly failure?: string;
  readonly confusion?: Confusion;
  readonly movers?: { readonly down: readonly Mover[]; readonly up: readonly Mover[] };
  readonly population?: { readonly cases: number; readonly from: string; readonly to: string };
  readonly warnings?: readonly string[];
  readonly metrics?: {
    readonly agreement: number;
    readonly baseline_mismatch: number;
    readonly downgrades: number;
    readonly upgrades: number;
    readonly high_share_after: number;
    readonly high_share_before: number;
    readonly kappa: number | null;
    readonly mean_shift: number;
    readonly psi_levels: number;
    readonly psi_verdict: string;
  };
  readonly outcomes?: {
    readonly found: readonly {
      readonly outcome: string;
      readonly cases: number;
      readonly recall_before: Recall | null;
      readonly recall_after: Recall | null;
    }[];
  };
  readonly segments?: {
    readonly hidden: number;
    readonly shown: readonly { readonly segment: string; readonly confusion: Confusion }[];
  };
}
