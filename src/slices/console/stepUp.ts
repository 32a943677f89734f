/**
 * What weighs more than the day's work asks for a person who has proved who they are a short while
 * ago: decisions, signatures, policies, filings, secrets. A session by a link has proved it when it
 * was opened, and no provider could be asked again.
 */
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { STEP_UP_MS } from './limits.ts';
import type { ConsoleLogin } from './tables.ts';

/**
 * Changes that are the day's work, undo nothing and end in no decision. Every other one weighs
 * more, so that an operation that comes later does until somebody names it here.
 */
const LIGHT: readonly RegExp[] = [
  /^\/v1\/(aml|sanctions)\/screen(\/batch)?$/,
  /^\/v1\/sanctions\/screenings\/[^/]+\/replay$/,
  /^\/v1\/aml\/batches(\/csv|\/[^/]+\/cancel)?$/,
  /^\/v1\/aml\/alerts\/[^/]+(\/(assign|escalate|notes|review))?$/,
  /^\/v1\/sanctions\/alerts\/[^/]+\/acknowledge$/,
  /^\/v1\/aml\/str(\/[^/]+(\/attachments|\/request-validation)?)?$/,
  /^\/v1\/kyc\/cases(\/[^/]+(\/(assign|biometric-verdicts|consent|documents))?)?$/,
];
/** The list of alerts has decisions beside it, under a name in the place of an alert. */
const DECISIONS = '/v1/aml/alerts/decisions';
/** What reads a secret. */
const SECRETS: ReadonlySet<string> = new Set(['/v1/webhooks/secret/current']);

/** Throws `mfa-required`: the page sends the person to the provider, and back. */
export function requireFresh(
  { authenticatedAt, tokens }: ConsoleLogin,
  { method, path }: { readonly method: string; readonly path: string },
  now: EpochMs,
): void {
  const isRead = method === 'GET' || method === 'HEAD';
  const isLight = path !== DECISIONS && LIGHT.some((one) => one.test(path));
  const isWeighty = isRead ? SECRETS.has(path) : !isLight;
  if (tokens === undefined || !isWeighty || now - authenticatedAt < STEP_UP_MS) return;
  const minutes = STEP_UP_MS / 60_000;
  throw new DomainError('mfa-required', {
    detail: `expected a sign-in of the last ${minutes} minutes`,
  });
}
