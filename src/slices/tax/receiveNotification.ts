/**
 * An answer of the authority is received: opened with the key of the institution that it is for,
 * accepted only under the signature of who answers, kept, and applied to the message that it names.
 * One that comes twice, late or in another order changes nothing twice.
 */
import { entry, type IdempotencyRecord, StaleChange } from '#core/audit';
import { dataKeyTable, putSealed } from '#core/blobs';
import {
  allRecords,
  chainOf,
  DomainError,
  everyRecord,
  type TableChange,
  type TenantId,
} from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import type { ReadableBytes } from '#platform/zipReading';
import { settleCancellation } from './cancelDeclaration.ts';
import { type ChannelPorts, openChannel } from './channels.ts';
import { checkEnvelope } from './checkEnvelope.ts';
import type { TaxAsk } from './classifySubject.ts';
import { changeDeclaration } from './declarationSteps.ts';
import {
  DECLARATION_STATUSES,
  type DeclarationMessage,
  declarationTable,
  type MessageFiling,
} from './declarationTables.ts';
import { filedMessage, withFiling } from './filingStates.ts';
import {
  channelTable,
  type FilingOrder,
  filingTable,
  notificationTable,
  type StoredNotification,
} from './filingTables.ts';
import { NOTIFICATION_BYTES_MAX } from './limits.ts';
import { readCrsStatus } from './readCrsStatus.ts';
import { readNotification, type TaxNotification } from './readNotification.ts';
import { openPayload, readOuter, type Spool } from './readPackage.ts';
import { findReportingFi } from './reportingFi.ts';
import { digestOfRecord } from './signedTable.ts';
import { NOTIFICATION_LABEL, notificationKey } from './storedAnswers.ts';

/** A package that an authority has sent. */
export interface ReceiveNotification extends TaxAsk {
  readonly source: ReadableBytes;
  readonly spool: Spool;
}

/** As entries name it. */
export const notificationTarget = ({
  notificationId,
}: Pick<StoredNotification, 'notificationId'>) => `tax-notification:${notificationId}`;

/** SHA-256 hex of all of a record. */
export const notificationDigest = digestOfRecord<StoredNotification>('tax-notification-v1');

const NOTIFICATION = 'NTF';

type Made = (one: StoredNotification) => IdempotencyRecord;

/**
 * Throws `package-unreadable`, `package-undecryptable`, `package-signature-invalid`,
 * `notification-invalid`, `channel-unknown` where it is for no institution of the tenant.
 */
export async function receiveNotification(
  ports: ChannelPorts,
  ask: ReceiveNotification,
  idempotency?: Made,
): Promise<StoredNotification> {
  const text = await openAnswer(ports, ask);
  return receiveText(ports, ask, { notification: readNotification(text), text }, idempotency);
}

/**
 * The same of a status message of a CRS authority, which is XML and not signed. Throws
 * `notification-invalid`.
 */
export const receiveCrsStatus = async (
  ports: ChannelPorts,
  ask: TaxAsk & { readonly xml: Buffer },
  idempotency?: Made,
): Promise<StoredNotification> => {
  const notification = readCrsStatus(ask.xml);
  return receiveText(ports, ask, { notification, text: ask.xml.toString() }, idempotency);
};

async function receiveText(
  ports: ChannelPorts,
  ask: TaxAsk,
  { notification, text }: Omit<Answer, 'digest'>,
  idempotency: Made | undefined,
): Promise<StoredNotification> {
  const digest = sha256Hex(`tax-notification-text-v1\0${text}`);
  const known = await receivedBefore(ports, ask, digest);
  if (known !== undefined) return known;
  try {
    return await applyNotification(ports, ask, { digest, notification, text }, idempotency);
  } catch (error) {
    // The same answer came twice at once: the other call has applied it.
    const other = error instanceof StaleChange && (await receivedBefore(ports, ask, digest));
    if (other) return other;
    throw error;
  }
}

async function receivedBefore(
  { signedNotifications, tables }: ChannelPorts,
  { tenantId }: TaxAsk,
  digest: string,
): Promise<StoredNotification | undefined> {
  const found = await tables.findUnique(notificationTable, 'received', { digest, tenantId });
  return found && signedNotifications.require(found);
}

