/**
 * What the slice stores: reports with their states, the packages that go to an authority, profiles
 * of FIUs, and the way to one over HTTPS. What a report says lies in sealed blobs, under a data key
 * of the report: the records hold ids, states and digests.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ProfileSettings } from './profile.ts';
import type { SchemaRepair } from './repairSchema.ts';

/** States of a report. */
export const STR_STATUSES = [
  'draft',
  'pending_validation',
  'validated',
  'submitted',
  'acknowledged',
  'returned',
] as const;
/** One of STR_STATUSES. */
export type StrStatus = (typeof STR_STATUSES)[number];

/** Ways to an authority. */
export const STR_CHANNELS = ['portal', 'folder', 'goaml_b2b', 'sandbox'] as const;
/** One of STR_CHANNELS. */
export type StrChannel = (typeof STR_CHANNELS)[number];

/** What a data protection officer has looked at. */
export interface Checklist {
  /** Each person of the report is needed in it. */
  readonly necessity: true;
  /** Data of special categories: none, or for a reason that the officer has written down. */
  readonly special_categories: 'none' | 'justified';
  readonly retention: true;
}

/** The validation of what a report says, as it can be verified by anybody. */
export interface StrValidation {
  /** Person id. */
  readonly validator: string;
  readonly contentHash: string;
  readonly keyId: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
  /** Base64. */
  readonly signature: string;
  /** As the signed bytes name the last editor. */
  readonly author: string;
  readonly checklist: Checklist;
}

/** What the authority, or the way to it, has said of a submission. */
export interface StrOutcome {
  readonly kind: 'acknowledged' | 'refused';
  readonly at: EpochMs;
  /** Who wrote it down: an actor, or `system:str` for a channel. */
  readonly by: string;
  /** Reference, reasons and receipt: a sealed blob. */
  readonly blob: string;
}

/** A package as it was made and sent. */
export interface StrSubmission {
  /** From 1. */
  readonly number: number;
  readonly entityReference: string;
  readonly channel: StrChannel;
  readonly profileId: string;
  /** Digest of the schema as the FIU published it, and as it was checked against. */
  readonly schemaSha256: string;
  readonly strictSchemaSha256: string;
  readonly contentHash: string;
  readonly xmlSha256: string;
  readonly packageSha256: string;
  readonly packageBytes: number;
  /** The package, sealed. */
  readonly blob: string;
  readonly submittedBy: string;
  readonly submittedAt: EpochMs;
  readonly outcome?: StrOutcome;
}

/** A suspicious transaction report. */
export interface StrReport {
  readonly tenantId: TenantId;
  /** UUID version 7 of `createdAt`: the order of ids is that of time. */
  readonly strId: string;
  readonly status: StrStatus;
  /** It was submitted once: from then on other people see it, whatever becomes of it. */
  readonly isFiled: boolean;
  /** Who drafted it: `person:<id>`, an account or a key. */
  readonly author: string;
  /** All who changed what it says: none of them validates it. */
  readonly editors: readonly string[];
  /** Whose change was the last. */
  readonly updatedBy: string;
  readonly reportCode: string;
  readonly profileId: string;
  /** What it says: a sealed blob, and its salted digest. */
  readonly blob: string;
  readonly contentHash: string;
  /** Sealed blobs of its attachments. */
  readonly attachments: readonly string[];
  readonly validation?: StrValidation;
  /** Why it was returned: a sealed blob. */
  readonly returnBlob?: string;
  readonly submissions: readonly StrSubmission[];
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** When its data key was destroyed. */
  readonly erasedAt?: EpochMs;
  readonly version: number;
}

