/** What doctor says of the signed changes of schedules, and of events. */
import { expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import type { SubscriberFigures } from '#core/reactions';
import { type EpochMs, systemClock } from '#platform/clock';
import { chainScheduleAudit, newSource, type ScheduleAudit } from '#slices/ingestion';
import { createChecks } from '../../src/cli/checks.ts';
import type { CliInstallation } from '../../src/cli/ports.ts';

const UN = 'UN_SC' as SourceId;

function changes(count: number): ScheduleAudit[] {
  const rows: ScheduleAudit[] = [];
  for (let number = 1; number <= count; number++) {
    const row = {
      approvalReason: 'asked for',
      approvalUserId: 'dora',
      auditId: `audit-${number}`,
      changedAt: number as EpochMs,
      changedBy: 'carl',
      field: 'enabled',
      newValue: String(number % 2 === 0),
      oldValue: String(number % 2 === 1),
      sourceId: UN,
    };
    rows.push(chainScheduleAudit(row, rows.at(-1)));
  }
  return rows;
}

async function checked(rows: readonly ScheduleAudit[]) {
  return checkedOf('schedules', {
    lists: { listSources: async () => [newSource(UN)] },
    runs: {
      // Three a page, latest first.
      listScheduleAudit: async ({ before = Infinity }: { before?: number }) =>
        rows
          .filter(({ seq }) => seq < before)
          .reverse()
          .slice(0, 3),
    },
  });
}

async function checkedOf(name: string, installation: object) {
  const checks = createChecks({
    clock: systemClock,
    nodeVersion: process.versions.node,
    open: async () => installation as unknown as CliInstallation,
    probeRedis: async () => 'here',
    readConfig: () => {
      throw new Error('not asked');
    },
  });
  const found = await Promise.all(checks.map((check) => check()));
  return found.find((check) => check.name === name);
}

test('changes that follow from each other are counted', async () => {
  expect(await checked(changes(8))).toMatchObject({
    detail: '8 signed changes, each from the one before',
    isGood: true,
  });
});

test('one that was edited, left out or put in shows with its place', async () => {
  const rows = changes(8);
  const edited = rows.map((row) => (row.seq === 5 ? { ...row, newValue: 'true' } : row));
  const cut = rows.filter(({ seq }) => seq !== 2);
  for (const [broken, seq] of [
    [edited, 5],
    [cut, 3],
  ] as const) {
    const found = await checked(broken);
    expect(found?.isGood).toBe(false);
    expect(found?.detail).toContain(`change ${seq} of UN_SC does not follow`);
  }
});

const figure = (subscriber: string, given: Partial<SubscriberFigures> = {}) => ({
  setAside: 0,
  subscriber,
  waiting: 0,
  ...given,
});
const reactions = (figures: readonly SubscriberFigures[]) =>
  checkedOf('reactions', { outbox: { figures: async () => figures } });

test('events that wait are told, and those set aside are bad', async () => {
  const oldestAt = (systemClock.now() - 90_000) as EpochMs;
  expect(await reactions([figure('bus', { oldestAt, waiting: 2 }), figure('one')])).toMatchObject({
    detail: expect.stringMatching(/^bus has 2 waiting, for 9\d s, one has none waiting$/),
    isGood: true,
  });
  expect(await reactions([figure('bus'), figure('one', { setAside: 3 })])).toMatchObject({
    detail: expect.stringContaining('3 events of one failed'),
    isGood: false,
  });
});
