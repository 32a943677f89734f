/** Answers of authorities as they are kept: each a blob sealed under a key of its own. */
import { openSealed } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { LineAsk } from '#platform/turnLine';
import type { ErrorsWanted, ReadErrors } from './answerReader.ts';
import type { MessageFiling, TaxDeclaration } from './declarationTables.ts';
import { notificationTable, type StoredNotification } from './filingTables.ts';
import type { TaxPorts } from './ports.ts';

/** What its blob is sealed for. */
export const NOTIFICATION_LABEL = 'tax-notification';

/** Name of the data key of its blob. */
export const notificationKey = ({
  notificationId,
  tenantId,
}: Pick<StoredNotification, 'notificationId' | 'tenantId'>) => ({
  keyId: `tax-notification/${notificationId}`,
  tenantId,
});

/** What was signed of it, or its XML. Throws `blob-damaged`. */
export async function openStoredAnswer(
  { blobs, dataKeys }: Pick<TaxPorts, 'blobs' | 'dataKeys'>,
  stored: StoredNotification,
): Promise<Buffer> {
  const [key, bytes] = await Promise.all([
    dataKeys.find(notificationKey(stored)),
    blobs.get(stored.blob),
  ]);
  if (key === undefined || bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: 'the answer is gone' });
  }
  return openSealed(bytes, { label: NOTIFICATION_LABEL, secret: key.secret });
}

/** Which records in error, and who waits for them. */
export interface ErrorsAsk extends ErrorsWanted {
  readonly by?: Omit<LineAsk, 'turn'>;
}

/** What the answer to a message says of its records. Throws `state-altered`, `blob-damaged`. */
export async function recordErrorsOf(
  ports: TaxPorts,
  { regime, tenantId }: Pick<TaxDeclaration, 'regime' | 'tenantId'>,
  filing: MessageFiling | undefined,
  { by, ...wanted }: ErrorsAsk = {},
): Promise<ReadErrors> {
  const { answer: notificationId, recordErrors = 0 } = filing ?? {};
  if (notificationId === undefined || recordErrors === 0) return { errors: [], total: 0 };
  const found = await ports.tables.find(notificationTable, { notificationId, tenantId });
  if (found === undefined) {
    throw new DomainError('state-altered', { detail: 'the answer is gone' });
  }
  const bytes = await openStoredAnswer(ports, await ports.signedNotifications.require(found));
  return ports.answers.errors({ bytes, regime, ...wanted }, { turn: tenantId, ...by });
}