/** What was signed, in canonical form. */
async function openAnswer(ports: ChannelPorts, ask: ReceiveNotification): Promise<string> {
  const outer = await readOuter(ask.source);
  if (outer.metadata.kind !== NOTIFICATION) {
    const detail = `expected a package of ${NOTIFICATION}`;
    throw new DomainError('notification-invalid', { detail });
  }
  const giin = await institutionOf(ports, ask.tenantId, outer.metadata.receiver);
  const { signer, trusted } = await openChannel(ports, { giin, tenantId: ask.tenantId });
  const document = await openPayload(outer, { key: signer.key, spool: ask.spool });
  let text = '';
  const onSigned = (piece: string): void => {
    text += piece;
    if (text.length <= NOTIFICATION_BYTES_MAX) return;
    const detail = `expected at most ${NOTIFICATION_BYTES_MAX} bytes`;
    throw new DomainError('notification-invalid', { detail });
  };
  await checkEnvelope(document, { onSigned, trusted });
  return text;
}

/** Whose channel sends under that name: the institution's own, or that of who sends for it. */
async function institutionOf(
  ports: ChannelPorts,
  tenantId: TenantId,
  receiver: string,
): Promise<string> {
  const channels = await allRecords(ports.tables, channelTable, {
    equal: { tenantId },
    index: 'key',
  });
  for (const { giin } of channels) {
    const { content } = await findReportingFi(ports, { giin, tenantId });
    if ((content.sender_giin ?? giin) === receiver) return giin;
  }
  throw new DomainError('channel-unknown');
}

interface Answer {
  readonly notification: TaxNotification;
  readonly digest: string;
  readonly text: string;
}

async function applyNotification(
  ports: ChannelPorts,
  ask: TaxAsk,
  answer: Answer,
  idempotency: Made | undefined,
): Promise<StoredNotification> {
  const { draft, keyChange } = await draftOf(ports, ask, answer);
  const order = await orderOf(ports, ask.tenantId, answer.notification);
  if (order === undefined) return keepAlone(ports, ask, { draft, keyChange }, idempotency);
  let made: StoredNotification = { ...draft, result: 'unchanged' };
  const next = await changeDeclaration(
    ports,
    { ...ask, declarationId: order.declarationId },
    {
      action: 'tcr.declaration.answered',
      besides: () => [keyChange, notificationTable.insert(made)],
      cause: answer.notification.code,
      events: () => [receivedEntry(ports, ask, made)],
      from: DECLARATION_STATUSES,
      ...(idempotency !== undefined && { idempotency: () => idempotency(made) }),
      step(before) {
        const { declarationId, messageNo } = order;
        const message = filedMessage(before, order);
        const effect = effectOn(message, answer.notification);
        made = { ...draft, ...effect, declarationId, messageNo };
        if (effect.result !== 'applied' || message === undefined) return { ...before };
        const now = ports.clock.now();
        const answered = filingAfter(message.filing, answer.notification, now);
        const filing = { ...answered, answer: draft.notificationId };
        return withFiling(before, messageNo, { filing, now });
      },
    },
  );
  await settleCancellation(ports, next);
  return made;
}

/** The one order whose package has that name. */
async function orderOf(
  { tables }: Pick<ChannelPorts, 'tables'>,
  tenantId: TenantId,
  { messageRefId, senderFileId }: TaxNotification,
): Promise<Pick<FilingOrder, 'declarationId' | 'messageNo' | 'submissionNo'> | undefined> {
  if (senderFileId === '') return orderOfMessage(tables, tenantId, messageRefId);
  return tables.findUnique(filingTable, 'file', { senderFileId, tenantId });
}

const CRS_REF = /^[A-Z]{2}(20[0-9]{2})[A-Z]{2}[0-9a-f]{32}$/;

/** A CRS authority names the message alone; its identifier has the period. */
async function orderOfMessage(
  tables: Pick<ChannelPorts['tables'], 'page'>,
  tenantId: TenantId,
  messageRefId: string,
): Promise<Pick<FilingOrder, 'declarationId' | 'messageNo' | 'submissionNo'> | undefined> {
  const period = CRS_REF.exec(messageRefId)?.[1];
  if (period === undefined) return undefined;
  const walk = { equal: { period, tenantId }, index: 'byPeriod' };
  for await (const { declarationId, messages, regime } of everyRecord(
    tables,
    declarationTable,
    walk,
  )) {
    const message = messages.find((one) => one.messageRefId === messageRefId);
    if (regime !== 'CRS' || message?.filing === undefined) continue;
    const { messageNo } = message;
    return { declarationId, messageNo, submissionNo: message.filing.submissionNo };
  }
  return undefined;
}

