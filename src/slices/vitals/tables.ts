/**
 * What is stored of an installation's health: a beat of each process, by which the others know that
 * it lives and what it can do, and troubles: what is wrong with the installation as long as it
 * lasts.
 */
import { table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { TroubleCode } from './codes.ts';

/** How long a beat is kept; one that lives writes its own anew. */
const BEAT_KEPT_MS = 24 * 3_600_000;
/** How long troubles are kept once they are over. */
export const TROUBLE_KEPT_MS = 90 * 24 * 3_600_000;

/** What a process does. */
export const BEAT_ROLES = ['gateway', 'worker'] as const;
/** One of BEAT_ROLES. */
export type BeatRole = (typeof BEAT_ROLES)[number];

/** A list that a gateway has loaded. */
export interface LoadedList {
  readonly source: string;
  readonly list_version: string;
  readonly list_digest: string;
  readonly entities: number;
  readonly bytes: number;
}

/** What a process says of itself. */
export interface BeatFigures {
  readonly memoryMb: number;
  /** Bytes free on the disk of `DATA_DIR`, and its size; absent where it cannot be asked. */
  readonly diskFree?: number;
  readonly diskSize?: number;
  /**
   * Seconds by which this host's clock is ahead of the store's or of Redis's, whichever is farther.
   */
  readonly clockAheadS?: number;
  /** Gateway: threads that score, queries that wait or run, and how busy that makes them. */
  readonly engineThreads?: number;
  readonly engineOpen?: number;
  /** Gateway: whether rate limits are counted by it alone, since Redis does not answer. */
  readonly isLimitLocal?: boolean;
  /** Gateway: lists that it screens against. */
  readonly lists?: readonly LoadedList[];
  /** Worker: seconds that events have waited for their checkpoint, the longest. */
  readonly checkpointS?: number;
}

/** A process of the installation. */
export interface Beat {
  /** `<host>/<process>/<pid>/<instance>`. */
  readonly nodeId: string;
  readonly role: BeatRole;
  /** Version of the product. */
  readonly release: string;
  readonly startedAt: EpochMs;
  /** When this record was written: it is purged a day later, and written anew by one that lives. */
  readonly recordedAt: EpochMs;
  readonly version: number;
  /** Work: when it was last heard of, by its own clock. */
  readonly seenAt?: EpochMs;
  /** Work: it has stopped in good order. */
  readonly endedAt?: EpochMs;
  /** Work. */
  readonly figures?: BeatFigures;
}

/** One record a process; what it says is work, outside the evidence. */
export const beatTable = table<Beat, 'nodeId'>('vital_beat', {
  key: ['nodeId'],
  chain: 'platform',
  work: ['endedAt', 'figures', 'seenAt'],
  kept: { from: 'recordedAt', ms: BEAT_KEPT_MS },
  personal: 'none',
});

/** What a trouble is about. */
export interface TroubleSubject {
  readonly subjectKind:
    | 'installation'
    | 'key'
    | 'list'
    | 'node'
    | 'subscriber'
    | 'tenant'
    | 'webhook_endpoint';
  readonly subjectId: string;
}

/** Ids, counts and codes: never a name or an address. */
export type TroubleParams = Readonly<Record<string, string | number>>;

/** Something wrong, as long as it lasts. */
export interface Trouble extends TroubleSubject {
  readonly troubleId: string;
  readonly code: TroubleCode;
  /** The tenant whom it concerns; `-` where it is the whole installation's. */
  readonly scope: string;
  readonly params: TroubleParams;
  readonly status: 'open' | 'closed';
  readonly openedAt: EpochMs;
  readonly closedAt?: EpochMs;
  readonly version: number;
  /** Work: how often it was seen, and when last. */
  readonly count?: number;
  readonly lastSeenAt?: EpochMs;
}

/** The scope of what concerns the whole installation. */
export const EVERYBODY = '-';

/** Troubles; of one code, scope and subject at most one is open. */
export const troubleTable = table<Trouble, 'troubleId'>('vital_trouble', {
  key: ['troubleId'],
  chain: 'platform',
  derived: { isOpen: { field: 'status', in: ['open'] } },
  indexes: { open: ['isOpen', 'scope', 'openedAt'] },
  unique: { standing: ['isOpen', 'code', 'scope', 'subjectId'] },
  open: 'isOpen',
  work: ['count', 'lastSeenAt'],
  kept: { from: 'closedAt', ms: TROUBLE_KEPT_MS, unless: 'isOpen' },
  personal: 'none',
});
