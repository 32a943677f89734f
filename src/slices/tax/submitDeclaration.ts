/**
 * A declaration on its way: ordered by a person, packaged and deposited by a worker, and noted as
 * received. Under CRS an institution hands the XML itself to its own authority.
 */
import type { IdempotencyRecord } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { findChannel } from './channels.ts';
import { changeDeclaration, type DeclarationAsk, findDeclaration } from './declarationSteps.ts';
import type { DeclarationMessage, TaxDeclaration } from './declarationTables.ts';
import { ON_ITS_WAY, withFiling } from './filingStates.ts';
import { type FilingOrder, filingTable } from './filingTables.ts';
import { requireKnown } from './mayBeOut.ts';
import type { TaxPorts } from './ports.ts';

/**
 * Orders that its messages be filed; those that were accepted stay. One that was rejected on
 * its way is packaged again. Throws `channel-unknown`, `declaration-unknown`, `state-conflict`,
 * `state-altered`.
 */
export async function submitDeclaration(
  ports: TaxPorts,
  ask: DeclarationAsk,
  idempotency?: (next: TaxDeclaration) => IdempotencyRecord,
): Promise<TaxDeclaration> {
  const before = await findDeclaration(ports, ask);
  if (before.regime === 'FATCA') await findChannel(ports, before);
  return changeDeclaration(ports, ask, {
    action: 'tcr.declaration.submission_ordered',
    besides: (next) => ordersOf(next),
    from: ['generated', 'rejected'],
    idempotency,
    step(found) {
      requireKnown(found);
      return submitted(found, ports.clock.now());
    },
  });
}

/** What is with the authority is not sent a second time. */
const HAS_LEFT: ReadonlySet<string | undefined> = new Set(['accepted', 'deposited']);

/** As it is once its submission was ordered. Throws `state-conflict`. */
export function submitted(before: TaxDeclaration, now: EpochMs): TaxDeclaration {
  const isOnlyTransport = before.messages.every(
    ({ filing }) => filing?.state !== 'rejected' || filing.cause === 'transport',
  );
  if (!isOnlyTransport) {
    const detail = 'expected an XML that was not rejected for what it says: generate it again';
    throw new DomainError('state-conflict', { detail });
  }
  const submissionNo = (before.submissions ?? 0) + 1;
  const { decidedAt: _, ...kept } = before;
  return {
    ...kept,
    messages: before.messages.map((message) =>
      HAS_LEFT.has(message.filing?.state)
        ? message
        : { ...message, filing: { state: 'ordered', submissionNo } },
    ),
    status: 'submitted',
    submissions: submissionNo,
    submittedAt: now,
  };
}

/** Orders for the messages of its latest submission. */
export const ordersOf = (next: TaxDeclaration) =>
  next.messages
    .filter(({ filing }) => filing?.submissionNo === next.submissions)
    .map(({ messageNo }) =>
      filingTable.insert({
        declarationId: next.declarationId,
        messageNo,
        requestedAt: next.updatedAt,
        status: 'queued',
        submissionNo: next.submissions ?? 1,
        tenantId: next.tenantId,
        version: 1,
      } satisfies FilingOrder),
    );

/** What says that a message is with the authority. */
export interface NoteReceipt extends DeclarationAsk {
  readonly senderFileId: string;
  readonly receivedAt: EpochMs;
  readonly transmissionId: string;
}

/**
 * Notes a receipt that a person has. Throws `receipt-unknown` where no message went by that name,
 * `declaration-unknown`, `state-conflict`, `state-altered`.
 */
export const noteReceipt = (
  ports: TaxPorts,
  ask: NoteReceipt,
  idempotency?: (next: TaxDeclaration) => IdempotencyRecord,
): Promise<TaxDeclaration> =>
  changeDeclaration(ports, ask, {
    action: 'tcr.declaration.receipt_noted',
    from: [...ON_ITS_WAY, 'accepted', 'rejected'],
    idempotency,
    step(before) {
      const message = messageOfFile(before, ask.senderFileId);
      if (message?.filing === undefined) throw new DomainError('receipt-unknown');
      const { filing, messageNo } = message;
      const isArrived = filing.state !== 'ordered' && filing.state !== 'packaged';
      const next = {
        ...filing,
        receivedAt: filing.receivedAt ?? ask.receivedAt,
        transmissionId: filing.transmissionId ?? ask.transmissionId,
        ...(!isArrived && { state: 'deposited' as const }),
      };
      return withFiling(before, messageNo, { filing: next, now: ports.clock.now() });
    },
  });

/** The message that went by that name. */
export const messageOfFile = (
  { messages }: TaxDeclaration,
  senderFileId: string,
): DeclarationMessage | undefined =>
  messages.find(({ filing }) => filing?.fileName === senderFileId);
