/** What the pages of transactions and rules read of the API's answers. */
import type { SigningMembers } from '../../signedBytes.ts';

export const TRANSACTIONS = '/v1/aml/transactions';
export const RULES = '/v1/aml/rules';

export type Advice = 'block' | 'pass' | 'review';

export interface PartyVerdict {
  readonly role: string;
  readonly place: number | null;
  readonly decision: string;
  readonly screening_id: string | null;
}

export interface Party {
  readonly name?: string;
  readonly type?: string;
  readonly account?: { readonly iban?: string; readonly other?: string };
  readonly bic?: string;
  readonly address?: { readonly country?: string; readonly town?: string };
  readonly country?: string;
  readonly country_of_residence?: string;
  readonly dob?: string;
}

export interface Payment {
  readonly tx_id: string;
  readonly occurred_at: string;
  readonly amount: string;
  readonly currency: string;
  readonly direction: 'credit' | 'debit' | 'transit';
  readonly account_id: string;
  readonly customer_id?: string;
  readonly channel?: string;
  readonly status?: string;
  readonly purpose?: string;
  readonly remittance?: readonly string[];
  readonly debtor?: Party;
  readonly creditor?: Party;
  readonly [member: string]: unknown;
}

export interface Transaction {
  readonly tx_id: string;
  readonly tseq: number;
  readonly revision: number;
  readonly source_format: string;
  readonly ingest_id: string;
  readonly received_at: string;
  readonly reversed_by?: number;
  readonly erased: boolean;
  readonly screening: readonly PartyVerdict[];
  readonly transaction?: Payment;
}

export interface Advised {
  readonly alerts: readonly string[];
  readonly decided_by: readonly ('rules' | 'screening')[];
  readonly decision: Advice | null;
}

export const RULE_STATUSES = [
  'draft',
  'backtested',
  'shadow',
  'PENDING_APPROVAL',
  'published',
  'archived',
  'discarded',
] as const;
export type RuleStatus = (typeof RULE_STATUSES)[number];

export interface ThreeWords {
  readonly en: string;
  readonly fr: string;
  readonly ar: string;
}

export type Operand = boolean | number | string;

export interface Condition {
  readonly all?: readonly Condition[];
  readonly any?: readonly Condition[];
  readonly not?: Condition;
  readonly on_missing?: true;
  readonly exists?: string;
  readonly between?: readonly Operand[];
  readonly in?: readonly (Operand | readonly string[])[];
  readonly eq?: readonly Operand[];
  readonly gt?: readonly Operand[];
  readonly gte?: readonly Operand[];
  readonly lt?: readonly Operand[];
  readonly lte?: readonly Operand[];
}

export interface Aggregate {
  readonly agg: string;
  readonly where?: Condition;
  readonly window?: {
    readonly calendar?: 'day' | 'month';
    readonly self?: boolean;
    readonly sliding?: string;
    readonly until?: string;
  };
  readonly [member: string]: unknown;
}

export interface Param {
  readonly type: string;
  readonly value: number | string | readonly string[];
}

export interface RuleContent {
  readonly rule_id: string;
  readonly name: ThreeWords;
  readonly severity: string;
  readonly score: string;
  readonly typologies: readonly string[];
  readonly scope?: Readonly<Record<string, readonly string[]>>;
  readonly subject: 'account' | 'counterparty' | 'customer' | 'pair';
  readonly params: Readonly<Record<string, Param>>;
  readonly let: Readonly<Record<string, Aggregate>>;
  readonly when: Condition;
  readonly extras?: readonly {
    readonly when: Condition;
    readonly weight: string;
    readonly severity?: string;
  }[];
  readonly suppress: string;
  readonly explain: ThreeWords;
}

export interface RuleVersion {
  readonly rule_id: string;
  readonly version: number;
  readonly status: RuleStatus;
  readonly base_version: number;
  readonly content: RuleContent;
  readonly content_hash: string;
  readonly justification: string;
  readonly of_pack: boolean;
  readonly updated_by: string;
  readonly updated_at: string;
  readonly etag: string;
  readonly signatures: readonly {
    readonly signer: string;
    readonly roles: readonly string[];
    readonly timestamp: string;
  }[];
  readonly signed_until: string | null;
  readonly published_at: string | null;
  readonly from_tseq: number | null;
  readonly signing: SigningMembers | null;
}

export interface RulesPage {
  readonly data: readonly RuleVersion[];
  readonly decided_by_screening: readonly {
    readonly rule_id: string;
    readonly name: ThreeWords;
    readonly severity: string;
    readonly typologies: readonly string[];
  }[];
}

export interface Explained {
  readonly conditions: readonly {
    readonly name: string;
    readonly op: string;
    readonly value: string | null;
    readonly bound: string | null;
    readonly window: string | null;
    readonly met: boolean | null;
  }[];
  readonly text: ThreeWords;
}

export interface DryRun {
  readonly data: readonly {
    readonly tx_id: string;
    readonly in_scope: boolean;
    readonly met: boolean | null;
    readonly not_evaluated: readonly string[];
    readonly explanation: Explained | null;
  }[];
}

export interface Backtest {
  readonly backtest_id: string;
  readonly from: string;
  readonly to: string;
  readonly status: 'completed' | 'failed' | 'queued';
  readonly failure: string | null;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly report: {
    readonly evaluated: number;
    readonly matched: number;
    readonly not_evaluated: number;
    readonly alerts: number;
    readonly subjects: number;
    readonly days: number;
    readonly alerts_per_day: number;
    readonly difference: {
      readonly base_version: number | null;
      readonly both: number;
      readonly only_new: number;
      readonly only_old: number;
    };
  } | null;
}

export interface Shadow {
  readonly from: string;
  readonly alerts: number;
  readonly complete: boolean;
  readonly subjects: number;
  readonly by_day: readonly { readonly day: string; readonly alerts: number }[];
  readonly examples: readonly {
    readonly severity: string;
    readonly last_at: string;
    readonly tx_ids: readonly string[];
    readonly text: ThreeWords;
  }[];
}

export const versionPath = ({
  rule_id,
  version,
}: Pick<RuleVersion, 'rule_id' | 'version'>): string =>
  `${RULES}/${encodeURIComponent(rule_id)}/versions/${version}`;

/** A version that is not in force yet. */
export const isOpen = ({ status }: Pick<RuleVersion, 'status'>): boolean =>
  ['PENDING_APPROVAL', 'backtested', 'draft', 'shadow'].includes(status);
