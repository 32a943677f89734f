/**
 * What the slice stores: versions of rules, how far each tenant's log was evaluated, what came of
 * each part of it, the alerts of rules, suppressions, and backtests.
 *
 * An alert names its subject by a keyed digest. Account and names stand in the log alone, where
 * they can be erased.
 */
import type { PublicationSignature } from '#core/identity';
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Advice } from '#slices/monitoring';
import type { NotEvaluated } from './engineStep.ts';
import type { RuleAlert } from './ruleAlert.ts';
import type { Rule, SubjectKind } from './ruleLanguage.ts';

/** Stages of a version of a rule. */
export const RULE_STATUSES = [
  'draft',
  'backtested',
  'shadow',
  'PENDING_APPROVAL',
  'published',
  'archived',
  'discarded',
] as const;
/** One of RULE_STATUSES. */
export type RuleStatus = (typeof RULE_STATUSES)[number];

/** One version of a tenant's rule. */
export interface RuleRecord {
  readonly tenantId: TenantId;
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly status: RuleStatus;
  /** The version in force when it was drafted; 0: there was none. */
  readonly baseVersion: number;
  readonly content: Rule;
  /** SHA-256 hex of the content. */
  readonly contentHash: string;
  readonly justification: string;
  /** As entries name actors. */
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly updatedBy: string;
  readonly updatedAt: EpochMs;
  readonly signatures: readonly PublicationSignature[];
  /** Until when a lone signature counts. */
  readonly signedUntil?: EpochMs;
  readonly publishedAt?: EpochMs;
  readonly archivedAt?: EpochMs;
  /** The numbers of the log that it is in force for, both included. */
  readonly fromTseq?: number;
  readonly toTseq?: number;
  /** Revision of the record; each has an entry in the chain. 0: of the pack, and not stored. */
  readonly version: number;
}

/** Where the windows of a position are kept (windowKeeper.ts). */
export interface KeptPlace {
  /** The sealed blob. */
  readonly blob: string;
  /** Version of the key that it is sealed under; the next windows have another one. */
  readonly keyVersion: number;
  /** The last number of the log that they have. */
  readonly tseq: number;
}

