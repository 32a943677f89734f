/**
 * What a hostile caller sends, each with its pace. Every attack answers with a word for what came
 * of it: the status, or that the line was cut.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, ask, keyOf, PATIENCE_MS, type Target } from './asking.ts';
import { brokenJson, costlyBatch, oddQuery, pick, worstQuery } from './hostileText.ts';
import { READING_ATTACKS } from './readingAttacks.ts';

const screen = (target: Target, body: string | Buffer): Promise<string> =>
  ask(target, '/v1/sanctions/screen', { body, headers: { 'x-api-key': keyOf(target) } });

/** A socket of its own; what it is told is thrown away. */
async function open({ origin }: Target): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect').catch(() => undefined);
  return socket;
}

const head = (target: Target, path: string, more: readonly string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `X-API-Key: ${keyOf(target)}`,
    `Idempotency-Key: ${randomUUID()}`,
    'Content-Type: application/json',
    ...more,
    '',
    '',
  ].join('\r\n');

/** Bytes that come so slowly that the upload never ends; it is ended. */
async function slowUpload(target: Target): Promise<string> {
  const socket = await open(target);
  const closed = once(socket, 'close').then(() => 'ended');
  socket.write(head(target, '/v1/sanctions/screen/batch', ['Content-Length: 30000000']));
  socket.write(`{"subjects":[${'{"name":"Anna Berg"},'.repeat(20_000)}`);
  const drip = setInterval(() => socket.write(' '), 500);
  const outcome = await Promise.race([closed, delay(PATIENCE_MS, 'held', { ref: false })]);
  clearInterval(drip);
  socket.destroy();
  return outcome;
}

async function slowHeaders(target: Target): Promise<string> {
  const socket = await open(target);
  const closed = once(socket, 'close').then(() => 'ended');
  socket.write('POST /v1/sanctions/screen HTTP/1.1\r\nHost: localhost\r\n');
  const drip = setInterval(() => socket.write(`X-${pick(1e6)}: a\r\n`), 1_000);
  const outcome = await Promise.race([closed, delay(PATIENCE_MS, 'held', { ref: false })]);
  clearInterval(drip);
  socket.destroy();
  return outcome;
}

/** A client that leaves as soon as its worst query is on its way. */
async function vanish(target: Target): Promise<string> {
  const socket = await open(target);
  const body = Buffer.from(worstQuery());
  socket.write(head(target, '/v1/sanctions/screen', [`Content-Length: ${body.length}`]));
  socket.write(body);
  await delay(pick(30));
  socket.destroy();
  return 'left';
}

const AMBIGUOUS: readonly (readonly string[])[] = [
  ['Content-Length: 5', 'Content-Length: 6'],
  ['Transfer-Encoding: chunked', 'Content-Length: 5'],
  ['Transfer-Encoding: xchunked'],
  ['Content-Length: -1'],
];

async function ambiguous(target: Target): Promise<string> {
  const socket = await open(target);
  const closed = once(socket, 'close').then(() => 'ended');
  const framing = AMBIGUOUS[pick(AMBIGUOUS.length)] ?? [];
  socket.write(`${head(target, '/v1/sanctions/screen', framing)}G\r\nhello\r\n0\r\n\r\n`);
  const outcome = await Promise.race([closed, delay(15_000, 'held', { ref: false })]);
  socket.destroy();
  return outcome;
}

const QUOTES = Buffer.from(`external_id,full_name\n${'"\n'.repeat(4_000_000)}`);

function quoteUpload(target: Target): Promise<string> {
  const form = new FormData();
  form.set('name', 'quotes');
  form.set('file', new Blob([QUOTES]), 'quotes.csv');
  const headers = { 'x-api-key': keyOf(target) };
  return ask(target, '/v1/aml/batches/csv', { body: form, headers });
}

async function costly(target: Target): Promise<string> {
  const headers = { 'x-api-key': keyOf(target) };
  return ask(target, '/v1/aml/batches', { body: costlyBatch(target.subjects), headers });
}

const PAGES = ['/openapi.json', '/docs', '/metrics', '/readyz', '/problems/body-invalid', '/x'];

function anonymous(target: Target): Promise<string> {
  const kind = pick(3);
  if (kind === 0) return ask(target, PAGES[pick(PAGES.length)] ?? '/');
  if (kind === 1) return ask(target, '/v1/sanctions/screen', { body: worstQuery() });
  const guess = `cp_test_${randomUUID().replaceAll('-', '')}${pick(1e9)}`;
  return ask(target, '/v1/aml/batches', { headers: { 'x-api-key': guess } });
}

function forged(target: Target): Promise<string> {
  const cursor = Buffer.from(`{"k":[${pick(1e9)}],"f":"x"}${'A'.repeat(pick(700))}`);
  const path = ['/v1/aml/batches', '/v1/audit/events', '/v1/approvals'][pick(3)];
  const headers = { 'x-api-key': keyOf(target) };
  return ask(target, `${path}?cursor=${cursor.toString('base64url')}`, { headers });
}

/** One key under many bodies at once. */
async function reused(target: Target): Promise<string> {
  const headers = { 'idempotency-key': randomUUID(), 'x-api-key': keyOf(target) };
  const path = '/v1/sanctions/screen';
  const all = [1, 2, 3, 4].map((n) =>
    ask(target, path, { body: JSON.stringify({ name: `Anna ${n}` }), headers }),
  );
  return [...new Set(await Promise.all(all))].sort().join('+');
}

/** A line that is neither answered nor ended, though its sender keeps no least rate. */
const HELD = /held/;

export const ATTACKS: readonly Attack[] = [
  { atOnce: 64, name: 'worst query', perSecond: 15, run: (to) => screen(to, worstQuery()) },
  { atOnce: 64, name: 'odd name', perSecond: 5, run: (to) => screen(to, oddQuery()) },
  { atOnce: 64, name: 'broken JSON', perSecond: 10, run: (to) => screen(to, brokenJson()) },
  { atOnce: 64, name: 'vanished client', perSecond: 10, run: vanish },
  { atOnce: 128, name: 'anonymous flood', perSecond: 100, run: anonymous },
  { atOnce: 16, name: 'forged cursor', perSecond: 5, run: forged },
  { atOnce: 16, name: 'reused key', perSecond: 2, run: reused },
  { atOnce: 44, mustNot: HELD, isUpload: true, name: 'slow upload', perSecond: 4, run: slowUpload },
  { atOnce: 50, mustNot: HELD, name: 'slow headers', perSecond: 5, run: slowHeaders },
  { atOnce: 8, mustNot: HELD, name: 'ambiguous framing', perSecond: 2, run: ambiguous },
  { atOnce: 2, isUpload: true, name: 'CSV of quotes', perSecond: 0.1, run: quoteUpload },
  { atOnce: 3, isUpload: true, name: 'costly batch', perSecond: 0.02, run: costly },
  ...READING_ATTACKS,
];