/** Reports by tenant and id. */
export const strReportTable = table<StrReport, 'tenantId' | 'strId'>('str_report', {
  key: ['tenantId', 'strId'],
  chain: 'tenantId',
  derived: { isKept: { field: 'erasedAt', absent: true } },
  indexes: {
    byAuthor: ['tenantId', 'author'],
    byFiled: ['tenantId', 'isFiled'],
    byStatus: ['tenantId', 'status'],
    oldest: ['isKept', 'updatedAt'],
  },
  blobs: ({ attachments, blob, erasedAt, returnBlob, submissions }) =>
    erasedAt !== undefined
      ? []
      : [
          blob,
          ...attachments,
          ...(returnBlob === undefined ? [] : [returnBlob]),
          ...submissions.flatMap((one) => [
            one.blob,
            one.schemaSha256,
            one.strictSchemaSha256,
            ...(one.outcome ? [one.outcome.blob] : []),
          ]),
        ],
  personal: {
    author: { purpose: 'accountability: who drafted the report' },
    editors: { purpose: 'four eyes: who changed the report and may not validate it' },
    submissions: { purpose: 'accountability: who submitted the report, and how it ended' },
    updatedBy: { purpose: 'accountability: who changed the report last' },
    validation: { purpose: 'accountability: which data protection officer validated the report' },
  },
});

/** How far a package is on its way. */
export const DISPATCH_STATES = ['sending', 'awaiting_upload', 'sent', 'ended'] as const;
/** One of DISPATCH_STATES. */
export type DispatchState = (typeof DISPATCH_STATES)[number];

/** A package on its way: a worker's business until the authority has answered. */
export interface StrDispatch {
  readonly tenantId: TenantId;
  readonly strId: string;
  readonly number: number;
  readonly channel: StrChannel;
  readonly entityReference: string;
  readonly state: DispatchState;
  readonly createdAt: EpochMs;
  readonly version: number;
  /** Work: when it is looked at next; what the other side calls the report; a sending begun. */
  readonly dueAt?: EpochMs;
  readonly remoteKey?: string;
  readonly isBegun?: boolean;
  readonly remindedAt?: EpochMs;
}

/** Dispatches, a row a submission. */
export const strDispatchTable = table<StrDispatch, 'tenantId' | 'strId' | 'number'>(
  'str_dispatch',
  {
    key: ['tenantId', 'strId', 'number'],
    chain: 'tenantId',
    derived: { isOpen: { field: 'state', in: ['sending', 'awaiting_upload', 'sent'] } },
    indexes: { open: ['isOpen', 'channel'] },
    unique: { reference: ['tenantId', 'entityReference'] },
    leased: { due: 'dueAt', isUntold: true, lane: ['tenantId', 'strId'] },
    open: 'isOpen',
    work: ['dueAt', 'isBegun', 'remindedAt', 'remoteKey'],
    personal: 'none',
  },
);

/** A schema's file: its blob is named by the digest. */
export interface StoredSchema {
  readonly bytes: number;
  readonly sha256: string;
}

/** How an FIU takes reports, as an administrator has loaded it. */
export interface StrProfile {
  readonly tenantId: TenantId;
  readonly profileId: string;
  readonly settings: ProfileSettings;
  /** As the FIU published it. */
  readonly schema: StoredSchema;
  /** As validators read it. */
  readonly strict: StoredSchema;
  readonly repairs: readonly SchemaRepair[];
  readonly importedBy: string;
  readonly importedAt: EpochMs;
  readonly version: number;
}

/** Profiles by tenant and id. */
export const strProfileTable = table<StrProfile, 'tenantId' | 'profileId'>('str_profile', {
  key: ['tenantId', 'profileId'],
  chain: 'tenantId',
  blobs: ({ schema, strict }) => [schema.sha256, strict.sha256],
  personal: {
    importedBy: { purpose: 'accountability: who loaded the profile' },
    settings: { purpose: 'the authority is told who reports: name and contact of that person' },
  },
});

/** The way to an FIU's goAML Web. */
export interface StrRemote {
  readonly tenantId: TenantId;
  readonly channel: 'goaml_b2b';
  readonly url: string;
  readonly user: string;
  /** Under SECRETS_KEY_FILE. */
  readonly sealedPassword: string;
  readonly isEnabled: boolean;
  readonly updatedAt: EpochMs;
  readonly version: number;
}

/** One a tenant. */
export const strRemoteTable = table<StrRemote, 'tenantId' | 'channel'>('str_remote', {
  key: ['tenantId', 'channel'],
  chain: 'tenantId',
  personal: { user: { purpose: 'signs in at the authority’s system' } },
});
