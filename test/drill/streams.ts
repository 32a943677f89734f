/**
 * Alert streams: a thousand at one gateway within 100 MB, each alert seen within a second of its
 * commit; then a thousand dropped connections and a killed gateway, and nobody misses an alert or
 * gets one twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { identityStore } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { loadConfig } from '#platform/config';
import { openInstallation } from '../../src/app/installation.ts';
import { createAdministration } from '../../src/slices/tenants/administration.ts';
import { Cluster, type Customer, RAISED, until } from './cluster.ts';
import type { Member } from './member.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';
import { gapsIn, StreamReader } from './streamReaders.ts';

const LISTED = 'Tarek Velmorani';
/** As the gateway has them. */
const STREAMS_PER_CALLER = 10;
const SIZES = {
  short: { alerts: 12, drops: 20, streams: 40 },
  whole: { alerts: 60, drops: 1_000, streams: 1_000 },
} as const;
const READERS = 10;
/** A reader drops its connection after 1 to so many alerts. */
const DROP_AFTER_MAX = 3;
const SEEN_MS_MAX = 1_000;
const STREAMS_MB_MAX = 100;
const OPENED_AT_ONCE = 50;
/** Between alerts: how late one is seen, not how many go through. */
const ALERT_EVERY_MS = 250;

type Size = (typeof SIZES)[keyof typeof SIZES];

