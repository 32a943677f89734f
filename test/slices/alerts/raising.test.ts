/** Alerts raised and changed by several at once: each once, with numbers without a gap. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditLog, createAuditLog, entry, newKeyRing } from '#core/audit';
import { chainOf } from '#core/kernel';
import { systemRandom } from '#platform/random';
import {
  type Alert,
  type AlertDeskPorts,
  alertLogTable,
  alertTable,
  assignAlert,
  checkAlerts,
  findAlert,
  isAsSigned,
  LogWatch,
  lastLogSeq,
  logSeqSince,
  markOverdue,
  noteAlert,
  oldestLogSeq,
  raiseAlerts,
  readAlerts,
  readTail,
  type SignedAlertPorts,
} from '#slices/alerts';
import type { Storage } from '../../../src/storage/index.ts';
import { seededSigner } from '../../core/audit/drafts.ts';
import type { StoreHarness } from '../../storage/contract/harness.ts';
import { onEachStore } from '../../storage/eachStore.ts';
import {
  batchDraft,
  caller,
  draftOf,
  idOf,
  OTHER_TENANT,
  PEOPLE,
  SETTINGS,
  TABLES,
  TENANT,
} from './desk.ts';

const HOUR_MS = 3_600_000;

onEachStore((makeHarness) => {
  let harness: StoreHarness;
  let storage: Storage;
  let audit: AuditLog;
  let ports: AlertDeskPorts;
  let signed: SignedAlertPorts;

  beforeAll(async () => {
    harness = await makeHarness();
    storage = await harness.open(TABLES);
    const { clock } = harness;
    const signer = seededSigner('alerts');
    audit = createAuditLog({
      clock,
      holder: 'test',
      random: systemRandom,
      signer,
      store: storage.audit,
    });
    signed = { audit: storage.audit, keyRing: newKeyRing(signer.publicKey) };
    ports = {
      clock,
      commit: (chainId, commit) => audit.commit(chainId, commit),
      isAsSigned: (alert) => isAsSigned(signed, alert),
      listPersons: async () => Object.values(PEOPLE),
      random: systemRandom,
      settingsOf: async () => SETTINGS,
      tables: storage.tables,
    };
  }, 60_000);
  afterAll(async () => {
    await audit.close();
    await storage.close();
    await harness.dispose();
  });

  const log = async (tenantId = TENANT) =>
    (
      await storage.tables.page(alertLogTable, {
        equal: { tenantId },
        index: 'key',
        limit: 1_000,
      })
    ).records;
  const list = async (filter: Parameters<typeof readAlerts>[1]['filter'] = {}, limit = 50) =>
    readAlerts(ports, { filter, limit, tenantId: TENANT });

  test('causes heard of at once raise each alert once, numbered without a gap', async () => {
    const drafts = Array.from({ length: 12 }, (_, n) => draftOf(n));
    const parts = [drafts.slice(0, 6), drafts.slice(3, 9), drafts.slice(6), drafts];
    const counts = await Promise.all(parts.map((part) => raiseAlerts(ports, TENANT, part)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(await raiseAlerts(ports, TENANT, drafts)).toBe(0);
    const lines = await log();
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    expect(new Set(lines.map(({ alertId }) => alertId))).toEqual(new Set(drafts.map(idOf)));
    const { alerts } = await list();
    expect(alerts.map(({ seq }) => seq)).toEqual(lines.map(({ seq }) => seq).reverse());
    const events = await storage.audit.readEvents({
      action: 'aml.alert.created',
      chainId: chainOf(TENANT),
      fromSeq: 1,
      limit: 100,
    });
    const told = events.flatMap(
      ({ body }) =>
        (JSON.parse(body) as { readonly alerts: readonly { readonly alert_id: string }[] }).alerts,
    );
    expect(told.map((one) => one.alert_id).sort()).toEqual(drafts.map(idOf).sort());
  });

  test('of two who take a free alert at once, one has it', async () => {
    const taken = await Promise.allSettled([
      assignAlert(ports, {
        alertId: idOf(draftOf(1)),
        principal: caller('anna'),
        tenantId: TENANT,
      }),
      assignAlert(ports, { alertId: idOf(draftOf(1)), principal: caller('ben'), tenantId: TENANT }),
    ]);
    expect(taken.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { alerts } = await list({ status: 'assigned' });
    expect(alerts).toHaveLength(1);
    const { assignee = '' } = alerts[0] ?? {};
    expect((await list({ assignee })).alerts).toEqual(alerts);
    expect((await list({ assignee, status: 'open' })).alerts).toEqual([]);
  });

  test('another tenant has its own numbers, and sees none of these', async () => {
    await raiseAlerts(ports, OTHER_TENANT, [draftOf(1)]);
    expect((await log(OTHER_TENANT)).map(({ seq }) => seq)).toEqual([1]);
    const place = { alertId: idOf(draftOf(1)), tenantId: OTHER_TENANT };
    expect(await storage.tables.find(alertTable, place)).toBeUndefined();
  });

  test('filters narrow, and pages of any size have each alert once', async () => {
    await raiseAlerts(ports, TENANT, [
      draftOf(100, { source: 'UN_SC', typology: 'MATCH_PEP' }),
      batchDraft(3),
    ]);
    expect((await list({ severity: 'High' })).alerts.map(({ source }) => source)).toEqual([
      'UN_SC',
    ]);
    expect((await list({ source: 'UN_SC' })).alerts).toHaveLength(1);
    expect((await list({ type: 'batch' })).alerts.map((one) => one.subjectId)).toEqual([
      'subject-3',
    ]);
    expect((await list({ subjectId: 'subject-3' })).alerts).toHaveLength(1);
    const seen: number[] = [];
    for (let afterSeq: number | undefined; ; ) {
      const page = await readAlerts(ports, {
        filter: { type: 'screening' },
        limit: 4,
        tenantId: TENANT,
        ...(afterSeq !== undefined && { afterSeq }),
      });
      seen.push(...page.alerts.map(({ seq }) => seq));
      afterSeq = page.nextSeq;
      if (afterSeq === undefined) break;
    }
    expect(seen).toHaveLength(13);
    expect(seen).toEqual(seen.toSorted((one, other) => other - one));
  });

  test('the log is read behind a place and from a time on; each revision is a line', async () => {
    const last = await lastLogSeq(storage.tables, TENANT);
    harness.clock.advance(HOUR_MS);
    const since = harness.clock.now();
    const noted = { alertId: idOf(draftOf(5)), principal: caller('anna'), tenantId: TENANT };
    await noteAlert(ports, { ...noted, text: 'a note' });
    const tail = await readTail(storage.tables, TENANT, last);
    expect(tail.map(({ alert, line }) => [line.seq, line.revision, alert.alertId])).toEqual([
      [last + 1, 2, idOf(draftOf(5))],
    ]);
    expect(await logSeqSince(storage.tables, TENANT, since)).toBe(last + 1);
    expect(await logSeqSince(storage.tables, TENANT, (since + 1) as never)).toBeUndefined();
    expect(await logSeqSince(storage.tables, TENANT, 0 as never)).toBe(1);
    expect(await oldestLogSeq(storage.tables, TENANT)).toBe(1);
  });

  test('streams are told once the log has grown, and read a place together', async () => {
    const reads: number[] = [];
    const failures: unknown[] = [];
    const watch = new LogWatch({
      everyMs: 5,
      onFailed: (error) => void failures.push(error),
      read: (tenantId, after) => {
        reads.push(after);
        return readTail(storage.tables, tenantId, after);
      },
      stamp: () => storage.tables.stamp('alert_log'),
    });
    const last = await lastLogSeq(storage.tables, TENANT);
    const news: (() => void)[] = [];
    const next = () => new Promise<void>((resolve) => void news.push(resolve));
    const unfollow = watch.follow(() => {
      for (const resolve of news.splice(0)) resolve();
    });
    await next(); // the first look
    const [one, other] = await Promise.all([watch.tail(TENANT, last), watch.tail(TENANT, last)]);
    expect([one, other]).toEqual([[], []]);
    expect(reads).toEqual([last]);
    const told = next();
    await raiseAlerts(ports, TENANT, [draftOf(200)]);
    await told;
    expect((await watch.tail(TENANT, last)).map(({ line }) => line.seq)).toEqual([last + 1]);
    unfollow();
    expect(failures).toEqual([]);
  });

  test('an alert that was changed past the service is refused, and all are compared', async () => {
    const { tables } = storage;
    expect((await checkAlerts({ ...signed, tables }, TENANT)).refusals).toEqual([]);
    const place = { alertId: idOf(draftOf(7)), tenantId: TENANT };
    const before = await findAlert(ports, place);
    const unrelated = () =>
      entry(ports, { action: 'APPROVAL_REJECTED', actor: 'system', target: 'approval:x' });
    const forge = (version: number, given: Partial<Alert>) =>
      audit.commit(chainOf(TENANT), {
        bus: [],
        changes: [alertTable.put({ ...before, ...given, version: version + 1 }, version)],
        events: [unrelated()],
      });
    await forge(1, { status: 'closed_false_positive' });
    const work = assignAlert(ports, { ...place, principal: caller('lena') });
    await expect(work).rejects.toMatchObject({ code: 'alert-altered' });
    expect((await checkAlerts({ ...signed, tables }, TENANT)).refusals).toEqual([
      `alert ${place.alertId}: it is not what its last entry made it`,
    ]);
    harness.clock.advance(200 * HOUR_MS);
    expect(await markOverdue(ports)).toMatchObject({ altered: 1 });
    await audit.commit(chainOf(TENANT), {
      bus: [],
      changes: [alertTable.remove(place, 2)],
      events: [unrelated()],
    });
    expect((await checkAlerts({ ...signed, tables }, TENANT)).refusals).toEqual([
      `alert ${place.alertId}: its record is gone`,
    ]);
  });

  test('overdue alerts are marked by two workers at once, each once', async () => {
    const drafts = Array.from({ length: 5 }, (_, n) => draftOf(300 + n));
    await raiseAlerts(ports, TENANT, drafts);
    harness.clock.advance(300 * HOUR_MS);
    const counts = await Promise.all([markOverdue(ports), markOverdue(ports)]);
    expect(counts.reduce((sum, { overdue }) => sum + overdue, 0)).toBe(drafts.length);
    const { alerts } = await list({}, 100);
    expect(alerts.every(({ deadline }) => deadline === 'breached')).toBe(true);
  }, 30_000);
});
