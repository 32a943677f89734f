/**
 * Messages on their way: leased rows, tried by a plan, ended in a commit with an entry. A worker
 * that dies between sending and writing has its message sent once more, under the same id.
 */
import { entry, StaleChange } from '#core/audit';
import type { Person } from '#core/identity';
import { chainOf, type TenantId } from '#core/kernel';
import { type Hold, type LeasedWork, type RetryPlan, type Waiting, WorkLost } from '#core/work';
import { toTimestamp } from '#platform/clock';
import { ACTOR } from './conditions.ts';
import { NEWS_HOURS_MAX } from './limits.ts';
import { type Mailer, type NoticePorts, type OperatorHook, SendFault } from './ports.ts';
import { readableNotice, renderMail } from './renderNotice.ts';
import {
  CHANNELS,
  type Channel,
  type Notice,
  type NoticeMessage,
  noticeMessageTable,
  noticeTable,
} from './tables.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const AT_ONCE = 4;
/** A tenant whose mail server holds its callers leaves room for the others. */
const AT_ONCE_PER_TENANT = 3;
const LANES_PAGE = 500;
const LEASE = { leaseMs: 90_000, renewMs: 10_000 };

const FINAL: ReadonlySet<string> = new Set(['expired', 'mail-refused', 'no-address', 'no-notice']);
const TRANSIENT: ReadonlySet<string> = new Set(['store-unavailable', 'storage-full']);

/** Tries at 0, 1 m, 5 m, 30 m, 2 h, 6 h and 12 h after the first. */
export const MESSAGE_TRIES: RetryPlan = {
  kindOf: (code) => (FINAL.has(code) ? 'final' : TRANSIENT.has(code) ? 'transient' : 'counted'),
  pausesMs: [0, MINUTE_MS, 4 * MINUTE_MS, 25 * MINUTE_MS, 90 * MINUTE_MS, 4 * HOUR_MS, 6 * HOUR_MS],
  triesMax: 7,
};

export interface SendPorts extends Pick<NoticePorts, 'clock' | 'commit' | 'random' | 'tables'> {
  readonly mailer: Mailer | undefined;
  readonly hook: OperatorHook | undefined;
  readonly operationsMails: readonly string[];
  /** As the chain holds it; rejects with `state-altered`. */
  readonly personOf: (tenantId: TenantId, personId: string) => Promise<Person | undefined>;
  readonly onEnded?: (message: NoticeMessage) => void;
  readonly codeOf: (error: unknown) => string;
}

type MessageHold = Hold<NoticeMessage, 'messageId' | 'tenantId'>;

/** Channels that something is configured for. */
export const openChannels = ({
  hook,
  mailer,
}: Pick<SendPorts, 'hook' | 'mailer'>): readonly Channel[] =>
  CHANNELS.filter((channel) => (channel === 'mail' ? mailer : hook) !== undefined);

/**
 * Tenants with messages that may be tried now, by channel. Those that wait for their next try are
 * not seen, however many there are.
 */
export async function dueMessages(
  ports: SendPorts,
): Promise<readonly Waiting<NoticeMessage, 'messageId' | 'tenantId'>[]> {
  const { clock, tables } = ports;
  const now = clock.now();
  const open = new Set<string>(openChannels(ports));
  const lanes: (readonly [channel: Channel, tenantId: TenantId])[] = [];
  for (let isLast = false; !isLast; ) {
    const after = lanes.at(-1);
    const ask = { limit: LANES_PAGE, now, ...(after && { after }) };
    const page = await tables.lanes(noticeMessageTable, ask);
    lanes.push(...(page as typeof lanes));
    isLast = page.length < LANES_PAGE;
  }
  return lanes
    .filter(([channel]) => open.has(channel))
    .map((lane) => ({ lane, name: lane.join(' '), tenantId: lane[1] }));
}

