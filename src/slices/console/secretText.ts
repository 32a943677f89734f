/**
 * What a browser holds of a link or a session: where its record is, and a secret of 256 bits. The
 * record knows the secret by its digest.
 */
import type { TenantId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import type { Random } from '#platform/random';

const SECRET_BYTES = 32;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const FORM = new RegExp(`^(${UUID})\\.(${UUID})\\.([A-Za-z0-9_-]{43})$`);

/** A secret with its record's place, as read from what a browser sent. */
export interface GivenSecret {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly digest: string;
}

/** A new secret, and what is kept of it. */
export function newSecret(random: Random): { readonly digest: string; readonly secret: string } {
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  return { digest: digestOf(secret), secret };
}

export const secretText = (tenantId: TenantId, id: string, secret: string): string =>
  `${tenantId}.${id}.${secret}`;

/** Undefined for what is no such text. */
export function readSecret(text: string): GivenSecret | undefined {
  const [, tenantId, id, secret] = FORM.exec(text) ?? [];
  if (tenantId === undefined || id === undefined || secret === undefined) return undefined;
  return { digest: digestOf(secret), id, tenantId: tenantId as TenantId };
}

const digestOf = (secret: string): string => sha256Hex(`console-secret-v1\0${secret}`);