export async function streams({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('streams', { isShort });
  const size: Size = SIZES[isShort ? 'short' : 'whole'];
  const cluster = await Cluster.start({ gateways: 2, workers: 1 });
  try {
    const customer = await cluster.customer('Watchful', { roles: 'agent_l2', settings: RAISED });
    await manyStreams(cluster, findings, { customer, size });
    const second = await cluster.customer('Shaky', { roles: 'agent_l2', settings: RAISED });
    await droppedStreams(cluster, findings, { customer: second, size });
    const fatal = cluster.fatalities();
    findings.judge('no process ends by itself', fatal.join('; ') || 'none', fatal.length === 0);
  } finally {
    await cluster.stop();
  }
  return findings.rows;
}

interface Of {
  readonly customer: Customer;
  readonly size: Size;
}

/** Keys of one tenant, made at once: each may have ten streams. */
async function keysOf(cluster: Cluster, tenantId: string, count: number): Promise<string[]> {
  const config = loadConfig({ ...cluster.env });
  const onWarning = () => undefined;
  const installation = await openInstallation({ config, onWarning, processName: 'drill' });
  try {
    const store = identityStore(installation.storage.tables);
    const { apiKeys } = createAdministration({ ...installation, store });
    const keys: string[] = [];
    for (let number = 0; number < count; number++) {
      const ask = { actor: 'cli:drill', name: `reader ${number}`, roles: ['agent_l1'] } as const;
      const { secret } = await apiKeys.create({ ...ask, tenantId: tenantId as TenantId });
      keys.push(secret.text);
    }
    return keys;
  } finally {
    await installation.close();
  }
}

async function screen(origin: string, { apiKey }: Customer): Promise<void> {
  const response = await fetch(`${origin}/v1/sanctions/screen`, {
    body: JSON.stringify({ name: LISTED }),
    headers: {
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
      'x-api-key': apiKey,
    },
    method: 'POST',
  });
  const { hits } = (await response.json()) as { readonly hits?: readonly unknown[] };
  if (hits?.length === 0 || response.status !== 200) throw new Error(`status ${response.status}`);
}

async function manyStreams(cluster: Cluster, findings: Findings, { customer, size }: Of) {
  const [gateway] = cluster.gateways;
  if (gateway === undefined) return;
  const keys = await keysOf(cluster, customer.tenantId, size.streams / STREAMS_PER_CALLER);
  // What a first screening and a first stream load is no stream's.
  await screen(gateway.origin, customer);
  const before = gateway.memoryMb();
  const readers: StreamReader[] = [];
  for (const apiKey of keys) {
    for (let one = 0; one < STREAMS_PER_CALLER; one++) {
      readers.push(new StreamReader({ apiKey, nextOrigin: () => gateway.origin }));
      if (readers.length % OPENED_AT_ONCE > 0) continue;
      await until('streams are open', () => readers.every(({ isOpen }) => isOpen));
    }
  }
  await until('streams are open', () => readers.every(({ isOpen }) => isOpen));
  // Who joins at once may join behind what was raised last.
  await delay(SEEN_MS_MAX);
  const open = gateway.memoryMb();
  const cpuBefore = gateway.cpuSeconds();
  for (let count = 0; count < size.alerts; count++) {
    await screen(gateway.origin, customer);
    await delay(ALERT_EVERY_MS);
  }
  const all = size.alerts;
  const sees = (reader: StreamReader): boolean =>
    new Set(reader.seen.map(({ id }) => id)).size >= all;
  await until('every stream has every alert', () => readers.every(sees));
  const late = readers.flatMap(({ seen }) => seen.map(({ lateMs }) => lateMs));
  late.sort((one, other) => one - other);
  const at = (share: number): number => late[Math.floor((late.length - 1) * share)] ?? 0;
  const most = Math.max(open, gateway.memoryMb());
  findings.judgeSpeed(
    `${readers.length} streams within ${STREAMS_MB_MAX} MB`,
    `${(open - before).toFixed(0)} MB open, ${(most - before).toFixed(0)} MB after ${all} alerts`,
    most - before <= STREAMS_MB_MAX,
  );
  findings.judgeSpeed(
    'an alert is seen within a second of its commit',
    `p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`,
    at(1) <= SEEN_MS_MAX,
  );
  const cpuMs = ((gateway.cpuSeconds() - cpuBefore) * 1_000) / size.alerts;
  findings.tell(
    'processor of the gateway for an alert',
    `${cpuMs.toFixed(1)} ms with its screening, sent to ${readers.length} streams`,
  );
  await Promise.all(readers.map((reader) => reader.end()));
}

/** The number of the newest alert: nobody works on them, so that it is the log's last. */
async function lastSeq(gateway: Member | undefined, { apiKey }: Customer): Promise<number> {
  const response = await fetch(`${gateway?.origin}/v1/aml/alerts?limit=1`, {
    headers: { 'x-api-key': apiKey },
  });
  const { data } = (await response.json()) as { readonly data?: readonly { seq: number }[] };
  return data?.[0]?.seq ?? 0;
}

async function droppedStreams(cluster: Cluster, findings: Findings, { customer, size }: Of) {
  const { gateways } = cluster;
  let turn = 0;
  const nextOrigin = (): string => gateways[turn++ % gateways.length]?.origin ?? '';
  // Numbers of no meaning but to differ.
  const dropAfter = (): number => 1 + (turn % DROP_AFTER_MAX);
  const keys = await keysOf(cluster, customer.tenantId, READERS);
  const readers = keys.map(
    (apiKey) => new StreamReader({ apiKey, dropAfter, lastEventId: 0, nextOrigin }),
  );
  const drops = (): number => readers.reduce((sum, reader) => sum + reader.drops, 0);
  let raised = 0;
  let isKilled = false;
  const [first, second] = gateways;
  while (drops() < size.drops) {
    await screen(second?.origin ?? '', customer);
    raised += 1;
    if (isKilled || drops() < size.drops / 2) continue;
    isKilled = true;
    await first?.killAndRestart();
  }
  // A busy machine raises them late: no stream is asked for what is not there.
  await until(
    'alerts are raised',
    async () => (await lastSeq(second, customer)) >= raised,
    300_000,
  );
  const lastOf = ({ seen }: StreamReader): number => seen.at(-1)?.id ?? 0;
  await until('every reader is at the end', () => readers.every((one) => lastOf(one) >= raised));
  await Promise.all(readers.map((reader) => reader.end()));
  const gaps = readers.map(({ seen }) =>
    gapsIn(
      seen.map(({ id }) => id),
      raised,
    ),
  );
  const lost = gaps.reduce((sum, gap) => sum + gap.lost, 0);
  const twice = gaps.reduce((sum, gap) => sum + gap.twice, 0);
  const cut = readers.reduce((sum, reader) => sum + reader.losses, 0);
  findings.judge(
    'dropped streams and a killed gateway: 0 lost, 0 twice',
    `${raised} alerts, ${readers.length} readers, ${drops()} drops, ${cut} cut or refused: ` +
      `${lost} lost, ${twice} twice`,
    lost === 0 && twice === 0,
  );
}
