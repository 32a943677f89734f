/**
 * What weighs more than the rest asks for a person who has proved who they are a short while ago:
 * decisions of hits, signatures, policies, secrets, keys of the API's own. A session by a link has
 * proved it when it was opened, and no provider could be asked again.
 */
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { STEP_UP_MS } from './limits.ts';
import type { ConsoleLogin } from './tables.ts';

/** Beginnings of paths whose changes weigh more. */
const WEIGHTY: readonly string[] = [
  '/v1/aml/alerts/decisions',
  '/v1/approvals',
  '/v1/sanctions/exclusions',
  '/v1/sanctions/policies',
  '/v1/webhooks',
];
/** Ends of paths, and parts, of decisions about one alert or hit. */
const DECIDING =
  /^\/v1\/(aml\/alerts\/[^/]+\/(close|confirm)|sanctions\/screenings\/[^/]+\/hits\/)/;
/** What one of them reads that is a secret. */
const SECRETS: ReadonlySet<string> = new Set(['/v1/webhooks/secret/current']);

/** Throws `mfa-required`: the page sends the person to the provider, and back. */
export function requireFresh(
  { authenticatedAt, tokens }: ConsoleLogin,
  { method, path }: { readonly method: string; readonly path: string },
  now: EpochMs,
): void {
  const isRead = method === 'GET' || method === 'HEAD';
  const isWeighty = isRead
    ? SECRETS.has(path)
    : DECIDING.test(path) || WEIGHTY.some((one) => path.startsWith(one));
  if (tokens === undefined || !isWeighty || now - authenticatedAt < STEP_UP_MS) return;
  const minutes = STEP_UP_MS / 60_000;
  throw new DomainError('mfa-required', {
    detail: `expected a sign-in of the last ${minutes} minutes`,
  });
}
