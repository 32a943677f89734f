/**
 * What each kind of process offers to the slices: the opened installation, and what belongs to all
 * of them there. src/app makes these; the edge of a slice builds its own parts from them.
 */
import type { AuditLog, HeadGuard, KeyRing } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type {
  Approvable,
  FoundApprovable,
  IdentityStore,
  RateLimiter,
  SettingsTable,
  TenantDirectory,
} from '#core/identity';
import type { Adapter, AnyTable, Port, PublicEvent, Question } from '#core/kernel';
import type { Holding, Purpose } from '#core/privacy';
import type { Subscriber } from '#core/reactions';
import type { Clock } from '#platform/clock';
import type { Config } from '#platform/config';
import type { Signer } from '#platform/crypto';
import type { Log } from '#platform/log';
import type { Metrics } from '#platform/metrics';
import type { Random } from '#platform/random';
import type { SecretBox } from '#platform/secretBox';
import type { Tracer } from '#platform/tracing/tracer';
import type { CursorCodec } from '../api/cursor.ts';
import type { SessionTokens } from '../api/middleware/authenticate.ts';
import type { DescribedCall } from '../api/openapiCalls.ts';
import type { Operation } from '../api/operation.ts';
import type { Door, PublicPage } from '../api/ports.ts';
import type { Answered } from '../api/server.ts';
import type { Command } from '../cli/command.ts';
import type { Storage } from '../storage/index.ts';
import type { ScheduledJob } from '../workers/jobQueue.ts';

/** What every process of an installation opens. */
export interface Installation {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly storage: Storage;
  readonly blobs: BlobStore;
  /** Keys under which personal data is stored, and with which it is erased. */
  readonly dataKeys: DataKeys;
  readonly signer: Signer;
  /** Seals what is secret at rest, and tags what nobody else may have written. */
  readonly secrets: SecretBox;
  /** Public keys of the evidence, with the ranges that each held. */
  readonly keyRing: KeyRing;
  readonly audit: AuditLog;
  /** Says which chains are behind their checkpoints; the log asks it with each head. */
  readonly headGuard: HeadGuard;
  readonly settings: SettingsTable;
  /** Records nothing where no collector is configured. */
  readonly tracer: Tracer;
  /** Unique to this process and start: `<host>/<process>/<pid>/<instance>`. */
  readonly holder: string;
}

/** An installation in a process of any kind. */
export interface SliceProcess extends Installation {
  /** Every action that an entry of the audit trail may name. */
  readonly actions: readonly string[];
  /** What core and the slices declare; the storage was opened with them. */
  readonly tables: readonly AnyTable[];
  /** Tenants, keys and persons; what a request asks for is what the chain says, or refused. */
  readonly identity: IdentityStore;
  /** Settings and states of tenants, at most two seconds old. */
  readonly tenants: TenantDirectory;
  /** `AuditLog.commit`: durable with its evidence once it resolves. */
  readonly commit: AuditLog['commit'];
  /** Answered by a slice to the right, else by the fallback. */
  ask<Asked extends Question>(port: Port<Asked, SliceProcess>): Asked;
  need<Asked extends Question>(adapter: Adapter<Asked>): Asked;
  /** What all slices hold of persons. */
  holdings(): Promise<readonly Holding[]>;
  /** What all slices tell the customers' own systems. */
  publicEvents(): Promise<readonly PublicEvent<SliceProcess>[]>;
  /** One part for the whole process, made by the first who wants it; a failure is not kept. */
  once<Part>(make: (process: this) => Part): Part;
  /** Called when the process ends, the last one registered first. */
  onClose(end: () => Promise<void> | void): void;
}

