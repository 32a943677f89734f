/**
 * The tracer where a collector is configured. Which step is under way follows the promises
 * (AsyncLocalStorage), so nobody hands it on by hand; work that outlives its request, as the
 * writer of a chain, says by `from` whom it works for.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';
import { type Sampler, shareOf } from './sampler.ts';
import {
  codeOf,
  LocalTrace,
  OpenSpan,
  type SpanKind,
  type TraceBeginning,
  type TraceSinks,
} from './spans.ts';
import { parseTraceparent, type TraceContext, traceparentOf } from './traceContext.ts';
import type { PastStep, Step, StepOptions, Tracer } from './tracer.ts';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const ZEROS = /^0+$/;

export interface RecordingOptions extends TraceSinks {
  readonly clock: Clock;
  readonly random: Random;
  readonly sampler: Sampler;
}

export function createRecordingTracer(options: RecordingOptions): Tracer {
  const { clock } = options;
  const underWay = new AsyncLocalStorage<OpenSpan>();

  async function step<Result>(
    name: string,
    of: StepOptions,
    work: (step: Step) => Promise<Result>,
  ): Promise<Result> {
    const startMs = clock.monotonicMs();
    const span = open(options, underWay.getStore(), { ...of, name, startMs });
    if (of.attributes !== undefined) span.note(of.attributes);
    try {
      return await underWay.run(span, () => work(span));
    } catch (error) {
      span.fail(codeOf(error));
      throw error;
    } finally {
      span.end(clock.monotonicMs());
    }
  }

  function here(): (step: PastStep) => void {
    const parent = underWay.getStore();
    if (parent === undefined) return () => undefined;
    return ({ attributes, endMs, failure, kind, name, startMs }) => {
      const span = open(options, parent, { name, startMs, ...(kind !== undefined && { kind }) });
      if (attributes !== undefined) span.note(attributes);
      if (failure !== undefined) span.fail(failure);
      span.end(endMs);
    };
  }

  return {
    here,
    isOn: true,
    step,
    traceId: () => underWay.getStore()?.trace.traceId,
    traceparent: () => {
      const span = underWay.getStore();
      return span && traceparentOf(contextOf(span));
    },
  };
}

const contextOf = ({ spanId, trace }: OpenSpan): TraceContext => ({
  isSampled: trace.isExported,
  spanId,
  traceId: trace.traceId,
});

function open(
  options: RecordingOptions,
  within: OpenSpan | undefined,
  of: StepOptions & { readonly name: string; readonly startMs: number },
): OpenSpan {
  const { alsoFrom = [], from, name, startMs } = of;
  const kind: SpanKind = of.kind ?? 'internal';
  const links = alsoFrom.flatMap((text) => parseTraceparent(text) ?? []);
  const spanId = newId(options.random, SPAN_ID_BYTES);
  const rest = { kind, links, name, startMs };
  if (from === undefined && within !== undefined) {
    const { spanId: parentId, trace } = within;
    return new OpenSpan(trace, spanId, { ...rest, isFirst: false, parentId });
  }
  const parent = parseTraceparent(from);
  const trace = new LocalTrace(beginning(options, { kind, parent, startMs }), options);
  return new OpenSpan(trace, spanId, { ...rest, isFirst: true, parentId: parent?.spanId });
}

/**
 * A stranger chooses the id of its trace, so the share is drawn by an id of ours. What another
 * process of ours began is as that one decided.
 */
function beginning(
  { clock, random, sampler }: RecordingOptions,
  of: {
    readonly kind: SpanKind;
    readonly parent: TraceContext | undefined;
    readonly startMs: number;
  },
): TraceBeginning {
  const { kind, parent, startMs } = of;
  const drawn = newId(random, TRACE_ID_BYTES);
  const isOurs = parent !== undefined && kind !== 'server';
  return {
    isAsked: sampler.followsParent && parent?.isSampled === true,
    isSampled: isOurs ? parent.isSampled : shareOf(drawn) < sampler.ratio,
    startMs,
    startUs: clock.now() * 1_000,
    traceId: parent?.traceId ?? drawn,
  };
}

/** All zeros are no id. */
function newId(random: Random, bytes: number): string {
  for (;;) {
    const id = Buffer.from(random.bytes(bytes)).toString('hex');
    if (!ZEROS.test(id)) return id;
  }
}
