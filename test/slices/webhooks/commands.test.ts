/**
 * `webhook …` as a person runs it, with a worker that sends: what the commands print is right, and
 * what is secret or personal stands nowhere else: not in the store, nor in logs, traces, metrics
 * and wake-ups (R9, R17).
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { createLog } from '#platform/log';
import { createMetrics } from '#platform/metrics';
import { systemRandom } from '#platform/random';
import {
  deliveryOf,
  deliveryTable,
  endpointTable,
  messageOf,
  messageTable,
  sealMessage,
} from '#slices/webhooks';
import { type OpenProcess, openProcess } from '../../../src/app/process.ts';
import { runCommandLine } from '../../../src/cli/commandLine.ts';
import { watchOutgoingCalls } from '../../../src/platform/tracing/outgoingCalls.ts';
import { createRecordingTracer } from '../../../src/platform/tracing/recordingTracer.ts';
import type { EndedSpan } from '../../../src/platform/tracing/spans.ts';
import type { CliProcess, RunningWork, WorkerProcess } from '../../../src/slices/processes.ts';
import { start } from '../../../src/slices/webhooks/edge/jobs.ts';
import { configurePorts } from '../../../src/slices/webhooks/edge/parts.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { surroundings } from '../../cli/surroundings.ts';
import { makeCertificate } from '../../platform/testCertificates.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { freeLimiter } from '../../workers/quietWorker.ts';
import { type Receiver, replyWith, startReceiver } from './receiver.ts';
import { startTlsReceiver, type TlsReceiver } from './tlsReceiver.ts';

const CANARY = 'canary-7f3a91c4';
const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;
const CLIENT = makeCertificate('compliance');

describe.skipIf(!hasRedis)('webhook …', () => {
  let gateway: RealGateway;
  let caller: Caller;
  let tenantId: TenantId;
  let worker: OpenProcess<WorkerProcess>;
  let work: RunningWork;
  let cli: OpenProcess<CliProcess>;
  let receiver: Receiver;
  let tls: TlsReceiver;
  let watch: { end(): void };
  const metrics = createMetrics({ processFigures: false });
  const logged: string[] = [];
  const spans: EndedSpan[] = [];
  const woken: string[] = [];
  /** Everything that was shown once. */
  const secrets: string[] = [];

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox');
    caller = await gateway.caller(tenantId, 'admin');
    receiver = await startReceiver();
    tls = await startTlsReceiver();
    const tracer = createRecordingTracer({
      clock: systemClock,
      dropped: () => undefined,
      ended: (ended) => spans.push(...ended),
      random: systemRandom,
      sampler: { followsParent: false, isOff: false, ratio: 1 },
    });
    watch = watchOutgoingCalls(tracer, systemClock);
    const destination = { write: (line: string) => void logged.push(line) };
    const log = createLog({ destination, level: 'debug', process: 'worker' });
    worker = openProcess<WorkerProcess>(gateway.installation, {
      limiter: freeLimiter,
      log,
      metrics,
    });
    work = await tracer.step('worker', {}, async () => start(worker.process));
    cli = openProcess<CliProcess>(gateway.installation, {
      wake: async (...words: readonly string[]) => void woken.push(words.join(' ')),
    } as never);
  });
  afterAll(async () => {
    watch.end();
    await work.stop();
    await worker.close();
    await cli.close();
    await receiver.close();
    await tls.close();
    await gateway.close();
    // `listen` lets its process end when it has nothing to do, and this one has more.
    process.channel?.ref();
  });

  async function run(...words: readonly string[]) {
    let [out, err] = ['', ''];
    const streams = {
      err: { write: (text: string) => (err += text) },
      out: { write: (text: string) => (out += text) },
    };
    const code = await runCommandLine(
      ['webhook', ...words],
      streams,
      surroundings({ open: async () => cli.process }),
    );
    secrets.push(...(`${out}${err}`.match(new RegExp(SECRET, 'g')) ?? []));
    return { code, err, out };
  }
  const json = async (...words: readonly string[]) => {
    const { code, err, out } = await run(...words, '--json');
    expect(code, err).toBe(0);
    return JSON.parse(out);
  };
  const ended = (deliveryId: string) =>
    expect
      .poll(
        async () => {
          const { deliveries } = await json('deliveries');
          const found = deliveries.find(
            (one: { delivery_id: string }) => one.delivery_id === deliveryId,
          );
          return found?.status;
        },
        { timeout: 30_000 },
      )
      .toMatch(/^(?:DELIVERED|FAILED)$/);

  test('listen takes a test event, verifies and prints it, and leaves no endpoint', async () => {
    const { code, err, out } = await run('listen', '--once');
    expect(code, err).toBe(0);
    expect(out).toMatch(/^verified webhook\.test\n/);
    expect(JSON.parse(out.slice(out.indexOf('{')))).toMatchObject({
      data: { test: true },
      event: 'webhook.test',
    });
    expect(err).toMatch(SECRET);
    expect((await json('list')).endpoints).toEqual([]);
  });

  test('listen --forward hands the call on as it came, and answers what that answers', async () => {
    const { code, err } = await run('listen', '--once', '--forward', receiver.url);
    expect(code, err).toBe(0);
    expect(err).toContain(`${receiver.url} answered 204`);
    const [handed] = receiver.received.splice(0);
    expect(handed?.headers).toMatchObject({ 'x-service-event-type': 'webhook.test' });
    expect(handed?.headers['x-service-signature']).toMatch(/^t=[0-9]+,v1=[0-9a-f]{64}$/);
    expect(JSON.parse(handed?.body ?? '')).toMatchObject({ event: 'webhook.test' });
  });

  test('add, list, rotate, deliveries and replay', async () => {
    const url = `${receiver.url}?token=${CANARY}`;
    const { endpoint } = await json('add', '--url', url, '--description', CANARY);
    const { endpoint_id: endpointId } = endpoint;
    expect((await run('list')).out).toContain(`${endpointId}`);
    const test = await caller.post('/v1/webhooks/test', {});
    await ended(test.json<{ delivery_id: string }>().delivery_id);
    const rotated = await json('rotate', '--endpoint', endpointId);
    expect(rotated).toMatchObject({ endpoint_id: endpointId });
    expect(rotated.previous_expires_at).not.toBeNull();
    const { deliveries } = await json('deliveries', '--status', 'DELIVERED');
    const replay = await json('replay', deliveries[0].delivery_id);
    expect(replay).toMatchObject({ replay_of: deliveries[0].delivery_id, status: 'PENDING' });
    await ended(replay.delivery_id);
    // A worker signs with what it saw of the endpoint a moment ago: the former secret holds, too.
    await expect
      .poll(
        async () => {
          const again = await json('replay', deliveries[0].delivery_id);
          await ended(again.delivery_id);
          return receiver.received.at(-1)?.headers['x-service-signature'];
        },
        { interval: 500, timeout: 30_000 },
      )
      .toMatch(/v1=.*,v1=/);
  });

  test('tls and request set certificates', async () => {
    const folder = gateway.installation.config.dataDir;
    const [certificate, key] = ['client.pem', 'keys/client.key'].map((name) => join(folder, name));
    await writeFile(certificate ?? '', CLIENT.certificatePem);
    await writeFile(key ?? '', CLIENT.keyPem);
    const { endpoint } = await json('add', '--url', tls.url);
    const { endpoint_id: id } = endpoint;
    const set = await json(
      ...['tls', '--endpoint', id, '--certificate', certificate ?? '', '--key', key ?? ''],
    );
    expect(set.tls).toMatchObject({
      ca_sha256: null,
      client_certificate: { subject: 'CN=compliance' },
    });
    const { request_pem: pem } = await json('request', '--endpoint', id, '--common-name', 'bank');
    expect(pem).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----\n/);
    const wrong = await run('tls', '--endpoint', id);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--certificate or --ca')]);
    const none = await json('tls', '--endpoint', id, '--certificate', 'none');
    expect(none.tls.client_certificate).toBeNull();
    await json('tls', '--endpoint', id, '--certificate', certificate ?? '', '--key', key ?? '');
  });

  test('what fails with personal words in it tells nobody of them', async () => {
    receiver.reply = replyWith(500, { 'x-canary': CANARY }, CANARY);
    const endpoints = await cli.process.storage.tables.page(endpointTable, {
      equal: { tenantId },
      index: 'key',
      limit: 10,
    });
    const { tables } = cli.process.storage;
    const source = { at: systemClock.now(), id: 'canary', tenantId };
    const { secrets } = configurePorts(cli.process);
    const message = sealMessage(
      secrets,
      messageOf(source, { data: { name: CANARY }, eventType: 'aml.batch.completed' }),
    );
    await tables.insertMissing(messageTable, [message]);
    const deliveries = endpoints.records.map((endpoint) => deliveryOf(message, endpoint));
    await tables.insertMissing(deliveryTable, deliveries);
    await expect
      .poll(async () => (await json('deliveries', '--status', 'RETRYING')).deliveries.length, {
        timeout: 30_000,
      })
      .toBeGreaterThan(0);
    expect(receiver.received.at(-1)?.body).toContain(CANARY); // it was sent, all the same
    const shown = [
      ...logged,
      JSON.stringify(spans.map((span) => ({ ...span, attributes: [...span.attributes] }))),
      (await metrics.expose()).text,
      ...woken,
    ].join('\n');
    expect(shown).toContain('webhook_attempts');
    expect(shown).not.toContain(CANARY);
    expect(shown).not.toMatch(SECRET);
    expect(spans.length).toBeGreaterThan(0);
  });

  test('no secret that was shown, and no key, stands in the store in clear', async () => {
    const made = await caller.post('/v1/webhooks', { events: ['*'], url: `${receiver.url}/dump` });
    expect(made.status, made.text).toBe(201);
    secrets.push(made.json<{ secret: string }>().secret);
    expect(new Set(secrets).size).toBeGreaterThanOrEqual(5);
    const keyLines = CLIENT.keyPem.split('\n').filter((line) => line.length > 40);
    const { dataDir } = gateway.installation.config;
    const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
    let bytes = 0;
    for (const file of files.filter((one) => one.isFile())) {
      if (file.parentPath.endsWith('keys')) continue;
      const content = await readFile(join(file.parentPath, file.name));
      bytes += content.length;
      for (const secret of secrets) {
        const raw = Buffer.from(secret.slice('whsec_'.length), 'base64');
        for (const form of [secret.slice('whsec_'.length), raw, raw.toString('hex')]) {
          expect(content.includes(form), file.name).toBe(false);
        }
      }
      for (const line of keyLines) expect(content.includes(line), file.name).toBe(false);
      expect(content.includes('PRIVATE KEY'), file.name).toBe(false);
      if (content.includes('aml.batch.completed')) expect(content.includes(CANARY)).toBe(true);
    }
    expect(bytes).toBeGreaterThan(10_000);
  });
});
