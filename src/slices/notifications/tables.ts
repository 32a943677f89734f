/**
 * What notifications store: conditions (what people must know of as long as it lasts), notices
 * (what they were told, once each), and messages (one notice on its way to one reader).
 *
 * A condition and what it tells are one commit. Workers lease messages; how often one was tried is
 * work beside the record. Readers are named by id: the address is looked up when it is written to.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Locale } from '#platform/locales';
import type { Audience, ConditionCode, ConditionKind, NoticeKind, Severity } from './codes.ts';

/** All of them, from their end on. */
export const HISTORY_KEPT_MS = 90 * 24 * 3_600_000;

/** What a condition or a notice is about. */
export interface NoticeSubject {
  readonly subjectKind:
    | 'audit_chain'
    | 'privacy_request'
    | 'risk_policy'
    | 'screening'
    | 'tax_form'
    | 'tenant'
    | 'webhook_endpoint';
  readonly subjectId: string;
}

/** Ids, counts and codes: never a name, an address or a payload. */
export type NoticeParams = Readonly<Record<string, string | number>>;

/** States of a condition; `closed` is final. */
export const CONDITION_STATUSES = ['open', 'acknowledged', 'closed'] as const;
/** One of CONDITION_STATUSES. */
export type ConditionStatus = (typeof CONDITION_STATUSES)[number];

/** Something that people must know of as long as it lasts: an alert of operation, or a ticket. */
export interface Condition extends NoticeSubject {
  readonly tenantId: TenantId;
  readonly conditionId: string;
  readonly code: ConditionCode;
  readonly kind: ConditionKind;
  readonly severity: Severity;
  readonly params: NoticeParams;
  readonly status: ConditionStatus;
  readonly openedAt: EpochMs;
  /** As entries name actors. */
  readonly acknowledgedBy?: string;
  readonly closedAt?: EpochMs;
  readonly closedBecause?: 'success' | 'over' | 'removed' | 'renewed' | 'disabled';
  /** What told that it began. */
  readonly noticeId: string;
  readonly version: number;
  /** Work: how often it was seen, and when last. */
  readonly count?: number;
  readonly lastSeenAt?: EpochMs;
  /** Work: the last event of the outbox that was counted. */
  readonly lastEventId?: string;
}

/** Conditions by tenant and id; of one code and subject at most one is open. */
export const conditionTable = table<Condition, 'tenantId' | 'conditionId'>('notice_condition', {
  key: ['tenantId', 'conditionId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['open', 'acknowledged'] } },
  indexes: {
    newest: ['tenantId', 'openedAt'],
    open: ['isOpen', 'tenantId', 'openedAt'],
  },
  unique: { standing: ['isOpen', 'tenantId', 'code', 'subjectId'] },
  open: 'isOpen',
  work: ['count', 'lastEventId', 'lastSeenAt'],
  kept: { from: 'closedAt', ms: HISTORY_KEPT_MS, unless: 'isOpen' },
  personal: { acknowledgedBy: { purpose: 'accountability: who takes care of it' } },
});

/** Times of the last failures of a tenant, by which a burst of them is seen. */
export interface FailureWindow {
  readonly tenantId: TenantId;
  readonly of: 'webhook_failures';
  readonly version: number;
  /** Work: the last of them, oldest first, and the last event that was counted. */
  readonly times?: readonly EpochMs[];
  readonly lastEventId?: string;
}

/** One record a tenant that ever had a failure. */
export const windowTable = table<FailureWindow, 'tenantId' | 'of'>('notice_window', {
  key: ['tenantId', 'of'],
  chain: 'tenantId',
  work: ['lastEventId', 'times'],
  personal: 'none',
});

/** What people were told. */
export interface Notice extends NoticeSubject {
  readonly tenantId: TenantId;
  /** UUID version 7 of `createdAt`: the order of ids is that of time. */
  readonly noticeId: string;
  readonly kind: NoticeKind;
  readonly severity: Severity;
  readonly audience: Audience;
  readonly params: NoticeParams;
  readonly conditionId?: string;
  readonly createdAt: EpochMs;
  /** When what it tells of was over. */
  readonly closedAt?: EpochMs;
  readonly version: number;
}

/** Notices, latest first by their key. */
export const noticeTable = table<Notice, 'tenantId' | 'noticeId'>('notice', {
  key: ['tenantId', 'noticeId'],
  chain: 'tenantId',
  indexes: { byAudience: ['tenantId', 'audience', 'noticeId'] },
  kept: { from: 'createdAt', ms: HISTORY_KEPT_MS },
  personal: 'none',
});

/** Ways to readers. */
export const CHANNELS = ['mail', 'hook'] as const;
/** One of CHANNELS. */
export type Channel = (typeof CHANNELS)[number];

/** States of a message; `unsent` waits, also where nothing is configured to send it. */
export const MESSAGE_STATUSES = ['unsent', 'sent', 'failed'] as const;
/** One of MESSAGE_STATUSES. */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** One notice on its way to one reader. */
export interface NoticeMessage {
  readonly tenantId: TenantId;
  /** Follows from notice, channel and reader: written twice, it is one. */
  readonly messageId: string;
  readonly noticeId: string;
  readonly channel: Channel;
  /** `person:<id>`, or `operations:<place in the configuration>`. */
  readonly recipient: string;
  readonly locale: Locale;
  readonly status: MessageStatus;
  readonly createdAt: EpochMs;
  readonly endedAt?: EpochMs;
  /** Tries that it took. */
  readonly tries?: number;
  /** Why it failed. */
  readonly failureCode?: string;
  readonly version: number;
  /** Work: from when on it may be tried, and why the last try failed. */
  readonly dueAt?: EpochMs;
  readonly triedAt?: EpochMs;
  readonly faultCode?: string;
}

/** Messages: the outbox of mail and hook. */
export const noticeMessageTable = table<NoticeMessage, 'tenantId' | 'messageId'>(
  'notice_dispatch',
  {
    key: ['tenantId', 'messageId'],
    chain: 'tenantId',
    derived: { isUnsent: { field: 'status', in: ['unsent'] } },
    indexes: {
      byNotice: ['tenantId', 'noticeId'],
      byRecipient: ['tenantId', 'channel', 'recipient', 'createdAt'],
      unsent: ['isUnsent', 'channel', 'createdAt'],
    },
    leased: { due: 'dueAt', lane: ['channel', 'tenantId'] },
    open: 'isUnsent',
    work: ['dueAt', 'faultCode', 'triedAt'],
    kept: { from: 'createdAt', ms: HISTORY_KEPT_MS },
    personal: { recipient: { purpose: 'notices: the id of the person who was written to' } },
  },
);
