/**
 * Traces as the rest of the product sees them: steps, each with a name, a few facts and a time.
 * Where no collector is configured the tracer is NO_TRACER, which runs the work and does nothing
 * else; what makes spans (recordingTracer.ts) is not even loaded then.
 *
 * Only facts on the list below leave the process, and only ids, codes, counts and hosts pass: as
 * with logs, a name or a document number cannot slip in with a new fact.
 */

/** Adding one is a decision about personal data. Standard names where the standard has one. */
export const ATTRIBUTES = [
  'compliance.batch_id',
  'compliance.candidates',
  'compliance.chunk',
  'compliance.event_id',
  'compliance.events',
  'compliance.is_replay',
  'compliance.job',
  'compliance.lists',
  'compliance.request_id',
  'compliance.run_id',
  'compliance.source_id',
  'compliance.subjects',
  'compliance.subscriber',
  'compliance.tenant_id',
  'compliance.topic',
  'error.type',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'server.address',
] as const;

type Value = string | number | boolean | undefined;
export type Attributes = { readonly [Name in (typeof ATTRIBUTES)[number]]?: Value };

/** What a step can still say about itself while it is under way. */
export interface Step {
  /** Replaces the name that it began with. */
  rename(name: string): void;
  note(attributes: Attributes): void;
  /** It failed by our own fault, without an error that leaves it. */
  fail(code: string): void;
  /** Its caller is known to us: a caller's wish to have it recorded is granted. */
  trust(): void;
}

export interface StepOptions {
  readonly attributes?: Attributes;
  /** Absent: within the process. */
  readonly kind?: 'server' | 'client' | 'consumer';
  /**
   * `traceparent` of what it goes on with, as another process or a stranger wrote it; a wrong one
   * counts as none. Absent: the step that is under way here.
   */
  readonly from?: string | undefined;
  /** `traceparent` of others that it works for as well. */
  readonly alsoFrom?: readonly string[];
}

/** A step that has been made elsewhere, as a thread tells of it. */
export interface PastStep {
  readonly name: string;
  /** On this process's monotonic clock. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes?: Attributes;
  readonly kind?: StepOptions['kind'];
  /** Code of its failure. */
  readonly failure?: string | undefined;
}

export interface Tracer {
  /** Whether anything is recorded: for facts that cost something to gather. */
  readonly isOn: boolean;
  /**
   * Runs `work` as a step. Without `from`, and with none under way, it begins a trace. An error
   * that leaves it is noted by its code, never by its message.
   */
  step<Result>(
    name: string,
    options: StepOptions,
    work: (step: Step) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Takes steps that were made within the one under way now, whatever is under way when they are
   * told of. Without one, nothing.
   */
  here(): (step: PastStep) => void;
  /** `traceparent` of the step under way, for whoever goes on with it elsewhere. */
  traceparent(): string | undefined;
  /** For log lines. */
  traceId(): string | undefined;
}

export const NO_STEP: Step = {
  fail: () => undefined,
  note: () => undefined,
  rename: () => undefined,
  trust: () => undefined,
};

const TELL_NOBODY = (): void => undefined;

export const NO_TRACER: Tracer = {
  here: () => TELL_NOBODY,
  isOn: false,
  step: (_, __, work) => work(NO_STEP),
  traceId: () => undefined,
  traceparent: () => undefined,
};
