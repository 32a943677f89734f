/**
 * What an answer of an authority does to the message that it names. One of a message that nobody
 * knows yet waits, since a report under CRS may be handed in before its submission is ordered: it
 * is applied by the worker that gives the message its name, or once it is brought again.
 */
import { type EventDraft, entry, type IdempotencyRecord, StaleChange } from '#core/audit';
import { DomainError, everyRecord, type TableChange, type TenantId } from '#core/kernel';
import type { AnswerSaid } from './answerReader.ts';
import { settleCancellation } from './cancelDeclaration.ts';
import type { TaxAsk } from './classifySubject.ts';
import { changeDeclaration, SYSTEM } from './declarationSteps.ts';
import {
  DECLARATION_STATUSES,
  type DeclarationMessage,
  declarationTable,
  type MessageFiling,
} from './declarationTables.ts';
import { filedMessage, withFiling } from './filingStates.ts';
import {
  type FilingOrder,
  filingTable,
  notificationTable,
  type StoredNotification,
} from './filingTables.ts';
import type { TaxPorts } from './ports.ts';
import { digestOfRecord } from './signedTable.ts';
import { openStoredAnswer } from './storedAnswers.ts';

/** As entries name it. */
export const notificationTarget = ({
  notificationId,
}: Pick<StoredNotification, 'notificationId'>) => `tax-notification:${notificationId}`;

/** SHA-256 hex of all of a record. */
export const notificationDigest = digestOfRecord<StoredNotification>('tax-notification-v1');

/** Names an order, and with it a message of a submission. */
export type OrderName = Pick<FilingOrder, 'declarationId' | 'messageNo' | 'submissionNo'>;

/** An answer, the order that it is of, and what is written with what it has changed. */
export interface AppliedAnswer {
  readonly order: OrderName;
  readonly said: AnswerSaid;
  /** Without what it has changed. */
  readonly base: Omit<StoredNotification, 'result'>;
  readonly changes: (made: StoredNotification) => readonly TableChange[];
  readonly events: (made: StoredNotification) => readonly EventDraft[];
  readonly idempotency?: ((made: StoredNotification) => IdempotencyRecord) | undefined;
}

/** In one commit. Throws `state-altered`, StaleChange. */
export async function applyAnswer(
  ports: TaxPorts,
  ask: TaxAsk,
  { base, changes, events, idempotency, order, said }: AppliedAnswer,
): Promise<StoredNotification> {
  let made: StoredNotification = { ...base, result: 'unchanged' };
  const next = await changeDeclaration(
    ports,
    { ...ask, declarationId: order.declarationId },
    {
      action: 'tcr.declaration.answered',
      besides: () => changes(made),
      cause: said.code,
      events: () => events(made),
      from: DECLARATION_STATUSES,
      ...(idempotency !== undefined && { idempotency: () => idempotency(made) }),
      step(before) {
        const { declarationId, messageNo } = order;
        const message = filedMessage(before, order);
        const effect = effectOn(message, said);
        made = { ...base, ...effect, declarationId, messageNo };
        if (effect.result !== 'applied' || message === undefined) return { ...before };
        const now = ports.clock.now();
        const answered = filingAfter(message.filing, said, now);
        const filing = { ...answered, answer: base.notificationId };
        return withFiling(before, messageNo, { filing, now });
      },
    },
  );
  await settleCancellation(ports, next);
  return made;
}

/** Applies an answer that waits, where its message is known by now. */
export async function settleAnswer(
  ports: TaxPorts,
  stored: StoredNotification,
): Promise<StoredNotification> {
  const { awaits: messageRefId, regime = 'FATCA', senderFileId, tenantId } = stored;
  if (messageRefId === undefined) return stored;
  const order = await orderNamed(ports, tenantId, { messageRefId, senderFileId });
  if (order === undefined) return stored;
  const bytes = await openStoredAnswer(ports, stored);
  const { said } = await ports.answers.read({ bytes, regime }, { turn: tenantId });
  const { awaits: _, because: __, result: ___, ...kept } = stored;
  const ask = { actor: SYSTEM, tenantId } as const;
  try {
    return await applyAnswer(ports, ask, {
      base: { ...kept, version: stored.version + 1 },
      changes: (made) => [notificationTable.put(made, stored.version)],
      events: (made) => [answerEntry(ports, ask, { action: 'tcr.notification.settled', made })],
      order,
      said,
    });
  } catch (error) {
    if (!(error instanceof StaleChange)) throw error;
    // Another process was first.
    const found = await ports.tables.find(notificationTable, stored);
    return found === undefined ? stored : ports.signedNotifications.require(found);
  }
}

