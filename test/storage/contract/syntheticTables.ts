/**
 * Tables that no slice has: one for each combination of flags that a slice may declare, so that the
 * contract is held before the first slice needs it. Members that a slice's records may lack are
 * lacked by some of these.
 */
import { table } from '#core/kernel';
import { type TableCase, tableCase } from './sampleRecord.ts';

export const DAY_MS = 86_400_000;

interface Note {
  readonly tenantId: string;
  readonly noteId: string;
  readonly kind?: string;
  readonly createdAt?: number;
  readonly isRead?: boolean;
  readonly rank?: number;
  readonly version: number;
}
/** The plainest one: a tenant's records by version, and indexes of every type of field. */
export const notes = table<Note>('synthetic_note', {
  key: ['tenantId', 'noteId'],
  chain: 'tenantId',
  derived: {
    isShown: { field: 'kind', in: ['a/', 'é'] },
    isUnranked: { field: 'rank', absent: true },
  },
  indexes: {
    byFlag: ['tenantId', 'isRead', 'rank'],
    byKind: ['tenantId', 'kind', 'createdAt'],
    newest: ['tenantId', 'createdAt'],
    shown: ['tenantId', 'isShown', 'kind'],
    unranked: ['tenantId', 'isUnranked'],
  },
  personal: 'none',
});

interface Account {
  readonly accountId: string;
  readonly tenantId: string;
  readonly hash: string;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
  readonly version: number;
}
/** A key without its tenant: `owner` holds it, and the hash is unique over all tenants. */
export const accounts = table<Account>('synthetic_account', {
  key: ['accountId'],
  chain: 'tenantId',
  indexes: { byTenant: ['tenantId', 'createdAt'] },
  owner: 'tenantId',
  personal: 'none',
  touch: 'lastUsedAt',
  unique: { hash: ['hash'] },
});

interface Policy {
  readonly tenantId: string;
  readonly policyId: string;
  readonly formId: string;
  readonly name?: string;
  readonly status: 'draft' | 'active' | 'retired';
  readonly version: number;
}
/** Unique while: one draft and one active version of a form. */
export const policies = table<Policy>('synthetic_policy', {
  key: ['tenantId', 'policyId'],
  chain: 'tenantId',
  derived: {
    isActive: { field: 'status', in: ['active'] },
    isDraft: { field: 'status', in: ['draft'] },
  },
  indexes: { byStatus: ['tenantId', 'status'] },
  personal: 'none',
  unique: {
    active: ['tenantId', 'formId', 'isActive'],
    draft: ['tenantId', 'formId', 'isDraft'],
    name: ['tenantId', 'name'],
  },
});

