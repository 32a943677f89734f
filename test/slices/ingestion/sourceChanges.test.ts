/** Changes of sources against others' changes; their audit as a stranger would verify it. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Commit, StaleChange } from '#core/audit';
import type { Approval } from '#core/identity';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  brokenScheduleAudit,
  type ChangeSources,
  changeSources,
  newSource,
  type ScheduleAudit,
} from '#slices/ingestion';
import type { ListSource } from '#slices/lists';

const NOW = Date.UTC(2026, 0, 5, 12) as EpochMs;
const APPROVAL = {
  approver: { id: 'person-2' },
  author: { id: 'person-1' },
  consume: { digest: 'd', expiresAt: NOW, kind: 'approval.consume', tenantId: 't' },
  keyId: 'key-2',
} as unknown as Approval;

/** A store of one source; `outcomes` are those of the commits, in order. */
function portsOf(outcomes: (Error | undefined)[]) {
  let source: ListSource = { ...newSource('UN_SC'), version: 7 };
  const rows: ScheduleAudit[] = [];
  const commits: Commit[] = [];
  const pauses: number[] = [];
  return {
    commits,
    pauses,
    ports: {
      clock: { monotonicMs: () => 0, now: () => NOW },
      async commit(_: unknown, commit: Commit) {
        commits.push(commit);
        const outcome = outcomes.shift();
        // The writer that was first has changed the source.
        source = { ...source, lastStatus: 'success', version: source.version + 1 };
        if (outcome !== undefined) throw outcome;
        for (const change of commit.changes as { kind: string; row?: ScheduleAudit }[]) {
          if (change.row !== undefined) rows.unshift(change.row);
        }
      },
      lists: { findSource: async () => source },
      random: systemRandom,
      runs: { listScheduleAudit: async ({ limit }: { limit: number }) => rows.slice(0, limit) },
      sleep: async (ms: number) => void pauses.push(ms),
    },
    rows,
  };
}

const ask = (fields: ChangeSources['changes'][number]['fields']): ChangeSources => ({
  approval: APPROVAL,
  changes: [{ fields, pointer: '', sourceId: 'UN_SC' }],
  reason: 'because',
});

describe('a change of a source', () => {
  test('stands on the source as it is now, whoever changed it meanwhile', async () => {
    const store = portsOf([new StaleChange(1), new StaleChange(2), undefined]);
    const [changed] = await changeSources(store.ports, ask({ enabled: true }));
    expect(changed).toMatchObject({ enabled: true, lastStatus: 'success', version: 10 });
    expect(store.commits).toHaveLength(3);
    expect(store.rows).toHaveLength(1);
  });

  test('whose approval was used is not tried again', async () => {
    const store = portsOf([new StaleChange(0)]);
    await expect(changeSources(store.ports, ask({ enabled: true }))).rejects.toMatchObject({
      code: 'dual-control-replayed',
    });
    expect(store.commits).toHaveLength(1);
  });

  test('gives up against a source that never stands still', async () => {
    const store = portsOf(Array.from({ length: 99 }, () => new StaleChange(1)));
    await expect(changeSources(store.ports, ask({ enabled: true }))).rejects.toMatchObject({
      code: 'state-conflict',
    });
    expect(store.commits).toHaveLength(30);
    expect(store.pauses).toHaveLength(29);
    expect(new Set(store.pauses).size).toBeGreaterThan(9);
    expect(Math.max(...store.pauses)).toBeLessThanOrEqual(150);
  });

  test('names persons by their ids, and keeps the reason apart', async () => {
    const store = portsOf([]);
    await changeSources(store.ports, ask({ cron_delta: null, enabled: true }));
    const [event] = store.commits[0]?.events ?? [];
    expect(event?.members).toMatchObject({
      actor: 'person:person-1',
      approved_by: 'person:person-2',
      target: 'UN_SC',
    });
    expect(JSON.stringify(event?.members)).not.toContain('because');
    expect(event?.open).toEqual({ approval_reason: 'because' });
  });

  test('leaves rows that anyone can follow from what the API shows', async () => {
    const store = portsOf([]);
    await changeSources(store.ports, ask({ enabled: true }));
    await changeSources(store.ports, ask({ cron_delta: null, cron_full: '0 0 9 ? * TUE' }));
    const rows = [...store.rows].reverse();
    let before = '0'.repeat(64);
    for (const row of rows) {
      const shown = {
        approval_reason: row.approvalReason,
        approval_user_id: row.approvalUserId,
        audit_id: row.auditId,
        changed_at: toTimestamp(row.changedAt),
        changed_by: row.changedBy,
        field: row.field,
        new_value: row.newValue,
        old_value: row.oldValue,
        seq: row.seq,
        source_id: row.sourceId,
      };
      const text = `schedule-audit-v1\0${before}${canonicalJson(shown)}`;
      before = createHash('sha256').update(text).digest('hex');
      expect(row.chainHash).toBe(before);
    }
    expect(rows.map(({ field }) => field)).toEqual(['enabled', 'cron_delta', 'cron_full']);
    expect(brokenScheduleAudit(rows)).toBeUndefined();
  });

  test.each([
    ['a value', (row: ScheduleAudit) => ({ ...row, newValue: 'x' })],
    ['a person', (row: ScheduleAudit) => ({ ...row, approvalUserId: 'x' })],
    ['a time', (row: ScheduleAudit) => ({ ...row, changedAt: (row.changedAt + 1) as EpochMs })],
    ['its hash', (row: ScheduleAudit) => ({ ...row, chainHash: 'f'.repeat(64) })],
  ])('that is forged in %s breaks the chain there', async (_, forge) => {
    const store = portsOf([]);
    await changeSources(store.ports, ask({ cron_delta: null, cron_full: null, enabled: true }));
    const rows = [...store.rows].reverse();
    const forged = rows.map((row, index) => (index === 1 ? forge(row) : row));
    expect(brokenScheduleAudit(forged)).toBe(2);
  });
});
