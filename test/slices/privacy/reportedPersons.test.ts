/**
 * The erasure of persons whom reports to the authority name: it waits for the report, and nobody
 * who may not know of the report sees that it waits.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import type { PrivacyRequest } from '#slices/privacy';
import {
  changeReport,
  createReport,
  eraseReports,
  isReportAbout,
  strReportTable,
} from '#slices/str';
import { presentRequest } from '../../../src/slices/privacy/edge/presentation.ts';
import { deskOf } from '../../../src/slices/str/edge/parts.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { YEAR_MS } from './erasureDesk.ts';
import { knownPersons } from './knownPersons.ts';

describe.skipIf(!hasRedis)('the erasure of a person whom a report names', () => {
  let gateway: RealGateway;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
  });
  afterAll(() => gateway?.close());

  const { find, know, known } = knownPersons(() => gateway);

  /** What the bus has told of a request. */
  async function told(tenantId: TenantId, { requestId }: PrivacyRequest) {
    const { outbox } = gateway.process.storage;
    const events = await outbox.readKept({ afterId: '', limit: 1_000, partition: tenantId });
    return events
      .filter(({ payload }) => payload.request_id === requestId)
      .map(({ payload, topic }) => [topic, payload.status].filter(Boolean).join(' '));
  }

  test('of twins with and without a report nobody sees which is which', async () => {
    const { caller, desk, tenantId } = await known('Twin-1', 10);
    await know(caller, desk, 'Twin-2');
    const str = { ...deskOf(gateway.process), clock: desk.ports.clock };
    const principal = { actor: 'cli:test', kind: 'cli' } as const;
    const accounts = [{ account: 'TN59', client_number: 'Twin-1' }];
    const party = { accounts, id: 'subject', is_customer: true, kind: 'person' } as const;
    await createReport(str, { principal, tenantId }, { subject: { ...party, name: 'Canaria' } });
    const seen = async (of: PrivacyRequest) => {
      const place = { requestId: of.requestId, tenantId };
      const request = await desk.ports.signed.requireRequest(place);
      const text = JSON.stringify(presentRequest(request, desk.ports.clock.now()));
      return text
        .replaceAll(/[0-9a-f-]{36}|psn_[0-9a-z]{26}|\d{4}-\d\d-\d\dT[0-9:.]*Z/g, '…')
        .replaceAll(/Twin-\d/g, 'Twin');
    };
    const [one, other] = [await desk.planned('Twin-1'), await desk.planned('Twin-2')];
    expect(await seen(one)).toBe(await seen(other));
    for (const twin of [one, other]) await desk.approved(twin);
    expect(await seen(one)).toBe(await seen(other));
    const [officer, director] = [
      await gateway.caller(tenantId, 'compliance_officer'),
      await gateway.caller(tenantId, 'compliance_director'),
    ];
    const trail = async () => (await director.get('/v1/audit/events?limit=200')).json();
    const before = await trail();
    for (const twin of [one, other]) await desk.carryOut(twin);
    expect(await seen(one)).toBe(await seen(other));
    expect(await find.flag(tenantId, 'Twin-1')).toBeDefined();
    expect(await find.flag(tenantId, 'Twin-2')).toBeUndefined();
    // Neither on the bus, nor in the trail of who may not know of reports, nor of flags and former
    // requests: what the work did for one is told as what it did not for the other.
    expect(await told(tenantId, one)).toEqual(await told(tenantId, other));
    expect(await told(tenantId, one)).toEqual([
      'privacy.request.changed received',
      'privacy.request.changed in_progress',
      'privacy.request.changed awaiting_approval',
      'privacy.request.changed completed',
      'privacy.erasure.approved',
    ]);
    expect(await trail()).toEqual(before);
    const flags = async (ref: string) =>
      (await officer.get(`/v1/privacy/subject/${ref}`)).text.replace(ref, 'Twin');
    expect(await flags('Twin-1')).toBe(await flags('Twin-2'));
    // The report's own time is over: the work goes on by itself.
    desk.move(10.1 * YEAR_MS);
    expect(await eraseReports(str)).toBe(1);
    expect((await desk.carryOut(one)).endedAt).toBeDefined();
    expect(await find.flag(tenantId, 'Twin-1')).toBeUndefined();
  });

  test('a report that was altered or cannot be read keeps its own customer alone', async () => {
    const { caller, desk, tenantId } = await known('Odd-1', 0);
    await know(caller, desk, 'Odd-2');
    await know(caller, desk, 'Odd-3');
    const str = { ...deskOf(gateway.process), clock: desk.ports.clock };
    const principal = { actor: 'cli:test', kind: 'cli' } as const;
    const { process } = gateway;
    const { clock, commit, random } = process;
    for (const [client_number, change] of [
      ['Odd-1', { reportCode: 'SAR' }],
      ['Odd-2', { blob: 'f'.repeat(64) }],
    ] as const) {
      const party = {
        accounts: [{ account: 'TN59', client_number }],
        id: 'subject',
        is_customer: true,
      };
      const subject = { ...party, kind: 'person', name: 'Canaria' } as const;
      const report = await createReport(str, { principal, tenantId }, { subject });
      // Past the service: its entry is about something else.
      await commit(chainOf(tenantId), {
        bus: [],
        changes: [strReportTable.put({ ...report, ...change, version: 2 }, 1)],
        events: [
          entry({ clock, random }, { action: 'privacy.vault.asked', actor: 'cli:x', target: 'x' }),
        ],
      });
    }
    const ended: (number | undefined)[] = [];
    for (const ref of ['Odd-1', 'Odd-2', 'Odd-3']) {
      const request = await desk.planned(ref);
      await desk.approved(request);
      ended.push((await desk.carryOut(request)).endedAt);
    }
    expect(ended).toEqual([undefined, undefined, expect.any(Number)]);
  });

  test('a report keeps whom it has come to name, and nobody whom it names no more', async () => {
    const { caller, desk, tenantId } = await known('Named-1', 0);
    await know(caller, desk, 'Named-2');
    const str = { ...deskOf(gateway.process), clock: desk.ports.clock };
    const ask = { principal: { actor: 'cli:test', kind: 'cli' }, tenantId } as const;
    const of = (client_number: string) => ({
      accounts: [{ account: 'TN59', client_number }],
      id: 'subject',
      is_customer: true,
      kind: 'person' as const,
      name: 'Canaria',
    });
    const { strId } = await createReport(str, ask, { subject: of('Named-1') });
    await changeReport(str, { ...ask, strId }, { subject: of('Named-2') });
    const held = await Promise.all(
      ['Named-1', 'Named-2'].map((subjectRef) => isReportAbout(str, { subjectRef, tenantId })),
    );
    expect(held).toEqual([false, true]);
  });
});