interface Job {
  readonly tenantId: string;
  readonly jobId: string;
  readonly name: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed';
  readonly requestedAt: number;
  readonly endedAt?: number;
  readonly dueAt?: number;
  readonly stage?: string;
  readonly log?: readonly string[];
  readonly version: number;
}
/** Everything that long work needs at once. */
export const jobs = table<Job>('synthetic_job', {
  key: ['jobId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['queued', 'running'] } },
  indexes: {
    byStatus: ['tenantId', 'status', 'requestedAt'],
    turns: ['isOpen', 'tenantId', 'requestedAt'],
  },
  kept: { from: 'endedAt', ms: DAY_MS, unless: 'isOpen' },
  leased: { due: 'dueAt', lane: ['tenantId'] },
  open: 'isOpen',
  owner: 'tenantId',
  personal: 'none',
  unique: { name: ['tenantId', 'name', 'isOpen'] },
  work: ['dueAt', 'stage', 'log'],
});

interface Piece {
  readonly tenantId: string;
  readonly jobId: string;
  readonly no: number;
  readonly result?: { readonly blob: string };
  readonly progress?: number;
}
/** Without a version: a put ends it. */
export const pieces = table<Piece>('synthetic_piece', {
  key: ['jobId', 'no'],
  chain: 'tenantId',
  derived: { isWaiting: { field: 'result', absent: true } },
  leased: { lane: ['jobId'], order: ['no'] },
  open: 'isWaiting',
  personal: 'none',
  work: ['progress'],
  writes: 'once',
});

interface Ticket {
  readonly tenantId: string;
  readonly ticketId: string;
  readonly priority: number;
  readonly doneAt?: number;
  readonly version: number;
}
/** Leased in an order of its own, without due times; ended by a member that comes. */
export const tickets = table<Ticket>('synthetic_ticket', {
  key: ['tenantId', 'ticketId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'doneAt', absent: true } },
  indexes: { open: ['tenantId', 'isOpen', 'priority'] },
  leased: { lane: ['tenantId'], order: ['priority'] },
  open: 'isOpen',
  personal: 'none',
});

interface Delivery {
  readonly tenantId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly dueAt?: number;
  readonly createdAt: number;
  readonly version: number;
}
/** Lanes of two fields; no end, so that it is removed. */
export const deliveries = table<Delivery>('synthetic_delivery', {
  key: ['tenantId', 'deliveryId'],
  chain: 'tenantId',
  indexes: { byEndpoint: ['tenantId', 'endpointId', 'createdAt'] },
  kept: { from: 'createdAt', ms: DAY_MS },
  leased: { due: 'dueAt', lane: ['tenantId', 'endpointId'] },
  personal: 'none',
  work: ['dueAt'],
});

interface Line {
  readonly tenantId: string;
  readonly seq: number;
  readonly ordinal: number;
  readonly at: number;
  readonly code?: string;
}
/** Rows: appended alone. */
export const lines = table<Line>('synthetic_line', {
  key: ['tenantId', 'seq', 'ordinal'],
  chain: 'tenantId',
  indexes: { byCode: ['tenantId', 'code', 'at'], byTime: ['tenantId', 'at'] },
  kept: { from: 'at', ms: DAY_MS },
  personal: 'none',
  writes: 'rows',
});

interface Receipt {
  readonly tenantId: string;
  readonly receiptId: string;
  readonly digest: string;
  readonly at: number;
}
/** Inserted once and never changed; its number grows with each. */
export const receipts = table<Receipt>('synthetic_receipt', {
  key: ['tenantId', 'receiptId'],
  chain: 'tenantId',
  indexes: { newest: ['tenantId', 'at'] },
  personal: 'none',
  stamp: { fields: [], name: 'synthetic_receipts' },
  unique: { digest: ['tenantId', 'digest'] },
  writes: 'appendOnly',
});

interface Source {
  readonly sourceId: string;
  readonly title: string;
  readonly active?: string;
  readonly version: number;
}
/** The platform's; its stamp moves with one member only, and is shared with the releases’. */
export const sources = table<Source>('synthetic_source', {
  key: ['sourceId'],
  chain: 'platform',
  indexes: { byTitle: ['title'] },
  personal: 'none',
  stamp: { fields: ['active'], name: 'synthetic_lists' },
});

interface Release {
  readonly sourceId: string;
  readonly label: string;
  readonly digest: string;
}
/** Numbered in the order of commits. */
export const releases = table<Release>('synthetic_release', {
  key: ['sourceId', 'label'],
  chain: 'platform',
  indexes: { byDigest: ['digest'], placed: ['sourceId'] },
  isPlaced: true,
  personal: 'none',
  stamp: { fields: ['digest'], name: 'synthetic_lists' },
  writes: 'appendOnly',
});

interface Setting {
  readonly no: number;
  readonly part: number;
  readonly ownerId: string;
  readonly name: string;
  readonly isOn: boolean;
  readonly version: number;
}
/** Written in commits of any chain, by one owner; a key of integers. */
export const settings = table<Setting>('synthetic_setting', {
  key: ['no', 'part'],
  chain: 'any',
  indexes: { byName: ['name', 'isOn'] },
  owner: 'ownerId',
  personal: 'none',
  unique: { name: ['name', 'part'] },
});

interface Notice {
  readonly noticeId: string;
  readonly title: string;
  readonly version: number;
}
/** Numbered in the order of commits of all chains, and changed afterwards. */
export const notices = table<Notice>('synthetic_notice', {
  key: ['noticeId'],
  chain: 'any',
  indexes: { byTitle: ['title'] },
  isPlaced: true,
  personal: 'none',
});

const PAYLOAD = { list: [1, null, true, ''], text: 'é ≤ \u0000 الشركة \u{1F600}', 'x.$y': {} };
const base = () => ({ payload: PAYLOAD });

export const NOTES = tableCase(notes, { base, optional: ['createdAt', 'isRead', 'kind', 'rank'] });
export const ACCOUNTS = tableCase(accounts, { base });
export const POLICIES = tableCase(policies, {
  base,
  fields: { status: ['draft', 'active', 'retired'] },
  optional: ['name'],
});
export const JOBS = tableCase(jobs, {
  base,
  fields: { status: ['queued', 'running', 'done', 'failed'] },
});
export const PIECES = tableCase(pieces, {
  base,
  end: { result: { blob: 'aa' } },
  fields: { result: [] },
});
export const TICKETS = tableCase(tickets, {
  base,
  fields: { priority: [-3, 0, Number.MAX_SAFE_INTEGER] },
});
export const DELIVERIES = tableCase(deliveries, { base });
export const LINES = tableCase(lines, { base, optional: ['code'] });
export const RECEIPTS = tableCase(receipts, { base });
export const NOTICES = tableCase(notices, { base });
export const SETTINGS = tableCase(settings, { base, fields: { part: 'integer' } });

export const SYNTHETIC: readonly TableCase[] = [
  NOTES,
  ACCOUNTS,
  POLICIES,
  JOBS,
  PIECES,
  TICKETS,
  DELIVERIES,
  LINES,
  RECEIPTS,
  tableCase(sources, { base }),
  tableCase(releases, { base }),
  SETTINGS,
  NOTICES,
];
