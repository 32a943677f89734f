/** A link is good for one caller, one thing and a while. */
import { expect, test } from 'vitest';
import { CallerLinks } from '#platform/callerLinks';
import type { EpochMs } from '#platform/clock';

const MINUTE_MS = 60_000;

test('a link is good for its caller, its thing and five minutes, and for nothing else', () => {
  let now = Date.UTC(2026, 0, 2, 10) as EpochMs;
  const key = new Uint8Array(32).fill(1);
  const of = { clock: { now: () => now }, key, lifeMs: 5 * MINUTE_MS, purpose: 'one-v1' };
  const links = new CallerLinks(of);
  const { expiresAt, token } = links.make(['tenant', 'caller', 1]);
  expect(expiresAt).toBe(now + 5 * MINUTE_MS);
  expect(links.isGood(token, ['tenant', 'caller', 1])).toBe(true);
  for (const parts of [
    ['other', 'caller', 1],
    ['tenant', 'other', 1],
    ['tenant', 'caller', 2],
    ['tenant', 'caller'],
  ]) {
    expect(links.isGood(token, parts)).toBe(false);
  }
  const later = token.replace(/^[0-9]+/, String(expiresAt + 1));
  expect(links.isGood(later, ['tenant', 'caller', 1])).toBe(false);
  for (const forged of ['', '.', 'x.y', `${expiresAt}.`]) {
    expect(links.isGood(forged, ['tenant', 'caller', 1])).toBe(false);
  }
  const others = new CallerLinks({ ...of, purpose: 'two-v1' });
  expect(others.isGood(token, ['tenant', 'caller', 1])).toBe(false);
  now = expiresAt;
  expect(links.isGood(token, ['tenant', 'caller', 1])).toBe(false);
});