type Effect = Pick<StoredNotification, 'because' | 'result'>;

/** What it means for the message; nothing is guessed, and nothing is decided twice. */
function effectOn(
  message: (DeclarationMessage & { readonly filing: MessageFiling }) | undefined,
  notification: TaxNotification,
): Effect {
  const { effect, messageRefId } = notification;
  if (effect.status === 'needs_review') return { because: effect.because, result: 'needs_review' };
  if (effect.status === 'unchanged') return { because: effect.because, result: 'unchanged' };
  if (message === undefined) {
    return { because: 'a later submission took its place', result: 'unchanged' };
  }
  const { senderFileId } = notification;
  if (senderFileId !== '' && message.filing.fileName !== senderFileId) {
    return { because: 'the message went by another name', result: 'needs_review' };
  }
  if (effect.status === 'accepted' && messageRefId !== message.messageRefId) {
    return { because: 'another MessageRefId than that of the file', result: 'needs_review' };
  }
  const { state } = message.filing;
  if (state === 'accepted' || state === 'rejected') {
    return { because: `the message is ${state} already`, result: 'unchanged' };
  }
  return { result: 'applied', ...oddCounts(message, notification) };
}

/** An acceptance of another number of records holds, and somebody should look at it. */
function oddCounts(
  { records }: DeclarationMessage,
  { counts }: TaxNotification,
): Pick<StoredNotification, 'because'> {
  const told = counts.RecordCnt;
  if (told === undefined || told === records) return {};
  return { because: `count-mismatch: expected ${records} records, got ${told}` };
}

function filingAfter(
  before: MessageFiling,
  { code, effect, recordErrors, transmissionId }: TaxNotification,
  now: StoredNotification['receivedAt'],
): MessageFiling {
  const known = before.transmissionId ?? (transmissionId || undefined);
  return {
    ...before,
    code,
    receivedAt: before.receivedAt ?? now,
    state: effect.status === 'accepted' ? 'accepted' : 'rejected',
    ...(effect.status === 'rejected' && { cause: effect.cause }),
    ...(recordErrors.length > 0 && { recordErrors: recordErrors.length }),
    ...(known !== undefined && { transmissionId: known }),
  };
}

/** The answer as it is kept, under a key of its own. */
async function draftOf(
  ports: ChannelPorts,
  { actor, tenantId }: TaxAsk,
  { digest, notification, text }: Answer,
): Promise<Draft> {
  const now = ports.clock.now();
  const notificationId = uuidV7(now, ports.random);
  const named = notificationKey({ notificationId, tenantId });
  const { key, record } = ports.dataKeys.make(named, { seeds: [] });
  const under = { label: NOTIFICATION_LABEL, secret: key.secret };
  const draft = {
    blob: await putSealed(ports, Buffer.from(text), under),
    code: notification.code,
    digest,
    notificationId,
    receivedAt: now,
    receivedBy: actor,
    refId: notification.refId,
    senderFileId: notification.senderFileId,
    tenantId,
    version: 1,
  };
  return { draft, keyChange: dataKeyTable.insert(record) };
}

interface Draft {
  readonly draft: Omit<StoredNotification, 'result'>;
  readonly keyChange: TableChange;
}

/** It is of nothing that we know: it is kept, and somebody looks at it. */
async function keepAlone(
  ports: ChannelPorts,
  ask: TaxAsk,
  { draft, keyChange }: Draft,
  idempotency: Made | undefined,
): Promise<StoredNotification> {
  const because = 'no file went by that name';
  const made: StoredNotification = { ...draft, because, result: 'needs_review' };
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes: [keyChange, notificationTable.insert(made)],
    events: [receivedEntry(ports, ask, made)],
    ...(idempotency !== undefined && { idempotency: () => idempotency(made) }),
  });
  return made;
}

const receivedEntry = (
  ports: Pick<ChannelPorts, 'clock' | 'random'>,
  { actor, ip }: TaxAsk,
  made: StoredNotification,
) =>
  entry(ports, {
    action: 'tcr.notification.received',
    actor,
    at: made.receivedAt,
    members: {
      code: made.code,
      notification_digest: notificationDigest(made),
      result: made.result,
      sender_file_id: made.senderFileId,
    },
    target: notificationTarget(made),
    ...(ip !== undefined && { ip }),
  });
