/** Alerts raised and changed by several at once: each once, with numbers without a gap. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditLog, createAuditLog, Erasures, entry, newKeyRing } from '#core/audit';
import { chainOf, everyRecord, type PageAsk, type Tables } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  type Alert,
  type AlertDeskPorts,
  AlertFeeds,
  type AlertLogHead,
  alertLogHeadTable,
  alertLogTable,
  alertTable,
  assignAlert,
  checkAlerts,
  commitStep,
  decideAlert,
  type FramePage,
  findAlert,
  isClosed,
  lastLogSeq,
  logEnd,
  logEnds,
  logHead,
  logSeqSince,
  markOverdue,
  noteAlert,
  oldestLogSeq,
  openAlerts,
  raiseAlerts,
  readAlerts,
  readNote,
  readTail,
  type SignedAlertPorts,
  SignedAlerts,
  tallyAfter,
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
      readNote: (note) => readNote({ ...signed, erasures: new Erasures(signed) }, note),
      listPersons: async () => Object.values(PEOPLE),
      random: systemRandom,
      settingsOf: async () => SETTINGS,
      signed: new SignedAlerts(signed),
      tables: storage.tables,
    };
  });
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
    const told = events.map(({ body }) => (JSON.parse(body) as { readonly target: string }).target);
    expect(told.sort()).toEqual(drafts.map((draft) => `alert:${idOf(draft)}`).sort());
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
    expect(tail.alerts.map(({ alert, line }) => [line.seq, line.revision, alert.alertId])).toEqual([
      [last + 1, 2, idOf(draftOf(5))],
    ]);
    expect(await logSeqSince(storage.tables, TENANT, since)).toBe(last + 1);
    expect(await logSeqSince(storage.tables, TENANT, (since + 1) as never)).toBeUndefined();
    expect(await logSeqSince(storage.tables, TENANT, 0 as never)).toBe(1);
    expect(await oldestLogSeq(storage.tables, TENANT)).toBe(1);
  });

  test('streams at the end of a log get what it grows by, read once for all of them', async () => {
    const reads: number[] = [];
    const failures: unknown[] = [];
    const feeds = new AlertFeeds({
      clock: harness.clock,
      ends: (tenants) => logEnds(storage.tables, tenants),
      onFailed: (error) => void failures.push(error),
      read: async (tenantId, after) => {
        reads.push(after);
        const { alerts, seq } = await readTail(storage.tables, tenantId, after);
        const frames = alerts.map(({ alert, line }) => ({
          alert,
          bytes: 1,
          seq: line.seq,
          text: alert.alertId,
        }));
        return { frames, seq };
      },
      stamp: () => storage.tables.stamp('alert_log'),
    });
    const last = await lastLogSeq(storage.tables, TENANT);
    const told: number[][] = [];
    const follower = (at: number) => ({
      push: ({ frames }: FramePage) => void told[at]?.push(...frames.map(({ seq }) => seq)),
      tick: () => undefined,
    });
    const leave = [0, 1].map((at) => {
      told.push([]);
      return feeds.join(TENANT, last, follower(at));
    });
    // Between the read and the look: nothing may be lost there.
    await raiseAlerts(ports, TENANT, [draftOf(200)]);
    await feeds.look();
    expect(told).toEqual([[last + 1], [last + 1]]);
    await raiseAlerts(ports, OTHER_TENANT, [draftOf(200)]);
    await feeds.look();
    expect(reads).toEqual([last]);
    await raiseAlerts(ports, TENANT, [draftOf(201), draftOf(202)]);
    await feeds.look();
    expect(told).toEqual([0, 1].map(() => [last + 1, last + 2, last + 3]));
    expect(reads).toEqual([last, last + 1]);
    expect(feeds.join(TENANT, last, follower(0))).toBeUndefined();
    for (const end of leave) end?.();
    expect(failures).toEqual([]);
  });

  test('times bound the walk of a list, also where clocks differ', async () => {
    harness.clock.advance(HOUR_MS);
    await raiseAlerts(ports, TENANT, [draftOf(210)]);
    const [newest] = (await list({}, 1)).alerts;
    harness.clock.advance(-30_000);
    await raiseAlerts(ports, TENANT, [draftOf(211)]);
    harness.clock.advance(HOUR_MS);
    await raiseAlerts(ports, TENANT, [draftOf(212)]);
    const at = newest?.createdAt ?? 0;
    const pages: PageAsk[] = [];
    const counted = {
      page: (table: typeof alertTable, ask: PageAsk) => {
        pages.push(ask);
        return storage.tables.page(table, ask);
      },
    };
    const within = async (from: number, to: number) => {
      const filter = { from: from as EpochMs, to: to as EpochMs };
      const tables = counted as unknown as Pick<Tables, 'page'>;
      const page = await readAlerts({ tables }, { filter, limit: 50, tenantId: TENANT });
      return page.alerts.map(({ alertId }) => alertId);
    };
    expect(await within(at - 40_000, at + 1)).toEqual([211, 210].map((n) => idOf(draftOf(n))));
    const walk = pages.findLast(({ limit }) => limit > 10);
    expect(
      [Number(walk?.from), Number(walk?.to)].map((seq) => seq > (newest?.seq ?? 0) - 2),
    ).toEqual([true, true]);
    expect(await within(at, at + 1)).toEqual([idOf(draftOf(210))]);
    expect(await within(at + 1, at + 2)).toEqual([]);
    expect(await within(at + HOUR_MS - 30_000, at + 2 * HOUR_MS)).toEqual([idOf(draftOf(212))]);
  });

  test('open alerts are counted with each revision, or anew where nobody had', async () => {
    const high = { alertId: idOf(draftOf(100)), principal: caller('lena'), tenantId: TENANT };
    await decideAlert(ports, {
      ...high,
      comment: 'Another date and another place of birth',
      decision: 'false_positive',
      reasonCode: 'dob_differs',
    });
    const all: Alert[] = [];
    const ask = { equal: { tenantId: TENANT }, index: 'newest' };
    for await (const alert of everyRecord(storage.tables, alertTable, ask)) all.push(alert);
    const none = { assigned: {}, open: { Critical: 0, High: 0, Low: 0, Medium: 0 } };
    const expected = tallyAfter(
      none,
      all.map((next) => ({ next })),
    );
    const head = await logHead(storage.tables, TENANT);
    expect(head?.tally).toEqual(expected);
    expect(Object.keys(expected.assigned)).toHaveLength(1);
    const { tally: _, ...former } = head as AlertLogHead;
    await audit.commit(chainOf(TENANT), {
      bus: [],
      changes: [alertLogHeadTable.put({ ...former, version: former.version + 1 }, former.version)],
      events: [
        entry(ports, { action: 'APPROVAL_REJECTED', actor: 'system', target: 'approval:x' }),
      ],
    });
    expect((await logEnd(ports, TENANT)).tally).toEqual(expected);
    await raiseAlerts(ports, TENANT, [draftOf(220)]);
    const counts = await openAlerts(storage.tables);
    const others = (await logHead(storage.tables, OTHER_TENANT))?.tally?.open.Critical ?? 0;
    expect(counts.Critical).toBe(expected.open.Critical + 1 + others);
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
    const open = alerts.filter((alert) => !isClosed(alert));
    expect(open.every(({ deadline }) => deadline === 'breached')).toBe(true);
  });

  test('an alert put back as it once was is refused, and a step from there is named', async () => {
    const { tables } = storage;
    const place = { alertId: idOf(draftOf(400)), tenantId: TENANT };
    await raiseAlerts(ports, TENANT, [draftOf(400), draftOf(401)]);
    const first = await findAlert(ports, place);
    await assignAlert(ports, { ...place, principal: caller('lena') });
    await noteAlert(ports, { ...place, principal: caller('lena'), text: 'a note' });
    const before = (await checkAlerts({ ...signed, tables }, TENANT)).refusals;
    const changes = [[alertTable.remove(place, 3)], [alertTable.insert(first)]];
    for (const some of changes) {
      const events = [
        entry(ports, { action: 'APPROVAL_REJECTED', actor: 'system', target: 'approval:x' }),
      ];
      await audit.commit(chainOf(TENANT), { bus: [], changes: some, events });
    }
    const work = assignAlert(ports, { ...place, principal: caller('lena') });
    await expect(work).rejects.toMatchObject({ code: 'alert-altered' });
    const other = await findAlert(ports, { ...place, alertId: idOf(draftOf(401)) });
    expect(await ports.signed.areAsSigned(TENANT, [first, other])).toEqual([false, true]);
    // As a release did that compared with any entry.
    const step = { action: 'aml.alert.changed', change: { severity: 'Low' } } as const;
    await commitStep(ports, first, { actor: 'system', step });
    const found = (await checkAlerts({ ...signed, tables }, TENANT)).refusals;
    expect(found.filter((one) => !before.includes(one))).toEqual([
      expect.stringMatching(`alert ${place.alertId}: its entry seq .* follows not the one before`),
    ]);
  });
});
