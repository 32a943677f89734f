/**
 * What the messages of a declaration say of it. A message goes from an order over its package and
 * its deposit to an answer; a declaration is with the authority once all of its messages are, is
 * accepted once all are, and is rejected with the first that is. Nothing moves backwards.
 */
import type { EpochMs } from '#platform/clock';
import type { DeclarationMessage, MessageFiling, TaxDeclaration } from './declarationTables.ts';

/** States in which an answer or a receipt means something. */
export const ON_ITS_WAY = ['submitted', 'filed'] as const;

/** The message of that number in that submission. */
export const filedMessage = (
  { messages }: TaxDeclaration,
  { messageNo, submissionNo }: { readonly messageNo: number; readonly submissionNo: number },
): (DeclarationMessage & { readonly filing: MessageFiling }) | undefined => {
  const found = messages.find((one) => one.messageNo === messageNo);
  const { filing } = found ?? {};
  return found && filing?.submissionNo === submissionNo ? { ...found, filing } : undefined;
};

/** The declaration with what became of one message, and what that means for all of it. */
export function withFiling(
  before: TaxDeclaration,
  messageNo: number,
  { filing, now }: { readonly filing: MessageFiling; readonly now: EpochMs },
): TaxDeclaration {
  const messages = before.messages.map((one) =>
    one.messageNo === messageNo ? { ...one, filing } : one,
  );
  const next = { ...before, messages, ...meant(before, messages, now) };
  if (next.status !== 'accepted') return next;
  // What is on file stands in the ledger: another declaration may follow on it.
  const { liveKey: _, ...accepted } = next;
  return accepted;
}

const HAS_ARRIVED: ReadonlySet<string | undefined> = new Set(['accepted', 'deposited', 'rejected']);

function meant(
  { filedAt: known, status }: TaxDeclaration,
  messages: readonly DeclarationMessage[],
  now: EpochMs,
): Partial<TaxDeclaration> {
  if (status !== 'submitted' && status !== 'filed') return {};
  const states = messages.map(({ filing }) => filing?.state);
  const isThere = states.every((state) => HAS_ARRIVED.has(state));
  const filedAt = known ?? (isThere ? now : undefined);
  const filed = filedAt === undefined ? {} : { filedAt };
  if (states.includes('rejected')) return { ...filed, decidedAt: now, status: 'rejected' };
  if (states.every((state) => state === 'accepted')) {
    const errors = messages.some(({ filing }) => (filing?.recordErrors ?? 0) > 0);
    const outcome = errors ? 'record_errors' : 'clean';
    return { ...filed, decidedAt: now, outcome, status: 'accepted' };
  }
  return isThere ? { ...filed, status: 'filed' } : filed;
}
