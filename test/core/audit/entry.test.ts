/** Entries: what is hashed of them, and what can be erased. */
import { describe, expect, test } from 'vitest';
import { entry, OVERWRITE_TRIES_MAX, overwrite, StaleChange } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';

const CONTEXT = { clock: { now: () => 1_700_000_000_000 as EpochMs }, random: systemRandom };

describe('an entry', () => {
  test('hashes who did what to what, and keeps the address where it can be erased', () => {
    const draft = entry(CONTEXT, {
      action: 'identity.api_key.rotated',
      actor: 'key:k-1',
      ip: '192.0.2.7',
      members: { to: 'k-2' },
      open: { reason: 'holidays' },
      severity: 'NOTICE',
      target: 'key-1',
    });
    expect(draft).toMatchObject({
      action: 'identity.api_key.rotated',
      members: {
        action: 'identity.api_key.rotated',
        actor: 'key:k-1',
        severity: 'NOTICE',
        target: 'key-1',
        to: 'k-2',
      },
      occurredAt: 1_700_000_000_000,
      open: { ip: '192.0.2.7', reason: 'holidays' },
      type: 'entry',
    });
  });

  test('has no member for what is not there', () => {
    const { members, open } = entry(CONTEXT, {
      action: 'audit.personal_data.erased',
      actor: 'system',
      target: 't',
    });
    expect(members).toEqual({ action: 'audit.personal_data.erased', actor: 'system', target: 't' });
    expect(open).toEqual({});
  });
});

describe('an overwrite', () => {
  const staleUntil = (lastRefused: number) => {
    let attempts = 0;
    const attempt = async () => {
      attempts++;
      if (attempts <= lastRefused) throw new StaleChange(3);
      return attempts;
    };
    return { attempt, count: () => attempts };
  };

  test('begins anew where another writer was first', async () => {
    expect(await overwrite(staleUntil(4).attempt)).toBe(5);
  });

  test('ends with the refusal after its tries', async () => {
    const never = staleUntil(Number.POSITIVE_INFINITY);
    await expect(overwrite(never.attempt, { triesMax: 3 })).rejects.toBeInstanceOf(StaleChange);
    expect(never.count()).toBe(3);
    const bounded = staleUntil(Number.POSITIVE_INFINITY);
    await expect(overwrite(bounded.attempt)).rejects.toBeInstanceOf(StaleChange);
    expect(bounded.count()).toBe(OVERWRITE_TRIES_MAX);
  });

  test('lets a refusal go up that may not be repeated, and every other error', async () => {
    const refused = staleUntil(1);
    const mayRepeat = ({ changeIndex }: StaleChange) => changeIndex !== 3;
    await expect(overwrite(refused.attempt, { mayRepeat })).rejects.toBeInstanceOf(StaleChange);
    const wrongState = async () => {
      throw new DomainError('state-conflict');
    };
    await expect(overwrite(wrongState)).rejects.toMatchObject({ code: 'state-conflict' });
  });

  test('pauses before each attempt but the first', async () => {
    const paused: number[] = [];
    const pause = async (attempt: number) => paused.push(attempt);
    await overwrite(staleUntil(2).attempt, { pause });
    expect(paused).toEqual([1, 2]);
  });
});
