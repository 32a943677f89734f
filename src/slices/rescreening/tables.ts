/**
 * What the slice stores: the customers whom a tenant has watched, how far they are compared with
 * the lists, runs and their chunks, and each listed party that was found for a customer.
 */
import { type BatchId, type SourceId, type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { PinnedList, PinnedSet } from '#slices/batches';
import type { Subject } from '#slices/intake';
import type { ScreeningSettings } from '#slices/screening';

/** States of a monitored subject. */
export const MONITORED_STATES = ['active', 'paused', 'removed'] as const;
/** One of MONITORED_STATES. */
export type MonitoredState = (typeof MONITORED_STATES)[number];

/** A customer whom a tenant has watched. */
export interface MonitoredSubject {
  readonly tenantId: TenantId;
  /** `subjectKeyOfRef`: follows from the tenant and the reference. */
  readonly subjectId: string;
  /** The tenant's own id of the customer. */
  readonly subjectRef: string;
  /** Gone once it was removed. */
  readonly subject?: Subject;
  /** Random: without it nobody tells a customer by a digest. */
  readonly salt: string;
  readonly state: MonitoredState;
  /** `api`, `command-line`, `screening` or `batch:<id>`. */
  readonly addedBy: string;
  readonly addedAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** New or changed: to be screened by itself, at once. */
  readonly isNew: boolean;
  /** Came with very many others: screened by itself too, beside those who are screened at once. */
  readonly isBulk?: true;
  /** What was found and told of him before he was watched; until he is screened by himself. */
  readonly known?: KnownHits;
  /** When it was screened by itself, and against which lists. */
  readonly screenedAt?: EpochMs;
  readonly listVersion?: string;
  readonly version: number;
}

/** Whether a customer is to be screened by himself. */
export const isDue = ({ isBulk, isNew }: MonitoredSubject): boolean => isNew || isBulk === true;

/** Hits that people have already: nobody is told of them by re-screening. */
export interface KnownHits {
  /** `entryName` of each. */
  readonly entries: readonly string[];
  /** The screening that told of them; absent: a batch did, whose hits have no screening. */
  readonly screeningId?: string;
}

/** How far all customers of a tenant are compared with the lists. */
export interface Coverage {
  readonly tenantId: TenantId;
  readonly register: 'subjects';
  /** Versions of the last run that has ended, with which the next one begins. */
  readonly lists: readonly PinnedList[];
  readonly listVersion?: string;
  readonly coveredAt?: EpochMs;
  /** SHA-256 of the settings that the customers were screened by. */
  readonly policyDigest?: string;
  /** The last full pass. */
  readonly comparedAt?: EpochMs;
  /** The last run, whose entries say who was watched then. */
  readonly runId?: string;
  readonly runStartedAt?: EpochMs;
  /** Written with the entry that tells of it, which alone is believed (`toldLateSince`). */
  readonly lateSince?: EpochMs;
  readonly version: number;
}

/** Why customers are walked through. */
export const RUN_MODES = ['delta', 'full', 'new'] as const;
/** `delta`: a list has changed; `full`: everybody, compared; `new`: new and changed customers. */
export type RunMode = (typeof RUN_MODES)[number];

/** What a run came to so far. */
export interface RunCounts {
  /** Customers that were looked at. */
  readonly customers: number;
  /** Customers of those that were screened whole. */
  readonly screened: number;
  readonly found: number;
  readonly gone: number;
  /** A full pass alone: what the passes before should have found. */
  readonly differences: number;
  readonly chunks: number;
  /** Rows that are not what was signed, and were left out. */
  readonly refused?: number;
}

/** The subjects of a batch on their way into the register. */
export interface Enrolment {
  readonly tenantId: TenantId;
  readonly batchId: BatchId;
  readonly status: 'running' | 'completed' | 'failed';
  /** The next chunk of the batch; what has come of those before it. */
  readonly chunkNo: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly startedAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly failure?: string;
  readonly version: number;
}

/** One walk through the customers of a tenant. */
export interface RescreeningRun {
  readonly tenantId: TenantId;
  readonly runId: string;
  readonly mode: RunMode;
  /** One of a lane is open at once; `bulk`: new customers of whom very many came together. */
  readonly lane: 'lists' | 'new' | 'bulk';
  readonly status: 'running' | 'completed' | 'failed';
  readonly listsPinned: readonly PinnedList[];
  readonly listVersion: string;
  /** Formula of `listVersion`, as events name it. */
  readonly listVersionV?: PinnedSet['listVersionV'];
  readonly resolution?: string;
  readonly sandbox: boolean;
  /** What decides in each of its screenings. */
  readonly settings: ScreeningSettings;
  /** A full pass under the same settings: it must find what was found. */
  readonly isCompared: boolean;
  readonly startedAt: EpochMs;
  readonly endedAt?: EpochMs;
  readonly failure?: string;
  /** The last customer that is done. */
  readonly after?: string;
  readonly counts: RunCounts;
  readonly version: number;
}

/** Customers that were looked at together: one entry in the chain has the root over them. */
export interface RescreeningChunk {
  readonly tenantId: TenantId;
  readonly runId: string;
  readonly chunkNo: number;
  /** Subject ids of the first and the last customer. */
  readonly from: string;
  readonly to: string;
  readonly customers: number;
  readonly merkleRoot: string;
  /** Blob of the leaves, one a line. */
  readonly leaves: string;
}

/** A listed party that a customer is a hit of. Its id follows from what was found. */
export interface Sighting {
  readonly tenantId: TenantId;
  readonly sightingId: string;
  readonly subjectId: string;
  readonly source: SourceId;
  readonly ftmId: string;
  readonly typology: string;
  readonly entityDigest: string;
  readonly subjectDigest: string;
  /** Where it was found first: its event has the scores, and its alert the decision. */
  readonly screeningId: string;
  readonly foundAt: EpochMs;
  /** Whether the last screening still found it. */
  readonly isCurrent: boolean;
  readonly version: number;
}

/** Customers by tenant; kept until the tenant removes them. */
export const monitoredTable = table<MonitoredSubject, 'tenantId' | 'subjectId'>(
  'monitored_subject',
  {
    key: ['tenantId', 'subjectId'],
    chain: 'tenantId',
    derived: {
      isDue: { field: 'isNew', in: [true] },
      isDueLater: { field: 'isBulk', in: [true] },
    },
    indexes: {
      byState: ['tenantId', 'state', 'subjectId'],
      due: ['isDue', 'tenantId', 'subjectId'],
      dueLater: ['isDueLater', 'tenantId', 'subjectId'],
    },
    personal: {
      known: { purpose: 'screening: hits of the customer that were told before he was watched' },
      subject: { purpose: 'screening: the customer who is compared with each list' },
      subjectRef: { purpose: 'screening: the tenant’s own id of the customer' },
    },
  },
);

/** A batch whose subjects are taken into the register, leased to one worker at a time. */
export const enrolmentTable = table<Enrolment, 'tenantId' | 'batchId'>('monitored_enrolment', {
  key: ['tenantId', 'batchId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['running'] } },
  indexes: {
    newest: ['tenantId', 'startedAt'],
    open: ['isOpen', 'tenantId', 'startedAt'],
  },
  work: ['added', 'changed', 'chunkNo', 'unchanged'],
  leased: { lane: ['tenantId'] },
  open: 'isOpen',
  personal: 'none',
});

/** One row a tenant that has customers watched. */
export const coverageTable = table<Coverage, 'tenantId' | 'register'>('monitored_coverage', {
  key: ['tenantId', 'register'],
  chain: 'tenantId',
  personal: 'none',
});

/** Runs by tenant, leased to one worker at a time. */
export const runTable = table<RescreeningRun, 'tenantId' | 'runId'>('rescreening_run', {
  key: ['tenantId', 'runId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['running'] } },
  indexes: {
    newest: ['tenantId', 'startedAt'],
    open: ['isOpen', 'tenantId', 'startedAt'],
  },
  unique: { standing: ['tenantId', 'lane', 'isOpen'] },
  leased: { lane: ['tenantId'] },
  open: 'isOpen',
  personal: 'none',
});

/** Chunks of runs: the evidence of who was screened against which lists. */
export const rescreenedTable = table<RescreeningChunk, 'tenantId' | 'runId' | 'chunkNo'>(
  'rescreening_chunk',
  {
    key: ['tenantId', 'runId', 'chunkNo'],
    chain: 'tenantId',
    writes: 'appendOnly',
    blobs: ({ leaves }) => [leaves],
    personal: 'none',
  },
);

/** What was found for customers; kept as the evidence of what was told. */
export const sightingTable = table<Sighting, 'tenantId' | 'sightingId'>('rescreening_sighting', {
  key: ['tenantId', 'sightingId'],
  chain: 'tenantId',
  derived: { isThere: { field: 'isCurrent', in: [true] } },
  indexes: { bySubject: ['isThere', 'tenantId', 'subjectId'] },
  personal: {
    subjectDigest: { purpose: 'screening: tells whether the customer has changed; salted' },
  },
});
