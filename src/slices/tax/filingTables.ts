/**
 * What is stored of reports on their way: how an institution files, the orders of workers, and what
 * was answered. How far a message is stands in its declaration, which is signed with each step.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** Where packages go: carried by hand, a folder of this machine, a sandbox's, or IDES itself. */
export type ChannelPlace =
  | { readonly kind: 'manual' }
  | { readonly kind: 'folder'; readonly folder: string }
  /** A folder whose packages are answered at once by an authority of ours. */
  | { readonly kind: 'sandbox'; readonly folder: string }
  | {
      readonly kind: 'sftp';
      readonly folder: string;
      readonly host: string;
      readonly hostKey: string;
      readonly port: number;
      readonly user: string;
    };

/** An entity of IDES that can open a package. */
export interface ChannelReceiver {
  readonly id: string;
  readonly certificatePem: string;
}

/** How an institution files: its keys, those of who receives and answers, and the way. */
export interface TaxChannel {
  readonly tenantId: TenantId;
  readonly giin: string;
  readonly place: ChannelPlace;
  readonly certificatePem: string;
  /** RSA and SSH keys, under SECRETS_KEY_FILE. */
  readonly sealedKey: string;
  readonly sealedSshKey?: string;
  /** The key of a sandbox's IDES. */
  readonly sealedIdesKey?: string;
  readonly receiver: ChannelReceiver;
  readonly approver?: ChannelReceiver;
  /** Whose signature on an answer holds. */
  readonly answerPems: readonly string[];
  readonly updatedBy: string;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** Channels by institution. */
export const channelTable = table<TaxChannel, 'tenantId' | 'giin'>('tax_channel', {
  key: ['tenantId', 'giin'],
  chain: 'tenantId',
  personal: { updatedBy: { purpose: 'accountability: who configured the channel' } },
});

/** The order to file a message of a declaration, for workers; and by which name it went. */
export interface FilingOrder {
  readonly tenantId: TenantId;
  readonly declarationId: string;
  readonly submissionNo: number;
  readonly messageNo: number;
  readonly status: 'queued' | 'ended';
  /** By which answers find it. */
  readonly senderFileId?: string;
  readonly requestedAt: EpochMs;
  readonly version: number;
}

/** Orders by declaration, submission and message. */
export const filingTable = table<
  FilingOrder,
  'tenantId' | 'declarationId' | 'submissionNo' | 'messageNo'
>('tax_filing', {
  key: ['tenantId', 'declarationId', 'submissionNo', 'messageNo'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['queued'] } },
  indexes: { open: ['isOpen', 'tenantId', 'requestedAt'] },
  leased: { lane: ['tenantId'], order: ['requestedAt'] },
  open: 'isOpen',
  // Two packages of one millisecond would have one name, by which no answer could be told apart.
  unique: { file: ['tenantId', 'senderFileId'] },
  personal: 'none',
});

/** What a notification has changed. */
export const NOTIFICATION_RESULTS = ['applied', 'unchanged', 'needs_review'] as const;

/** An answer of an authority, as it was received. */
export interface StoredNotification {
  readonly tenantId: TenantId;
  /** UUID version 7 of `receivedAt`. */
  readonly notificationId: string;
  /** SHA-256 hex of what was signed: the same answer is received once. */
  readonly digest: string;
  readonly code: string;
  readonly refId: string;
  readonly senderFileId: string;
  readonly result: (typeof NOTIFICATION_RESULTS)[number];
  /** Why it changed nothing, or what is odd about it. */
  readonly because?: string;
  readonly declarationId?: string;
  readonly messageNo?: number;
  /** The name of the message that it is of, while no message goes by it. */
  readonly awaits?: string;
  /** CRS where it is XML of an authority, which is not signed. */
  readonly regime?: 'CRS';
  /** What was signed: a sealed blob. */
  readonly blob: string;
  readonly receivedBy: string;
  readonly receivedAt: EpochMs;
  readonly version: number;
}

/** Notifications by id, which follows the time. */
export const notificationTable = table<StoredNotification, 'tenantId' | 'notificationId'>(
  'tax_notification',
  {
    key: ['tenantId', 'notificationId'],
    chain: 'tenantId',
    indexes: { awaited: ['tenantId', 'awaits'] },
    unique: { received: ['tenantId', 'digest'] },
    blobs: ({ blob }) => [blob],
    personal: { receivedBy: { purpose: 'accountability: who brought the answer' } },
  },
);
