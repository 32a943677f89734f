/**
 * Spans of one trace in this process, from their beginning to the queue. Whether a trace is
 * exported is decided when its first span here ends: it is one of the sampled share, its caller
 * asked for it and is known to us, or it failed. Until then its ended spans are kept, up to a
 * bound.
 */
import type { Attributes, Step } from './tracer.ts';
import { ATTRIBUTES } from './tracer.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** A span as it is exported. Microseconds since 1970, which a float64 still holds exactly. */
export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startUs: number;
  readonly endUs: number;
  readonly attributes: readonly (readonly [string, string | number | boolean])[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly hasFailed: boolean;
}

/** Spans of one trace that wait for its end; those beyond it are counted as dropped. */
const KEPT_MAX = 256;
const VALUE_CHARS_MAX = 128;
const NAME_CHARS_MAX = 80;
/** Ids, codes, routes, hosts: no spaces, no letters beyond ASCII. */
const VALUE = /^[\w.:/@{}*+-]*$/;
const REFUSED = '[refused]';

export interface TraceSinks {
  readonly ended: (spans: readonly EndedSpan[]) => void;
  readonly dropped: (count: number) => void;
}

export interface TraceBeginning {
  readonly traceId: string;
  /** Exported whatever comes of it. */
  readonly isSampled: boolean;
  /** Its caller wants it exported. */
  readonly isAsked: boolean;
  /** The wall clock, in microseconds, at this time of the monotonic one. */
  readonly startUs: number;
  readonly startMs: number;
}

/** The part of a trace that this process sees. */
export class LocalTrace {
  readonly traceId: string;
  readonly #of: TraceBeginning;
  readonly #sinks: TraceSinks;
  #isTrusted = false;
  #hasFailed = false;
  #kept: EndedSpan[] = [];
  #left = 0;

  constructor(of: TraceBeginning, sinks: TraceSinks) {
    this.traceId = of.traceId;
    this.#of = of;
    this.#sinks = sinks;
  }

  /** As far as it is known by now; whoever goes on with the trace elsewhere is told so. */
  get isExported(): boolean {
    const { isAsked, isSampled } = this.#of;
    return isSampled || (isAsked && this.#isTrusted);
  }

  /** The wall clock moves; the spans of a trace keep to one reading of it. */
  usAt(monotonicMs: number): number {
    const { startMs, startUs } = this.#of;
    return startUs + Math.round((monotonicMs - startMs) * 1_000);
  }

  trust(): void {
    this.#isTrusted = true;
  }

  fail(): void {
    this.#hasFailed = true;
  }

  add(span: EndedSpan, isFirst: boolean): void {
    if (this.#of.isSampled) {
      this.#sinks.ended([span]);
      return;
    }
    // The first span itself always has room.
    if (isFirst || this.#kept.length < KEPT_MAX) this.#kept.push(span);
    else this.#left++;
    if (isFirst) this.#decide();
  }

  #decide(): void {
    if (this.#hasFailed || this.isExported) {
      this.#sinks.ended(this.#kept);
      if (this.#left > 0) this.#sinks.dropped(this.#left);
    }
    // What ends later, of work that nobody waited for, is decided by itself.
    this.#kept = [];
    this.#left = 0;
  }
}

/** A span under way; also the handle by which its step tells of itself. */
export class OpenSpan implements Step {
  readonly trace: LocalTrace;
  readonly spanId: string;
  readonly #of: {
    readonly isFirst: boolean;
    readonly kind: SpanKind;
    readonly links: EndedSpan['links'];
    readonly parentId: string | undefined;
    readonly startMs: number;
  };
  readonly #attributes = new Map<string, string | number | boolean>();
  #name: string;
  #hasFailed = false;

  constructor(
    trace: LocalTrace,
    spanId: string,
    of: {
      readonly isFirst: boolean;
      readonly kind: SpanKind;
      readonly links: EndedSpan['links'];
      readonly name: string;
      readonly parentId: string | undefined;
      /** On the monotonic clock. */
      readonly startMs: number;
    },
  ) {
    this.trace = trace;
    this.spanId = spanId;
    this.#of = of;
    this.#name = of.name;
  }

  rename(name: string): void {
    this.#name = name;
  }

  note(attributes: Attributes): void {
    for (const name of ATTRIBUTES) {
      const value = attributes[name];
      if (value !== undefined) this.#attributes.set(name, safe(value));
    }
  }

  fail(code: string): void {
    this.#hasFailed = true;
    this.note({ 'error.type': code });
    if (this.#of.isFirst) this.trace.fail();
  }

  trust(): void {
    this.trace.trust();
  }

  end(endMs: number): void {
    const { isFirst, kind, links, parentId, startMs } = this.#of;
    const span: EndedSpan = {
      attributes: [...this.#attributes],
      endUs: this.trace.usAt(Math.max(endMs, startMs)),
      hasFailed: this.#hasFailed,
      kind,
      links,
      name: this.#name.slice(0, NAME_CHARS_MAX),
      parentId,
      spanId: this.spanId,
      startUs: this.trace.usAt(startMs),
      traceId: this.trace.traceId,
    };
    this.trace.add(span, isFirst);
  }
}

/** A name of a person has spaces or other letters; what looks like that does not leave. */
function safe(value: string | number | boolean): string | number | boolean {
  if (typeof value !== 'string') return value;
  return VALUE.test(value) ? value.slice(0, VALUE_CHARS_MAX) : REFUSED;
}

/** A short name of a failure, never its message. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
