/**
 * An answer of the authority is received: opened with the key of the institution that it is for,
 * accepted only under the signature of who answers, kept, and applied to the message that it names.
 * One that comes twice, late or in another order changes nothing twice.
 */
import { type IdempotencyRecord, StaleChange } from '#core/audit';
import { dataKeyTable, putSealed } from '#core/blobs';
import { allRecords, chainOf, DomainError, type TableChange, type TenantId } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import type { LineAsk } from '#platform/turnLine';
import { bytesIn } from '#platform/zipReading';
import type { ReportRegime } from './account.ts';
import type { ReadAnswer } from './answerReader.ts';
import { answerEntry, applyAnswer, orderNamed, settleAnswer } from './applyAnswer.ts';
import { type ChannelPorts, openChannel } from './channels.ts';
import type { TaxAsk } from './classifySubject.ts';
import { channelTable, notificationTable, type StoredNotification } from './filingTables.ts';
import { readOuter } from './readPackage.ts';
import { findReportingFi } from './reportingFi.ts';
import { NOTIFICATION_LABEL, notificationKey } from './storedAnswers.ts';

/** What an authority has sent: a package, or the XML of a CRS authority. */
export interface ReceiveAnswer extends TaxAsk {
  readonly bytes: Uint8Array;
  /** How long its reading may take, and who waits for it. */
  readonly by?: Omit<LineAsk, 'turn'>;
}

const NOTIFICATION = 'NTF';

type Made = (one: StoredNotification) => IdempotencyRecord;

/**
 * Throws `package-unreadable`, `package-undecryptable`, `package-signature-invalid`,
 * `notification-invalid`, `channel-unknown` where it is for no institution of the tenant.
 */
export async function receiveNotification(
  ports: ChannelPorts,
  ask: ReceiveAnswer,
  idempotency?: Made,
): Promise<StoredNotification> {
  const answer = await openAnswer(ports, ask);
  return receiveText(ports, ask, { answer, regime: 'FATCA' }, idempotency);
}

/**
 * The same of a status message of a CRS authority, which is XML and not signed. Throws
 * `notification-invalid`.
 */
export async function receiveCrsStatus(
  ports: ChannelPorts,
  ask: ReceiveAnswer,
  idempotency?: Made,
): Promise<StoredNotification> {
  const { by, bytes, tenantId } = ask;
  const answer = await ports.answers.read({ bytes, regime: 'CRS' }, { turn: tenantId, ...by });
  return receiveText(ports, ask, { answer, regime: 'CRS' }, idempotency);
}

interface Received {
  readonly answer: ReadAnswer;
  readonly regime: ReportRegime;
}

async function receiveText(
  ports: ChannelPorts,
  ask: TaxAsk,
  received: Received,
  idempotency: Made | undefined,
): Promise<StoredNotification> {
  const { digest } = received.answer;
  const known = await receivedBefore(ports, ask, digest);
  if (known !== undefined) return settleAnswer(ports, known);
  try {
    return await takeAnswer(ports, ask, received, idempotency);
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

/** Only its directory and its metadata are read here: they say whose key opens it. */
async function openAnswer(
  ports: ChannelPorts,
  { by, bytes, tenantId }: ReceiveAnswer,
): Promise<ReadAnswer> {
  const { metadata } = await readOuter(bytesIn(bytes));
  if (metadata.kind !== NOTIFICATION) {
    const detail = `expected a package of ${NOTIFICATION}`;
    throw new DomainError('notification-invalid', { detail });
  }
  const giin = await institutionOf(ports, tenantId, metadata.receiver);
  const { signer, trusted } = await openChannel(ports, { giin, tenantId });
  return ports.answers.open({ bytes, key: signer.key, trusted }, { turn: tenantId, ...by });
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

async function takeAnswer(
  ports: ChannelPorts,
  ask: TaxAsk,
  received: Received,
  idempotency: Made | undefined,
): Promise<StoredNotification> {
  const { said } = received.answer;
  const draft = await draftOf(ports, ask, received);
  const order = await orderNamed(ports, ask.tenantId, said);
  if (order === undefined) return keepWaiting(ports, ask, { ...draft, said }, idempotency);
  const { base, keyChange } = draft;
  return applyAnswer(ports, ask, {
    base,
    changes: (made) => [keyChange, notificationTable.insert(made)],
    events: (made) => [answerEntry(ports, ask, { action: 'tcr.notification.received', made })],
    idempotency,
    order,
    said,
  });
}

interface Draft {
  readonly base: Omit<StoredNotification, 'result'>;
  readonly keyChange: TableChange;
}

/** The answer as it is kept, under a key of its own. */
async function draftOf(
  ports: ChannelPorts,
  { actor, tenantId }: TaxAsk,
  { answer: { digest, said, text }, regime }: Received,
): Promise<Draft> {
  const now = ports.clock.now();
  const notificationId = uuidV7(now, ports.random);
  const named = notificationKey({ notificationId, tenantId });
  const { key, record } = ports.dataKeys.make(named, { seeds: [] });
  const under = { label: NOTIFICATION_LABEL, secret: key.secret };
  const base = {
    blob: await putSealed(ports, text, under),
    code: said.code,
    digest,
    notificationId,
    receivedAt: now,
    receivedBy: actor,
    refId: said.refId,
    senderFileId: said.senderFileId,
    tenantId,
    version: 1,
    ...(regime === 'CRS' && { regime }),
  };
  return { base, keyChange: dataKeyTable.insert(record) };
}

/** It is of nothing that we know yet: it is kept, waits, and somebody looks at it. */
async function keepWaiting(
  ports: ChannelPorts,
  ask: TaxAsk,
  { base, keyChange, said }: Draft & Pick<ReadAnswer, 'said'>,
  idempotency: Made | undefined,
): Promise<StoredNotification> {
  const awaits = said.senderFileId || said.messageRefId;
  const made: StoredNotification = {
    ...base,
    because: 'no file went by that name',
    result: 'needs_review',
    ...(awaits !== '' && { awaits }),
  };
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes: [keyChange, notificationTable.insert(made)],
    events: [answerEntry(ports, ask, { action: 'tcr.notification.received', made })],
    ...(idempotency !== undefined && { idempotency: () => idempotency(made) }),
  });
  // The message may have got its name meanwhile.
  return settleAnswer(ports, made);
}
