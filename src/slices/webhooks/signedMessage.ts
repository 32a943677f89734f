/**
 * The seal of a message: a digest of all of it, under SECRETS_KEY_FILE, for its place alone. What a
 * database holds is sent under the tenant's secret, so that whoever can write the database could
 * have any body signed; a message that was changed, invented or moved since it was made has no seal
 * of its own. It never changes, so there is no older seal of it to be put back.
 */
import { everyRecord, type Tables, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { type SecretBox, SecretUnreadable } from '#platform/secretBox';
import { messageTable, type WebhookMessage } from './tables.ts';

type Unsealed = Omit<WebhookMessage, 'seal'>;

const purposeOf = ({ eventId, eventType, tenantId }: Unsealed): string =>
  `webhook-message\0${tenantId}\0${eventId}\0${eventType}`;

export const sealMessage = (secrets: SecretBox, message: Unsealed): WebhookMessage => ({
  ...message,
  seal: secrets.seal(sha256Hex(canonicalJson(message)), purposeOf(message)),
});

/** Messages of a tenant that are not what was made of their events, in words; how many it has. */
export async function checkMessages(
  { secrets, tables }: { readonly secrets: SecretBox; readonly tables: Pick<Tables, 'page'> },
  tenantId: TenantId,
): Promise<{ readonly count: number; readonly refusals: readonly string[] }> {
  const refusals: string[] = [];
  let count = 0;
  const ask = { equal: { tenantId }, index: 'key' };
  for await (const message of everyRecord(tables, messageTable, ask)) {
    count += 1;
    if (isAsSealed(secrets, message)) continue;
    const { eventId, eventType } = message;
    refusals.push(
      `webhook message ${eventId} (${eventType}): it is not what was made of its event`,
    );
  }
  return { count, refusals };
}

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