/** What answers requests. */
export interface GatewayProcess extends SliceProcess {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly cursors: CursorCodec;
  /** Without a slash at the end. */
  readonly origin: () => string;
  /** Key of an HMAC: the same on every gateway of the installation, and stored nowhere. */
  readonly secretOf: (purpose: string) => Uint8Array;
  /** Finds who checks and makes changes of a resource that are under dual control. */
  readonly approvableOf: (resource: string) => Promise<FoundApprovable | undefined>;
  /** Hears of each answer to a caller who is known. */
  readonly onAnswered: (listener: (answered: Answered) => void) => void;
  /** Milliseconds that Redis took to answer; undefined where it does not. Never rejects. */
  readonly pingRedis: () => Promise<number | undefined>;
  /** Fires once the gateway drains: what would answer for long comes to its end. */
  readonly ending: AbortSignal;
  /** Tells the slice's work in the workers to look now. Neither throws nor waits. */
  readonly wake: (slice: string, id: string) => void;
}

/** `edge/approvals.ts` of a slice. */
export interface ApprovalsPart {
  /** By the kinds of resources that the slice declares. */
  approvals(process: GatewayProcess): Readonly<Record<string, Approvable>>;
}

/** `edge/publicEvents.ts` of a slice. */
export interface PublicEventsPart {
  readonly publicEvents: readonly PublicEvent<SliceProcess>[];
}

/** `edge/holdings.ts` of a slice. */
export interface HoldingsPart {
  holdings(process: SliceProcess): readonly Holding[];
}

/** `edge/operations.ts` of a slice. */
export interface OperationsPart {
  /** Called once. The docs call it with a process that offers nothing. */
  operations(process: GatewayProcess): readonly Operation[];
  /** Calls that the slice makes to addresses of customers, by the public events of all slices. */
  calls?(events: readonly PublicEvent<never>[]): readonly DescribedCall[];
  /** Pages around the API. */
  pages?(process: GatewayProcess): readonly PublicPage[];
  /** Ways to the operations for callers whose credential is none of the API's. */
  doors?(process: GatewayProcess): readonly Door[];
  /** Tokens of its own that callers come with; one slice has them. */
  sessions?(process: GatewayProcess): SessionTokens;
  /** Resolves once the slice can answer; nothing listens before. */
  open?(process: GatewayProcess): Promise<unknown>;
  /** Why the slice cannot do its work now, for `/readyz`; undefined where it can. */
  readiness?(process: GatewayProcess): Promise<string | undefined>;
}

/** What works off what requests leave behind. */
export interface WorkerProcess extends SliceProcess {
  /** Counts what all workers do together. */
  readonly limiter: RateLimiter;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Work under way in a worker. */
export interface RunningWork {
  /** Gives back what is under way, for other workers. */
  stop(): Promise<void>;
  /** Something may have come in. */
  wake?(): void;
}

/**
 * For what each job processes data of customers: scheduled jobs and subscribers by their names, and
 * `start` for what runs until the process ends. `none`: it processes none.
 */
export type JobPurposes = Readonly<Record<string, Purpose | 'none'>>;

/** `edge/jobs.ts` of a slice. */
export interface JobsPart {
  /** A job without one does not start. */
  readonly purposes: JobPurposes;
  /** Starts what runs until the process ends. */
  start?(process: WorkerProcess): Promise<RunningWork> | RunningWork;
  /** What runs now and then, one worker at a time. */
  scheduled?(process: WorkerProcess): readonly ScheduledJob[];
  /** What reacts to events, with a place of its own in the outbox. */
  subscribers?(process: WorkerProcess): Promise<readonly Subscriber[]> | readonly Subscriber[];
}

/** The administrator's command line, once it has opened the installation. */
export interface CliProcess extends SliceProcess {
  /** As the gateway's; resolves once the word has left, for a command ends then. */
  readonly wake: (slice: string, id: string) => Promise<void>;
}

/** A command that may open the installation. */
export type SliceCommand = Command<CliProcess>;

/**
 * What `doctor` looks at: answers what was found, throws what to do where that is not good, or a
 * CheckWarning where it only should be.
 */
export interface SliceCheck {
  readonly name: string;
  /** Compares records with signed entries: `audit verify --state` looks, too. */
  readonly isOfState?: true;
  look(process: CliProcess): Promise<string>;
}

/** `edge/commands.ts` of a slice. */
export interface CommandsPart {
  readonly commands: readonly SliceCommand[];
  readonly checks?: readonly SliceCheck[];
}
