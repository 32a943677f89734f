/**
 * The seal of a message: a digest of all of it, under SECRETS_KEY_FILE, for its place alone. What a
 * database holds is sent under the tenant's secret, so that whoever can write the database could
 * have any body signed; a message that was changed, invented or moved since it was made has no seal
 * of its own. It never changes, so there is no older seal of it to be put back.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type SecretBox, SecretUnreadable } from '#platform/secretBox';
import type { WebhookMessage } from './tables.ts';

type Unsealed = Omit<WebhookMessage, 'seal'>;

const purposeOf = ({ eventId, eventType, tenantId }: Unsealed): string =>
  `webhook-message\0${tenantId}\0${eventId}\0${eventType}`;

export const sealMessage = (secrets: SecretBox, message: Unsealed): WebhookMessage => ({
  ...message,
  seal: secrets.seal(sha256Hex(canonicalJson(message)), purposeOf(message)),
});

/** Whether a message is what was made of its event. */
export function isAsSealed(secrets: SecretBox, { seal, ...message }: WebhookMessage): boolean {
  // One of a database that was written past the service may have none.
  if (typeof seal !== 'string') return false;
  try {
    return secrets.open(seal, purposeOf(message)) === sha256Hex(canonicalJson(message));
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
}