/** How far the rules of a tenant have come. */
export interface RulePosition {
  readonly tenantId: TenantId;
  /** One a tenant: rules follow money over all its accounts. */
  readonly shard: number;
  /** The last number of the log that was evaluated. */
  readonly tseq: number;
  /** Digest of the rules by which it was. */
  readonly ruleSet: string;
  /** Numbers of late transactions whose followers wait to be evaluated again. */
  readonly late: readonly number[];
  /**
   * Transactions before this time are not all in memory though windows reach them: a rule that
   * looks back behind it does not know. Absent: memory has all.
   */
  readonly cut?: number;
  /** The version of rates by which what had none was evaluated again; absent: of none. */
  readonly ratesVersion?: number;
  /** New alerts of each rule in the hour that it counts. */
  readonly storms: Readonly<Record<string, { readonly hour: number; readonly count: number }>>;
  /** Absent: none were kept yet. */
  readonly windows?: KeptPlace;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** The position of a tenant that has none yet. */
export const firstPosition = (tenantId: TenantId): RulePosition => ({
  late: [],
  ruleSet: '',
  shard: 0,
  storms: {},
  tenantId,
  tseq: 0,
  updatedAt: 0 as EpochMs,
  version: 1,
});

/** What came of a part of the log. */
export interface RuleResult {
  readonly tenantId: TenantId;
  readonly tseqFrom: number;
  readonly tseqTo: number;
  readonly ruleSet: string;
  /** Those that met a rule: number, advice, ids of alerts. */
  readonly hits: readonly (readonly [tseq: number, advice: Advice, alertIds: readonly string[]])[];
  readonly notEvaluated: readonly NotEvaluated[];
  /** Alerts that rules in shadow would have raised, by rule and version. */
  readonly shadow: Readonly<Record<string, number>>;
  readonly tooLate: number;
  readonly late: number;
  readonly at: EpochMs;
}

/** An alert of a rule, as it was last evaluated. */
export interface StoredRuleAlert {
  readonly tenantId: TenantId;
  readonly alertId: string;
  readonly ruleId: string;
  readonly alert: RuleAlert;
  /** Time of its last trigger. */
  readonly lastAt: number;
  /** One that came late, or was evaluated again after it, has raised or changed it. */
  readonly isLate?: true;
  /** Under a suppression: stored and counted, and raised for nobody. */
  readonly suppressionId?: string;
  /** The alert under which it is grouped: its rule raised too many in an hour. */
  readonly groupId?: string;
  readonly version: number;
}

/** That a rule raises nothing for a subject until a time. */
export interface Suppression {
  readonly tenantId: TenantId;
  readonly suppressionId: string;
  readonly ruleId: string;
  readonly subjectKind: SubjectKind;
  /** Keyed digest of the subject. */
  readonly subjectKey: string;
  readonly reason: string;
  readonly status: 'proposed' | 'active' | 'ended';
  /** As entries name actors. */
  readonly createdBy: string;
  readonly createdAt: EpochMs;
  readonly approvedBy?: string;
  readonly expiresAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly version: number;
}

/** A version of a rule upon the stored history. */
export interface Backtest {
  readonly tenantId: TenantId;
  readonly backtestId: string;
  readonly ruleId: string;
  readonly ruleVersion: number;
  readonly contentHash: string;
  /** Times of transactions, `to` excluded. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly status: 'queued' | 'completed' | 'failed';
  readonly requestedBy: string;
  readonly requestedAt: EpochMs;
  readonly report?: BacktestReport;
  /** Why it failed, as a code. */
  readonly failure?: string;
  readonly endedAt?: EpochMs;
  readonly version: number;
}

/** What a backtest found. */
export interface BacktestReport {
  readonly evaluated: number;
  readonly matched: number;
  readonly not_evaluated: number;
  readonly alerts: number;
  readonly subjects: number;
  readonly days: number;
  /** Two digits after the point. */
  readonly alerts_per_day: number;
  /** Against the version in force: alerts of both, of this one alone, of that one alone. */
  readonly difference: {
    readonly base_version: number | null;
    readonly both: number;
    readonly only_new: number;
    readonly only_old: number;
  };
  /** Some of the alerts: subject by digest, numbers of the first transactions. */
  readonly examples: readonly {
    readonly subject_key: string;
    readonly tseqs: readonly number[];
    readonly severity: string;
  }[];
}

const DAY_MS = 86_400_000;
/** As long as a window reaches back, and a while. */
export const RESULT_KEPT_MS = 430 * DAY_MS;

/** Rules by tenant, id and version; kept for ever, since alerts name them. */
export const ruleTable = table<RuleRecord, 'tenantId' | 'ruleId' | 'ruleVersion'>('aml_rule', {
  key: ['tenantId', 'ruleId', 'ruleVersion'],
  chain: 'tenantId',
  derived: {
    isInForce: { field: 'status', in: ['published'] },
    isOpen: { field: 'status', in: ['draft', 'backtested', 'shadow', 'PENDING_APPROVAL'] },
    isPending: { field: 'status', in: ['PENDING_APPROVAL'] },
  },
  indexes: {
    due: ['isPending', 'signedUntil'],
  },
  unique: {
    inForce: ['tenantId', 'ruleId', 'isInForce'],
    open: ['tenantId', 'ruleId', 'isOpen'],
  },
  personal: {
    createdBy: { purpose: 'accountability: who drafted the rule' },
    justification: { purpose: 'accountability: why the rule was changed; free text' },
    signatures: { purpose: 'dual control: who signed the rule' },
    updatedBy: { purpose: 'accountability: who changed the draft last' },
  },
});

/** How far each tenant's log was evaluated; leased by who evaluates it. */
export const rulePositionTable = table<RulePosition, 'tenantId' | 'shard'>('aml_rule_position', {
  key: ['tenantId', 'shard'],
  blobs: ({ windows }) => (windows === undefined ? [] : [windows.blob]),
  chain: 'tenantId',
  leased: { lane: ['tenantId'] },
  personal: {
    windows: {
      purpose: 'transaction monitoring: accounts of payments, in a sealed blob until the next one',
    },
  },
});

/** Results by the first number of their part of the log. */
export const ruleResultTable = table<RuleResult, 'tenantId' | 'tseqFrom'>('aml_rule_result', {
  key: ['tenantId', 'tseqFrom'],
  chain: 'tenantId',
  writes: 'appendOnly',
  kept: { from: 'at', ms: RESULT_KEPT_MS },
  personal: 'none',
});

/** Alerts of rules, by the id that they have everywhere. */
export const ruleAlertTable = table<StoredRuleAlert, 'tenantId' | 'alertId'>('aml_rule_alert', {
  key: ['tenantId', 'alertId'],
  chain: 'tenantId',
  indexes: {
    byGroup: ['tenantId', 'groupId'],
    byRule: ['tenantId', 'ruleId', 'lastAt'],
    byTime: ['tenantId', 'lastAt'],
  },
  personal: {
    alert: {
      purpose: 'transaction monitoring: by which figures a rule was met; no name, no account',
    },
  },
});

/** Suppressions of a tenant. */
export const suppressionTable = table<Suppression, 'tenantId' | 'suppressionId'>(
  'aml_rule_suppression',
  {
    key: ['tenantId', 'suppressionId'],
    chain: 'tenantId',
    derived: { isOpen: { field: 'status', in: ['proposed', 'active'] } },
    indexes: {
      newest: ['tenantId', 'createdAt'],
      open: ['tenantId', 'isOpen', 'expiresAt'],
    },
    unique: { one: ['tenantId', 'ruleId', 'subjectKey', 'isOpen'] },
    personal: {
      approvedBy: { purpose: 'accountability: who agreed to the suppression' },
      createdBy: { purpose: 'accountability: who asked for the suppression' },
      reason: { purpose: 'accountability: why nothing is raised; free text' },
    },
  },
);

/** Backtests of a tenant; leased by who works one off. */
export const backtestTable = table<Backtest, 'tenantId' | 'backtestId'>('aml_rule_backtest', {
  key: ['tenantId', 'backtestId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['queued'] } },
  open: 'isOpen',
  indexes: { byRule: ['tenantId', 'ruleId', 'requestedAt'], open: ['isOpen', 'requestedAt'] },
  leased: { lane: ['tenantId'], order: ['requestedAt'] },
  personal: { requestedBy: { purpose: 'accountability: who asked for the backtest' } },
});
