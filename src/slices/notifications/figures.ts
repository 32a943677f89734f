/** Notices for Prometheus: what waits to be sent, what was sent, which conditions are open. */
import type { Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Metrics } from '#platform/metrics';
import type { NoticeConfig } from '#platform/noticeConfig';
import { CONDITIONS, type ConditionCode } from './codes.ts';
import { openConditions } from './conditions.ts';
import { SEND_FAULTS } from './ports.ts';
import { CHANNELS, type Channel, type NoticeMessage, noticeMessageTable } from './tables.ts';

const COUNTED_MAX = 1_000;
/** A code of ours, and no fault of the way. */
const OTHER = 'internal';

/** Registers what the store tells, read at each scrape; of channels that are configured. */
export function registerNoticeFigures(
  metrics: Metrics,
  parts: {
    readonly clock: Pick<Clock, 'now'>;
    readonly tables: Pick<Tables, 'page'>;
    readonly config: NoticeConfig;
  },
): void {
  const unsent = metrics.gauge({
    help: 'Messages that wait to be sent, counted up to a thousand',
    labels: ['queue'],
    name: 'notices_unsent',
  });
  const oldest = metrics.gauge({
    help: 'Seconds that the oldest message has waited to be sent',
    labels: ['queue'],
    name: 'notices_oldest_unsent_seconds',
  });
  const open = metrics.gauge({
    help: 'Alerts of operation and tickets that are open',
    labels: ['code'],
    name: 'conditions_open',
  });
  metrics.beforeExposing(async () => {
    // The store does not answer: the figures of the last scrape stay.
    const found = await readFigures(parts).catch(() => undefined);
    if (found === undefined) return;
    for (const { channel, count, oldestMs } of found.waiting) {
      unsent.labels(channel).set(count);
      oldest.labels(channel).set(oldestMs / 1_000);
    }
    for (const [code, count] of found.open) open.labels(code).set(count);
  });
}

const channelsOf = ({ operations, smtp }: NoticeConfig): readonly Channel[] =>
  CHANNELS.filter((one) => (one === 'mail' ? smtp : operations.hookUrl) !== undefined);

async function readFigures({ clock, config, tables }: Parameters<typeof registerNoticeFigures>[1]) {
  const waiting = [];
  for (const channel of channelsOf(config)) {
    const equal = { channel, isUnsent: true };
    const { records } = await tables.page(noticeMessageTable, {
      equal,
      index: 'unsent',
      limit: COUNTED_MAX,
    });
    const [first] = records;
    const oldestMs = first === undefined ? 0 : Math.max(0, clock.now() - first.createdAt);
    waiting.push({ channel, count: records.length, oldestMs });
  }
  const open = new Map<ConditionCode, number>(
    Object.keys(CONDITIONS).map((code) => [code as ConditionCode, 0]),
  );
  for (const { code } of await openConditions(tables)) open.set(code, (open.get(code) ?? 0) + 1);
  return { open, waiting };
}

/** Registers the figures of a worker that sends; answers what notes a message that has ended. */
export function createSendFigures(metrics: Metrics): (message: NoticeMessage) => void {
  const sent = metrics.counter({
    help: 'Messages that a mail server or the hook took',
    labels: ['queue'],
    name: 'notices_sent_total',
  });
  const failed = metrics.counter({
    help: 'Messages that were given up, and why',
    labels: ['queue', 'code'],
    name: 'notices_failed_total',
  });
  for (const channel of CHANNELS) {
    sent.labels(channel).inc(0);
    // A series that began with its first failure would show no increase.
    for (const code of [...SEND_FAULTS, OTHER]) failed.labels(channel, code).inc(0);
  }
  return ({ channel, failureCode, status }) => {
    const code = SEND_FAULTS.find((one) => one === failureCode) ?? OTHER;
    if (status === 'sent') sent.labels(channel).inc();
    else failed.labels(channel, code).inc();
  };
}
