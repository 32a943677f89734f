/** Calls by `fetch` and by undici, as steps of who makes them, without what they ask for. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { watchOutgoingCalls } from '../../../src/platform/tracing/outgoingCalls.ts';
import { createRecordingTracer } from '../../../src/platform/tracing/recordingTracer.ts';
import type { EndedSpan } from '../../../src/platform/tracing/spans.ts';
import type { Tracer } from '../../../src/platform/tracing/tracer.ts';

let server: Server;
let url: string;
let spans: EndedSpan[];
let tracer: Tracer;
let watch: { end(): void };
beforeEach(async () => {
  server = createServer((asked, response) => {
    if (asked.url?.startsWith('/cut') === true) return void response.destroy();
    response.writeHead(asked.url?.startsWith('/no') === true ? 404 : 200).end('body');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  spans = [];
  tracer = createRecordingTracer({
    clock: systemClock,
    dropped: () => undefined,
    ended: (ended) => spans.push(...ended),
    random: systemRandom,
    sampler: { followsParent: false, isOff: false, ratio: 1 },
  });
  watch = watchOutgoingCalls(tracer, systemClock);
});
afterEach(() => {
  watch.end();
  server.closeAllConnections();
  server.close();
});

const named = (name: string) => spans.filter((span) => span.name === name);

test('a call is a step of who makes it, with host and status alone', async () => {
  await tracer.step('run', {}, async () => {
    await (await fetch(`${url}/list?token=hush`, { headers: { authorization: 'hush' } })).text();
    await (await request(`${url}/no/hush`, { body: 'hush', method: 'POST' })).body.text();
  });
  const [run] = named('run');
  const [get] = named('http GET');
  const [post] = named('http POST');
  expect(get).toMatchObject({ hasFailed: false, kind: 'client', parentId: run?.spanId });
  expect(new Map(get?.attributes)).toEqual(
    new Map<string, unknown>([
      ['http.request.method', 'GET'],
      ['http.response.status_code', 200],
      ['server.address', url.slice('http://'.length)],
    ]),
  );
  expect(post).toMatchObject({ hasFailed: true, parentId: run?.spanId });
  expect(post?.attributes).toContainEqual(['error.type', '404']);
  expect(JSON.stringify(spans)).not.toContain('hush');
});

test('one that breaks has failed by its code', async () => {
  await tracer.step('run', {}, () => request(`${url}/cut`).catch(() => undefined));
  expect(named('http GET')).toMatchObject([{ hasFailed: true }]);
  expect(new Map(named('http GET')[0]?.attributes).get('error.type')).toBe('UND_ERR_SOCKET');
});

test('a call outside of a trace begins none, and after the end nothing is seen', async () => {
  await (await fetch(url)).text();
  watch.end();
  await tracer.step('run', {}, async () => (await fetch(url)).text());
  expect(spans.map(({ name }) => name)).toEqual(['run']);
});
