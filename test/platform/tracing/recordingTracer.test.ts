/** Which spans come of which steps, and which of them are exported. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Clock, EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { createRecordingTracer } from '../../../src/platform/tracing/recordingTracer.ts';
import { type Sampler, samplerOf } from '../../../src/platform/tracing/sampler.ts';
import type { EndedSpan } from '../../../src/platform/tracing/spans.ts';

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const ALL = samplerOf('always_on', 1);
const NONE: Sampler = { followsParent: true, isOff: false, ratio: 0 };

function recording(sampler: Sampler = ALL) {
  const spans: EndedSpan[] = [];
  let dropped = 0;
  let monotonicMs = 5_000;
  const clock: Clock = { monotonicMs: () => monotonicMs, now: () => 1_700_000_000_000 as EpochMs };
  const tracer = createRecordingTracer({
    clock,
    dropped: (count) => {
      dropped += count;
    },
    ended: (ended) => spans.push(...ended),
    random: systemRandom,
    sampler,
  });
  const span = (name: string) => {
    const found = spans.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no span ${name}`);
    return found;
  };
  return {
    advance: (ms: number) => {
      monotonicMs += ms;
    },
    dropped: () => dropped,
    span,
    spans,
    tracer,
  };
}

test('steps within a step are its children, with their own times and facts', async () => {
  const { advance, span, spans, tracer } = recording();
  const result = await tracer.step('outer', { attributes: { 'compliance.lists': 2 } }, async () => {
    advance(10);
    const inner = await tracer.step('inner', {}, async (step) => {
      advance(2.5);
      step.note({ 'compliance.candidates': 7 });
      return tracer.traceId();
    });
    expect(inner).toBe(tracer.traceId());
    return 'done';
  });
  expect(result).toBe('done');
  expect(tracer.traceId()).toBeUndefined();
  const [outer, inner] = [span('outer'), span('inner')];
  expect(spans).toHaveLength(2);
  expect(inner).toMatchObject({
    attributes: [['compliance.candidates', 7]],
    endUs: 1_700_000_000_012_500,
    parentId: outer.spanId,
    startUs: 1_700_000_000_010_000,
    traceId: outer.traceId,
  });
  expect(outer).toMatchObject({ attributes: [['compliance.lists', 2]], parentId: undefined });
  expect(outer.endUs - outer.startUs).toBe(12_500);
});

test('steps at once keep to their own traces', async () => {
  const { spans, tracer } = recording();
  const both = ['a', 'b'].map((name) =>
    tracer.step(name, {}, async () => {
      await delay(1);
      return tracer.step(`${name} inner`, {}, async () => tracer.traceId());
    }),
  );
  const ids = await Promise.all(both);
  for (const [index, name] of ['a', 'b'].entries()) {
    const own = spans.filter((one) => one.name.startsWith(name));
    expect(new Set(own.map(({ traceId }) => traceId))).toEqual(new Set([ids[index]]));
  }
  expect(ids[0]).not.toBe(ids[1]);
});

test('an error is noted by its code alone, and goes on', async () => {
  const { span, tracer } = recording();
  const error = Object.assign(new Error('about Ann Example'), { code: 'store-unavailable' });
  await expect(tracer.step('a', {}, () => Promise.reject(error))).rejects.toBe(error);
  const thrown = () => {
    throw new TypeError('about Ann Example');
  };
  await expect(tracer.step('b', {}, thrown)).rejects.toThrow(TypeError);
  expect(span('a').attributes).toEqual([['error.type', 'store-unavailable']]);
  expect(span('b').attributes).toEqual([['error.type', 'TypeError']]);
  expect([span('a').hasFailed, span('b').hasFailed]).toEqual([true, true]);
});

test('what looks like a name of a person does not leave', async () => {
  const { span, tracer } = recording();
  const canaries = ['Ann Example', 'محمد', 'Zoë', 'a\nb', '<b>'];
  await tracer.step('a', {}, async (step) => {
    for (const canary of canaries) {
      await tracer.step(canary, { attributes: { 'compliance.source_id': canary } }, async () => 0);
    }
    step.note({ 'unknown.fact': 'x', 'server.address': 'h'.repeat(500) } as never);
  });
  expect(span('Ann Example').attributes).toEqual([['compliance.source_id', '[refused]']]);
  expect(span('a').attributes).toEqual([['server.address', 'h'.repeat(128)]]);
});

describe('of a caller', () => {
  test('the trace goes on, whatever it wishes', async () => {
    const { span, tracer } = recording();
    await tracer.step('request', { from: CALLER, kind: 'server' }, async () => 0);
    expect(span('request')).toMatchObject({
      kind: 'server',
      parentId: 'b7ad6b7169203331',
      traceId: '0af7651916cd43dd8448eb211c80319c',
    });
  });

  test('a wrong one begins a trace of its own', async () => {
    const { span, tracer } = recording();
    await tracer.step('request', { from: 'x', kind: 'server' }, async () => 0);
    expect(span('request').parentId).toBeUndefined();
    expect(span('request').traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  test('its wish is granted once it is known, with all that came before', async () => {
    const { spans, tracer } = recording(NONE);
    await tracer.step('stranger', { from: CALLER, kind: 'server' }, async () => 0);
    expect(spans).toEqual([]);
    await tracer.step('known', { from: CALLER, kind: 'server' }, async (step) => {
      await tracer.step('before', {}, async () => 0);
      expect(tracer.traceparent()).toMatch(/-00$/);
      step.trust();
      expect(tracer.traceparent()).toMatch(/-01$/);
    });
    expect(spans.map(({ name }) => name)).toEqual(['before', 'known']);
    const deaf = recording({ ...NONE, followsParent: false });
    await deaf.tracer.step('known', { from: CALLER, kind: 'server' }, async (step) => step.trust());
    expect(deaf.spans).toEqual([]);
  });

  test('it cannot choose an id that is always recorded', async () => {
    const { spans, tracer } = recording({ ...NONE, ratio: 0.01 });
    const low = `00-${'1'.padEnd(32, '0')}-b7ad6b7169203331-00`;
    for (let time = 0; time < 500; time++) {
      await tracer.step('request', { from: low, kind: 'server' }, async () => 0);
    }
    expect(spans.length).toBeLessThan(50);
  });
});

test('of traces that are not sampled those are exported whose first step here fails', async () => {
  const { spans, tracer } = recording(NONE);
  await tracer.step('well', {}, () => tracer.step('inner', {}, async () => 0));
  const caught = () =>
    tracer.step('inner', {}, () => Promise.reject(new Error('x'))).catch(() => 0);
  await tracer.step('mended', {}, caught);
  expect(spans).toEqual([]);
  await tracer.step('bad', {}, async (step) => {
    await tracer.step('within', {}, async () => 0);
    step.fail('500');
  });
  expect(spans.map(({ name }) => name)).toEqual(['within', 'bad']);
});

test('a failed trace of endless steps is kept up to a bound, and the rest counted', async () => {
  const { dropped, spans, tracer } = recording(NONE);
  await tracer.step('bad', {}, async (step) => {
    for (let time = 0; time < 300; time++) await tracer.step('within', {}, async () => 0);
    step.fail('500');
  });
  expect([spans.length, dropped(), spans.at(-1)?.name]).toEqual([257, 44, 'bad']);
});

test('another process goes on as this one has decided', async () => {
  for (const [sampler, count] of [
    [ALL, 1],
    [NONE, 0],
  ] as const) {
    const first = recording(sampler);
    const from = await first.tracer.step('a', {}, async () => first.tracer.traceparent());
    const second = recording({ ...NONE, followsParent: false });
    await second.tracer.step('b', { from, kind: 'consumer' }, async () => 0);
    expect(second.spans).toHaveLength(count);
    if (count === 1) expect(second.span('b').traceId).toBe(first.span('a').traceId);
  }
});

test('work for several is linked to them all, and a thread’s steps lie in the past', async () => {
  const { advance, span, tracer } = recording();
  await tracer.step('group', { alsoFrom: [CALLER, 'x'] }, async () => {
    advance(100);
    const tell = tracer.here();
    await tracer.step('later', {}, async () =>
      tell({ endMs: 5_090, name: 'retrieve', startMs: 5_040 }),
    );
  });
  const [group, retrieve] = [span('group'), span('retrieve')];
  expect(group.links).toMatchObject([{ spanId: 'b7ad6b7169203331' }]);
  expect(retrieve.parentId).toBe(group.spanId);
  expect([retrieve.startUs - group.startUs, retrieve.endUs - group.startUs]).toEqual([
    40_000, 90_000,
  ]);
  tracer.here()({ endMs: 2, name: 'nobody', startMs: 1 });
});
