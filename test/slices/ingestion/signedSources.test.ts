/**
 * Whoever can write the database points a source elsewhere, sets its schedule, starts a run or
 * releases the losses of one. Nothing is fetched by it, and a change by two persons mends it.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLATFORM_CHAIN, type SourceId } from '#core/kernel';
import { type ListRun, newSource, signedSources } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Forgery, openForgery } from '../../storage/forgery.ts';

const ALTERED = { code: 'state-altered' };
const SOURCE = 'UN_SC' as SourceId;
const URL = 'https://lists.example/un.xml';

onEachStore((makeHarness) => {
  let forgery: Forgery;
  let source: ListSource;
  const signed = () => signedSources(forgery);
  const told = (action: string, members: object) =>
    forgery.commit(PLATFORM_CHAIN, { action, members: members as never, target: SOURCE });

  beforeEach(async () => {
    forgery = await openForgery(makeHarness);
    source = { ...newSource(SOURCE), enabled: true, url: URL, version: 2 };
    await told('SANCTIONS_SCHEDULE_CHANGED', {
      changes: [
        { chain_hash: 'a'.repeat(64), field: 'enabled', new_value: 'true', seq: 1 },
        { chain_hash: 'b'.repeat(64), field: 'url', new_value: URL, seq: 2 },
      ],
    });
  });
  afterEach(() => forgery?.close());

  test('what was signed is good, and so is what nobody has changed', async () => {
    await signed().check(source);
    await signed().check(newSource('EU_CFSP'));
    const last = { chainHash: 'b'.repeat(64), seq: 2 };
    expect(await signed().changes(SOURCE)).toEqual({ count: 2, last });
  });

  test.each([
    ['another address', { url: 'https://elsewhere.example/un.xml' }],
    ['a folder of its own', { airGapPath: 'inbox/un.xml' }],
    ['another schedule', { cronFull: '0 0 0 1 1 ?' }],
    ['no schedule', { enabled: false }],
  ])('%s is refused, and put right by the next change', async (_, forged) => {
    const altered = { ...source, ...forged };
    await expect(signed().check(altered)).rejects.toMatchObject({
      ...ALTERED,
      message: expect.stringContaining(SOURCE),
    });
    await signed().check(await signed().restored(altered));
    expect(await signed().restored(source)).toBe(source);
  });

  test('a source that was switched off by the scheduler is off', async () => {
    await told('SANCTIONS_SOURCE_DISABLED', { reason: 'fired-too-often' });
    await signed().check({ ...source, enabled: false });
    await expect(signed().check(source)).rejects.toMatchObject(ALTERED);
  });

  describe('a run', () => {
    const released = {
      fileSha256: 'f'.repeat(64),
      removedCount: 12,
      removedDigest: 'd'.repeat(64),
    };
    const run = (): ListRun => ({
      kind: 'full',
      log: [],
      runId: 'run-1',
      sourceId: SOURCE,
      startedAt: forgery.clock.now(),
      status: 'running',
      triggeredBy: 'cron',
      version: 1,
    });

    test('that nobody started, or another one, is refused', async () => {
      await expect(signed().checkRun(run())).rejects.toMatchObject(ALTERED);
      await told('SANCTIONS_RUN_STARTED', { kind: 'full', run_id: 'run-1' });
      await expect(signed().checkRun(run())).rejects.toMatchObject(ALTERED);
    });

    test('releases the losses that two persons released, and no others', async () => {
      await forgery.commit(PLATFORM_CHAIN, {
        action: 'SANCTIONS_RUN_STARTED',
        actor: 'cron',
        members: { kind: 'full', run_id: 'run-1' },
        target: SOURCE,
      });
      await signed().checkRun(run());
      const shrunk = { ...run(), shrinkApprovedBy: 'dora', shrinkReleased: released };
      await expect(signed().checkRun(shrunk)).rejects.toMatchObject(ALTERED);
      await told('SANCTIONS_SHRINK_APPROVED', {
        approved_by: 'person:dora',
        file_sha256: released.fileSha256,
        removed_count: released.removedCount,
        removed_digest: released.removedDigest,
        run_id: 'run-1',
      });
      await signed().checkRun(shrunk);
      for (const other of [
        { shrinkReleased: { ...released, removedCount: 13 } },
        { shrinkReleased: { ...released, removedDigest: 'e'.repeat(64) } },
        { shrinkApprovedBy: 'carl' },
      ]) {
        await expect(signed().checkRun({ ...shrunk, ...other })).rejects.toMatchObject(ALTERED);
      }
    });
  });
});