/** The same for all that wait for a message by one of its names. */
export async function settleAnswersTo(
  ports: TaxPorts,
  tenantId: TenantId,
  names: readonly string[],
): Promise<void> {
  for (const awaits of names) {
    const walk = { equal: { awaits, tenantId }, index: 'awaited' };
    for await (const row of everyRecord(ports.tables, notificationTable, walk)) {
      try {
        await settleAnswer(ports, await ports.signedNotifications.require(row));
      } catch (error) {
        if (!isLeft(error)) throw error;
      }
    }
  }
}

const LEFT: readonly string[] = ['blob-damaged', 'notification-invalid', 'state-altered'];

/** It was altered, which `doctor` tells: it keeps no report from being filed. */
const isLeft = (error: unknown): boolean =>
  error instanceof DomainError && LEFT.includes(error.code);

/** The entry of an answer: ids, codes and digests. */
export const answerEntry = (
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { actor, ip }: Pick<TaxAsk, 'actor' | 'ip'>,
  {
    action,
    made,
  }: {
    readonly action: 'tcr.notification.received' | 'tcr.notification.settled';
    readonly made: StoredNotification;
  },
): EventDraft =>
  entry(ports, {
    action,
    actor,
    at: ports.clock.now(),
    members: {
      code: made.code,
      notification_digest: notificationDigest(made),
      result: made.result,
      sender_file_id: made.senderFileId,
    },
    target: notificationTarget(made),
    ...(ip !== undefined && { ip }),
  });

/** The one order whose message has that name; undefined while there is none. */
export async function orderNamed(
  { tables }: Pick<TaxPorts, 'tables'>,
  tenantId: TenantId,
  { messageRefId, senderFileId }: Pick<AnswerSaid, 'messageRefId' | 'senderFileId'>,
): Promise<OrderName | undefined> {
  if (senderFileId === '') return orderOfMessage(tables, tenantId, messageRefId);
  return tables.findUnique(filingTable, 'file', { senderFileId, tenantId });
}

const CRS_REF = /^[A-Z]{2}(20[0-9]{2})[A-Z]{2}[0-9a-f]{32}$/;

/** A CRS authority names the message alone; its identifier has the period. */
async function orderOfMessage(
  tables: Pick<TaxPorts['tables'], 'page'>,
  tenantId: TenantId,
  messageRefId: string,
): Promise<OrderName | undefined> {
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
  notification: AnswerSaid,
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
  // Who tells no file tells the message: the order is a hint, the declaration was signed.
  const isNamed = effect.status === 'accepted' || senderFileId === '';
  if (isNamed && messageRefId !== message.messageRefId) {
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
  { counts }: AnswerSaid,
): Pick<StoredNotification, 'because'> {
  const told = counts.RecordCnt;
  if (told === undefined || told === records) return {};
  return { because: `count-mismatch: expected ${records} records, got ${told}` };
}

function filingAfter(
  before: MessageFiling,
  { code, effect, recordErrors, transmissionId }: AnswerSaid,
  now: StoredNotification['receivedAt'],
): MessageFiling {
  const known = before.transmissionId ?? (transmissionId || undefined);
  return {
    ...before,
    code,
    receivedAt: before.receivedAt ?? now,
    state: effect.status === 'accepted' ? 'accepted' : 'rejected',
    ...(effect.status === 'rejected' && { cause: effect.cause }),
    ...(recordErrors > 0 && { recordErrors }),
    ...(known !== undefined && { transmissionId: known }),
  };
}
