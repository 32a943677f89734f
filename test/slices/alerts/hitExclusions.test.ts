/** Hits decided to be no match for good: what a decision asks of exclusions. */
import { describe, expect, test } from 'vitest';
import { hitState } from '#slices/alerts';
import { openHits, told } from './hitDesk.ts';

describe('with an exclusion', () => {
  test('who confirms the decision approves it, in the same commit', async () => {
    told.length = 0;
    const { decide } = openHits();
    await expect(decide('anna', 'q-1', { exclude: {} })).rejects.toMatchObject({
      code: 'role-insufficient',
    });
    const proposed = await decide('lena', 'q-1', { exclude: {} });
    expect(hitState(proposed, 'q-1')).toMatchObject({
      exclusionIds: ['x-q-1'],
      status: 'proposed_false_positive',
    });
    const decided = await decide('carl', 'q-1', { notes: '' });
    expect(hitState(decided, 'q-1')).toMatchObject({
      confirmedBy: 'person:carl',
      exclusionIds: ['x-q-1'],
    });
    // Asked before its alert is raised, and with the decision.
    expect([...new Set(told)]).toEqual(['add q-1 person:lena', 'approve x-q-1 person:carl']);
  });

  test('another decision takes it back, and a match has none', async () => {
    told.length = 0;
    const { decide } = openHits();
    await decide('lena', 'q-1', { exclude: {} });
    const other = await decide('carl', 'q-1', { decision: 'true_positive' });
    expect(hitState(other, 'q-1').exclusionIds).toBeUndefined();
    expect([...new Set(told)]).toEqual(['add q-1 person:lena', 'revoke x-q-1']);
    await expect(
      decide('lena', 'q-2', { decision: 'true_positive', exclude: {} }),
    ).rejects.toMatchObject({ code: 'body-invalid' });
  });
});
