/** Changes of sources against others' changes; their audit as a stranger would verify it. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Commit } from '#core/audit';
import { type Approval, consumedApprovalTable } from '#core/identity';
import type { ChainId, TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { createOutboundGuard } from '#platform/outbound/outboundGuard';
import { systemRandom } from '#platform/random';
import {
  brokenScheduleAudit,
  type ChangeSources,
  changeSources,
  newSource,
  type ScheduleAudit,
  scheduleAuditStore,
  scheduleAuditTable,
} from '#slices/ingestion';
import { type ListSource, listStore, sourceTable } from '#slices/lists';
import { modelHouse } from '../../storage/modelHouse.ts';
import { TRUSTED_SOURCES } from './trustedSources.ts';

const NOW = Date.UTC(2026, 0, 5, 12) as EpochMs;
/** Each one is another. */
let approvals = 0;
const approved = () => {
  const digest = `approval ${approvals++}`;
  return {
    approver: { id: 'person-2' },
    author: { id: 'person-1' },
    consume: consumedApprovalTable.insert({ digest, expiresAt: NOW, tenantId: 't' as TenantId }),
    keyId: 'key-2',
  } as unknown as Approval;
};

/** A store of one source, which somebody else changes before each of the first attempts. */
function storeOf({ overtaken = 0 } = {}) {
  const house = modelHouse([consumedApprovalTable, scheduleAuditTable, sourceTable]);
  const { commit, overtake, seed, tables } = house;
  const pauses: number[] = [];
  const attempts: Commit[] = [];
  let source: ListSource = { ...newSource('UN_SC'), version: 7 };
  seed(sourceTable, source);
  for (let time = 0; time < overtaken; time++) {
    overtake(() => {
      source = { ...source, lastStatus: 'success', version: source.version + 1 };
      seed(sourceTable, source);
    });
  }
  return {
    attempts,
    pauses,
    ports: {
      guard: createOutboundGuard({ allowed: [], variable: 'FETCH_ALLOWED_HOSTS' }),
      clock: { monotonicMs: () => 0, now: () => NOW },
      commit: (chainId: ChainId, given: Commit) => {
        attempts.push(given);
        return commit(chainId, given);
      },
      lists: listStore(tables),
      random: systemRandom,
      runs: scheduleAuditStore(tables),
      signed: TRUSTED_SOURCES,
      sleep: async (ms: number) => void pauses.push(ms),
    },
    rows: () => house.records(scheduleAuditTable),
  };
}

const ask = (fields: ChangeSources['changes'][number]['fields']): ChangeSources => ({
  approval: approved(),
  changes: [{ fields, pointer: '', sourceId: 'UN_SC' }],
  reason: 'because',
});

describe('a change of a source', () => {
  test('stands on the source as it is now, whoever changed it meanwhile', async () => {
    const store = storeOf({ overtaken: 2 });
    const [changed] = await changeSources(store.ports, ask({ enabled: true }));
    expect(changed).toMatchObject({ enabled: true, lastStatus: 'success', version: 10 });
    expect(store.attempts).toHaveLength(3);
    expect(store.rows()).toHaveLength(1);
  });

  test('whose approval was used is not tried again', async () => {
    const store = storeOf();
    const used = ask({ enabled: true });
    await changeSources(store.ports, used);
    await expect(changeSources(store.ports, used)).rejects.toMatchObject({
      code: 'dual-control-replayed',
    });
    expect(store.attempts).toHaveLength(2);
  });

  test('gives up against a source that never stands still', async () => {
    const store = storeOf({ overtaken: 99 });
    await expect(changeSources(store.ports, ask({ enabled: true }))).rejects.toMatchObject({
      code: 'state-conflict',
    });
    expect(store.attempts).toHaveLength(30);
    expect(store.pauses).toHaveLength(29);
    expect(new Set(store.pauses).size).toBeGreaterThan(9);
    expect(Math.max(...store.pauses)).toBeLessThanOrEqual(150);
  });

  test('names persons by their ids, and keeps the reason apart', async () => {
    const store = storeOf();
    await changeSources(store.ports, ask({ cron_delta: null, enabled: true }));
    const [event] = store.attempts[0]?.events ?? [];
    expect(event?.members).toMatchObject({
      actor: 'person:person-1',
      approved_by: 'person:person-2',
      target: 'UN_SC',
    });
    expect(JSON.stringify(event?.members)).not.toContain('because');
    expect(event?.open).toEqual({ approval_reason: 'because' });
  });

  test('leaves rows that anyone can follow from what the API shows', async () => {
    const store = storeOf();
    await changeSources(store.ports, ask({ enabled: true }));
    await changeSources(store.ports, ask({ cron_delta: null, cron_full: '0 0 9 ? * TUE' }));
    const rows = store.rows();
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
    const store = storeOf();
    await changeSources(store.ports, ask({ cron_delta: null, cron_full: null, enabled: true }));
    const rows = store.rows();
    const forged = rows.map((row, index) => (index === 1 ? forge(row) : row));
    expect(brokenScheduleAudit(forged)).toBe(2);
  });
});