/** The work on one message. */
export function messageWork(ports: SendPorts): LeasedWork<NoticeMessage, 'messageId' | 'tenantId'> {
  return {
    atOnce: AT_ONCE,
    atOncePerTenant: AT_ONCE_PER_TENANT,
    codeOf: ports.codeOf,
    fieldsOf: ({ messageId, tenantId }) => ({ job_id: messageId, tenant_id: tenantId }),
    giveUp: (hold, { code }) => end(ports, hold, { failureCode: code, status: 'failed' }),
    heldUp: async (_, { code }) => ({ faultCode: code, triedAt: ports.clock.now() }),
    plan: MESSAGE_TRIES,
    table: noticeMessageTable,
    times: LEASE,
    what: 'a message',
    work: async (hold) => {
      await deliver(ports, hold);
      await end(ports, hold, { status: 'sent' });
    },
  };
}

async function deliver(ports: SendPorts, { record, signal }: MessageHold): Promise<void> {
  const { channel, createdAt, messageId, noticeId, tenantId } = record;
  if (ports.clock.now() - createdAt > NEWS_HOURS_MAX * HOUR_MS) throw new SendFault('expired');
  const notice = await ports.tables.find(noticeTable, { noticeId, tenantId });
  if (notice === undefined) throw new SendFault('no-notice');
  signal.throwIfAborted();
  if (channel === 'hook') {
    return ports.hook?.post({ body: hookBody(notice, record), id: messageId });
  }
  const { name, to } = await readerOf(ports, record);
  signal.throwIfAborted();
  await ports.mailer?.send({
    ...renderMail(notice, { locale: record.locale, name }),
    date: new Date(createdAt),
    id: messageId,
    isUrgent: notice.severity === 'CRITICAL',
    locale: record.locale,
    to,
  });
}

/** Looked up when it is sent: who was taken from the records is not written to. */
async function readerOf(
  { operationsMails, personOf }: SendPorts,
  { recipient, tenantId }: NoticeMessage,
): Promise<{ readonly to: string; readonly name: string | undefined }> {
  const [kind, id = ''] = recipient.split(':');
  const person = kind === 'person' ? await personOf(tenantId, id) : undefined;
  const to = kind === 'person' ? person?.email?.address : operationsMails[Number(id)];
  if (to === undefined) throw new SendFault('no-address');
  return { name: person?.name, to };
}

function hookBody(notice: Notice, { locale, messageId }: NoticeMessage): object {
  const { says, title, todo } = readableNotice(notice, locale);
  return {
    message_id: messageId,
    notification_id: notice.noticeId,
    kind: notice.kind,
    severity: notice.severity,
    tenant_id: notice.tenantId,
    subject: { kind: notice.subjectKind, id: notice.subjectId },
    condition_id: notice.conditionId ?? null,
    params: notice.params,
    at: toTimestamp(notice.createdAt),
    title,
    text: `${says} ${todo}`,
  };
}

async function end(
  ports: SendPorts,
  hold: MessageHold,
  ending: Pick<NoticeMessage, 'failureCode' | 'status'>,
): Promise<void> {
  const { record } = hold;
  const { messageId, noticeId, recipient, tenantId, version } = record;
  const { failureCode, status } = ending;
  const next: NoticeMessage = {
    ...record,
    endedAt: ports.clock.now(),
    status,
    tries: hold.lease.tries,
    version: version + 1,
    ...(failureCode !== undefined && { failureCode }),
  };
  const told = entry(ports, {
    action: status === 'sent' ? 'notification.message.sent' : 'notification.message.failed',
    actor: ACTOR,
    members: {
      channel: record.channel,
      notification_id: noticeId,
      recipient,
      ...(failureCode !== undefined && { failure_code: failureCode }),
    },
    target: messageId,
  });
  try {
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [hold.expected, noticeMessageTable.put(next, version)],
      events: [told],
    });
  } catch (error) {
    if (error instanceof StaleChange) throw new WorkLost('another worker has it, or it has ended');
    throw error;
  }
  ports.onEnded?.(next);
}
