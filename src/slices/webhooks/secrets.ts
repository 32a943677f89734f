/** Secrets of endpoints (W4): two live at most, sealed, and each shown once. */
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Random } from '#platform/random';
import type { SecretBox } from '#platform/secretBox';
import { type SecretSigner, secretSigner, secretText } from './signing.ts';
import type { SealedSecret, WebhookEndpoint } from './tables.ts';

/** How long the former secret holds after a rotation. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000;
const SECRET_BYTES = 32;

type Place = Pick<WebhookEndpoint, 'endpointId' | 'tenantId'>;

const purposeOf = ({ endpointId, tenantId }: Place, secretVersion: number): string =>
  `webhook-secret\0${tenantId}\0${endpointId}\0${secretVersion}`;

/** A secret as it is shown, and as it is stored. */
export interface NewSecret {
  readonly text: string;
  readonly stored: SealedSecret;
}

export function makeSecret(
  { random, secrets }: { readonly random: Random; readonly secrets: SecretBox },
  place: Place,
  of: { readonly secretVersion: number; readonly createdAt: EpochMs },
): NewSecret {
  const text = secretText(random.bytes(SECRET_BYTES));
  const sealed = secrets.seal(text, purposeOf(place, of.secretVersion));
  return { stored: { ...of, sealed }, text };
}

/** Those that sign now, newest first. */
export const liveSecrets = (
  { secrets }: Pick<WebhookEndpoint, 'secrets'>,
  now: EpochMs,
): readonly SealedSecret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);

/**
 * The endpoint's secrets after a rotation. Revoking ends the former secret at once: where two are
 * live that is the older one, and the other, to which the receiver may have switched, goes on
 * beside the new one for as long as after any rotation. Throws `webhook-secret-overlap`.
 */
export function rotated(
  endpoint: WebhookEndpoint,
  added: SealedSecret,
  { isRevoking }: { readonly isRevoking: boolean },
): readonly SealedSecret[] {
  const live = liveSecrets(endpoint, added.createdAt);
  const [newest, ...others] = live;
  if (isRevoking && others.length === 0) return [added];
  if (!isRevoking && others.length > 0) throw new DomainError('webhook-secret-overlap');
  const expiresAt = (added.createdAt + SECRET_OVERLAP_MS) as EpochMs;
  return newest === undefined ? [added] : [added, { ...newest, expiresAt }];
}

/** The text of a stored secret. Throws SecretUnreadable where it was sealed otherwise. */
export const openSecret = (
  secrets: SecretBox,
  place: Place,
  { sealed, secretVersion }: SealedSecret,
): string => secrets.open(sealed, purposeOf(place, secretVersion));

/** What signs for an endpoint now. */
export const signersOf = (
  secrets: SecretBox,
  endpoint: WebhookEndpoint,
  now: EpochMs,
): readonly SecretSigner[] =>
  liveSecrets(endpoint, now).map((secret) =>
    secretSigner(secret.secretVersion, openSecret(secrets, endpoint, secret)),
  );
