/** What webhooks tell becomes conditions and notices: each once, closed by what ends it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DomainError, purgeRecords } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  acknowledge,
  BURST_FAILURES,
  checkConditions,
  conditionTable,
  HISTORY_KEPT_MS,
  MAILS_PER_HOUR_MAX,
  onFailing,
  openConditions,
  readNotices,
} from '#slices/notifications';
import { type ClientCertificate, endpointTable } from '#slices/webhooks';
import { onEachStore } from '../../storage/eachStore.ts';
import {
  ACTOR,
  ENDPOINT,
  type NoticeHouse,
  type NoticeStore,
  openHouse,
  openStore,
} from './noticeHouse.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

onEachStore((makeHarness) => {
  let store: NoticeStore;
  let house: NoticeHouse;
  beforeAll(async () => {
    store = await openStore(makeHarness);
  });
  afterAll(() => store.close());
  beforeEach(async () => {
    house = await openHouse(store);
  });

  const open = () => openConditions(house.tables, { tenantId: house.tenantId });
  const recipients = async () => (await house.messages()).map(({ recipient }) => recipient).sort();

  test('three failures are told once, to administrators and operations', async () => {
    const admin = await house.person('Dora', { email: 'd@bank.example', locale: 'ar' });
    await house.person('Otto', { email: 'o@bank.example' }, 'auditor');
    await house.person('Nemo', {});
    const failing = house.event('webhooks.endpoint.failing');
    await house.hand(failing);
    await house.hand(failing);
    expect(await open()).toMatchObject([
      { code: 'WEBHOOK_FAILING', count: 1, severity: 'MEDIUM', subjectId: ENDPOINT },
    ]);
    expect(await recipients()).toEqual(['operations:0', `person:${admin.id}`].sort());
    const [toAdmin] = (await house.messages()).filter((one) => one.recipient.startsWith('person'));
    expect(toAdmin).toMatchObject({ locale: 'ar', status: 'unsent' });
    house.clock.advance(1_000);
    await house.tell('webhooks.endpoint.recovered');
    expect(await open()).toEqual([]);
    // Handed on again after its end: it opens nothing.
    await house.hand(failing);
    expect(await open()).toEqual([]);
    expect(await house.conditions()).toMatchObject([{ closedBecause: 'success' }]);
    expect(await house.kinds()).toEqual(['webhook.failing', 'webhook.recovered']);
    expect(await house.actions()).toEqual([
      'notification.alert.opened',
      'notification.alert.closed',
    ]);
    await house.tell('webhooks.endpoint.failing');
    expect((await house.kinds()).filter((kind) => kind === 'webhook.failing')).toHaveLength(2);
  });

  test('a recovery that is handed on again does not end what began after it', async () => {
    await house.tell('webhooks.endpoint.failing');
    const recovered = house.event('webhooks.endpoint.recovered');
    await house.hand(recovered);
    await house.tell('webhooks.endpoint.failing');
    await house.hand(recovered);
    expect(await open()).toHaveLength(1);
  });

  test('failures for good are one ticket, counted, closed by a success', async () => {
    await house.endpoint();
    const failed = house.event('webhooks.delivery.failed', { failureReason: 'exhausted' });
    await house.hand(failed);
    await house.hand(failed);
    house.clock.advance(MINUTE_MS);
    await house.fail();
    await house.tell('webhooks.endpoint.failing');
    const before = await open();
    expect(before).toMatchObject([
      { code: 'WEBHOOK_FAILED', count: 2, kind: 'ticket', params: { reason: 'exhausted' } },
      { code: 'WEBHOOK_FAILING' },
    ]);
    await house.sweep();
    expect(await open()).toEqual(before);
    // No event tells of this success; the endpoint shows it.
    house.clock.advance(MINUTE_MS);
    await house.tables.saveWork(endpointTable, {
      key: { endpointId: ENDPOINT, tenantId: house.tenantId },
      work: { lastSuccessAt: house.clock.now() },
    });
    await house.sweep();
    await house.sweep();
    expect(await open()).toEqual([]);
    const kinds = await house.kinds();
    // One notice for both.
    expect(kinds.filter((kind) => kind === 'webhook.recovered')).toHaveLength(1);
    expect((await house.actions()).toSorted()).toEqual([
      'notification.alert.closed',
      'notification.alert.opened',
      'notification.ticket.closed',
      'notification.ticket.opened',
    ]);
    await house.fail();
    expect((await house.conditions()).filter(({ kind }) => kind === 'ticket')).toHaveLength(2);
  });

  test.each(['endpoint-removed', 'endpoint-disabled'])('%s is no failure', async (reason) => {
    await house.fail(reason);
    expect(await house.conditions()).toEqual([]);
  });

  test('what was open of an endpoint that a person took away is closed in silence', async () => {
    await house.endpoint();
    await house.tell('webhooks.endpoint.failing');
    await house.endpoint({ disabledReason: 'manual' });
    await house.sweep();
    expect(await house.conditions()).toMatchObject([{ closedBecause: 'disabled' }]);
    await house.hand({
      ...house.event('webhooks.endpoint.failing'),
      payload: { endpointId: 'another' },
    });
    await house.sweep();
    expect((await house.conditions()).map((one) => one.closedBecause).sort()).toEqual([
      'disabled',
      'removed',
    ]);
    expect(new Set(await house.kinds())).toEqual(new Set(['webhook.failing']));
  });

  test('an endpoint that is disabled by itself is told once', async () => {
    const disabled = house.event('webhooks.endpoint.disabled', { reason: 'gone' });
    await house.hand(disabled);
    await house.hand(disabled);
    expect(await house.kinds()).toEqual(['webhook.disabled']);
    expect(await recipients()).toEqual(['operations:0']);
    expect(await house.actions()).toEqual(['notification.told']);
  });

  test.each([
    ['webhooks.endpoint.disabling', { disablesAt: '2026-11-24T00:00:00.000Z' }, 'disabling'],
    ['webhooks.endpoint.moved', {}, 'moved'],
  ] as const)('%s is told, with its time', async (topic, payload, kind) => {
    await house.tell(topic, payload);
    const { notices } = await readNotices(house, {
      isOperator: false,
      limit: 10,
      tenantId: house.tenantId,
    });
    const [until] = Object.values(payload).slice(-1);
    expect(notices).toMatchObject([
      { kind: `webhook.${kind}`, params: until === undefined ? {} : { until } },
    ]);
  });

  test.each([
    [3, 'due', 'MEDIUM'],
    [0, 'due', 'MEDIUM'],
    [-2, 'overdue', 'HIGH'],
  ])(
    'a request about personal data with %i days left is told as %s',
    async (left, kind, severity) => {
      const payload = { days_left: left, due_at: '2026-11-24T00:00:00.000Z', request_id: 'r-1' };
      await house.tell('privacy.request.reminder', payload);
      const { notices } = await readNotices(house, {
        isOperator: false,
        limit: 10,
        tenantId: house.tenantId,
      });
      expect(notices).toMatchObject([
        {
          kind: `privacy.${kind}`,
          params: { until: '2026-11-24T00:00:00.000Z' },
          severity,
          subjectId: 'r-1',
          subjectKind: 'privacy_request',
        },
      ]);
    },
  );

  /** What is stored of a certificate that ends in so many days. */
  const certificate = (days: number): ClientCertificate => ({
    certificatePem: '',
    issuer: 'CN=authority',
    keySha256: '',
    notAfter: (house.clock.now() + days * DAY_MS) as EpochMs,
    sealedKey: '',
    serial: '1',
    sha256: `of-${days}`,
    subject: 'CN=client',
  });

  test('a certificate that ends soon is one state, until it is renewed', async () => {
    await house.endpoint({ clientCertificate: certificate(30) });
    const first = house.event('webhooks.certificate.expiring', { days: 30, notAfter: 'then' });
    await house.hand(first);
    await house.hand(first);
    expect(await open()).toMatchObject([
      { code: 'CERTIFICATE_EXPIRING', count: 1, params: { until: 'then' }, severity: 'MEDIUM' },
    ]);
    expect(await house.kinds()).toEqual(['webhook.certificate']);
    house.clock.advance(23 * DAY_MS);
    const later = house.event('webhooks.certificate.expiring', { days: 7, notAfter: 'then' });
    await house.hand(later);
    await house.hand(later);
    expect(await open()).toMatchObject([{ count: 2 }]);
    expect(await house.kinds()).toEqual(['webhook.certificate', 'webhook.certificate']);
    // Neither a success nor a person who turns the endpoint off ends it.
    await house.endpoint({
      clientCertificate: certificate(7),
      disabledReason: 'manual',
      lastSuccessAt: (house.clock.now() + DAY_MS) as EpochMs,
    });
    await house.sweep();
    expect(await open()).toHaveLength(1);
    await house.endpoint({ clientCertificate: certificate(365) });
    await house.sweep();
    await house.sweep();
    expect(await open()).toEqual([]);
    expect(await house.conditions()).toMatchObject([{ closedBecause: 'renewed' }]);
    const told = ['webhook.certificate', 'webhook.certificate', 'webhook.certificate_renewed'];
    expect((await house.kinds()).toSorted()).toEqual(told);
    // Handed on again, or only now: the certificate in use is another one.
    await house.hand(later);
    expect(await open()).toEqual([]);
    expect(await house.kinds()).toHaveLength(3);
  });

  test('a certificate that is asked for no more ends its state in silence', async () => {
    await house.endpoint({ clientCertificate: certificate(1) });
    await house.tell('webhooks.certificate.expiring', { days: 1, notAfter: 'then' });
    expect(await open()).toHaveLength(1);
    await house.endpoint();
    await house.sweep();
    expect(await house.conditions()).toMatchObject([{ closedBecause: 'removed' }]);
    expect(await house.kinds()).toEqual(['webhook.certificate']);
    const { refusals } = await checkConditions(
      { ...house, audit: house.auditStore },
      { now: house.clock.now(), tenantId: house.tenantId },
    );
    expect(refusals).toEqual([]);
  });

  test('fifty failures within a sliding hour are a burst, until fewer than 25 are', async () => {
    const burst = async () =>
      (await open()).filter(({ code }) => code === 'WEBHOOK_FAILED_BURST').length;
    // One a minute from 0 on; the next one is a minute after the last of these.
    const steps: readonly { readonly failures: number; readonly burst: number }[] = [
      { burst: 0, failures: BURST_FAILURES - 1 },
      { burst: 1, failures: 1 },
      { burst: 1, failures: 1 },
    ];
    for (const step of steps) {
      for (let n = 0; n < step.failures; n++) {
        await house.fail();
        house.clock.advance(MINUTE_MS);
      }
      expect(await burst()).toBe(step.burst);
    }
    // 51 were at 0..50 minutes, and it is 51 now: at 86 minutes those after 26 are left, 24.
    for (const [minutes, left] of [
      [85, 1],
      [86, 0],
    ] as const) {
      house.clock.advance((minutes - 51) * MINUTE_MS);
      await house.sweep();
      expect([minutes, await burst()]).toEqual([minutes, left]);
      house.clock.advance((51 - minutes) * MINUTE_MS);
    }
    const bursts = (await house.conditions()).filter(({ kind }) => kind === 'alert');
    expect(bursts).toMatchObject([{ closedBecause: 'over', count: 2, severity: 'CRITICAL' }]);
    expect((await house.kinds()).filter((kind) => kind.startsWith('webhook.burst'))).toEqual([
      'webhook.burst',
      'webhook.burst_over',
    ]);
  });

  test('forty-nine an hour for hours are no burst', async () => {
    for (let n = 0; n < 75; n++) {
      await house.fail();
      house.clock.advance(Math.ceil((60 * MINUTE_MS) / 49));
    }
    expect((await open()).map(({ code }) => code)).toEqual(['WEBHOOK_FAILED']);
  });

  test('history stays ninety days from its end; what is open stays', async () => {
    await house.tell('webhooks.endpoint.failing');
    await house.tell('webhooks.endpoint.recovered');
    await house.fail();
    const purge = () => purgeRecords(house.tables, [conditionTable], house.clock.now());
    house.clock.advance(HISTORY_KEPT_MS - 1);
    await purge();
    expect(await house.conditions()).toHaveLength(2);
    house.clock.advance(2);
    await purge();
    expect(await house.conditions()).toMatchObject([{ code: 'WEBHOOK_FAILED', status: 'open' }]);
  });

  test('somebody takes care of it: once, and not after its end', async () => {
    await house.tell('webhooks.endpoint.failing');
    const [{ conditionId } = { conditionId: '' }] = await open();
    const place = { conditionId, tenantId: house.tenantId };
    await acknowledge(house.ports, place, ACTOR);
    await acknowledge(house.ports, place, ACTOR);
    expect(await open()).toMatchObject([{ acknowledgedBy: ACTOR, status: 'acknowledged' }]);
    await house.tell('webhooks.endpoint.recovered');
    await expect(acknowledge(house.ports, place, ACTOR)).rejects.toMatchObject({
      code: 'state-conflict',
    });
    expect(await house.actions()).toEqual([
      'notification.alert.opened',
      'notification.alert.acknowledged',
      'notification.alert.closed',
    ]);
    const unknown = { ...place, conditionId: 'none' };
    await expect(acknowledge(house.ports, unknown, ACTOR)).rejects.toMatchObject({
      code: 'notification-unknown',
    });
  });

  test('a reader gets twenty mails an hour; what is critical comes beyond', async () => {
    const admin = await house.person('Dora', { email: 'd@bank.example' });
    for (let n = 0; n < MAILS_PER_HOUR_MAX; n++) {
      await house.tell('webhooks.endpoint.disabled', { reason: 'gone' });
    }
    const before = await house.messages();
    house.clock.advance(1_000);
    await house.tell('webhooks.endpoint.disabled', { reason: 'gone' });
    expect(await house.messages()).toHaveLength(before.length);
    expect(await house.kinds()).toHaveLength(MAILS_PER_HOUR_MAX + 1);
    for (let n = 0; n < BURST_FAILURES; n++) await house.fail();
    const critical = (await house.messages()).slice(before.length);
    expect(critical.map(({ recipient }) => recipient)).toEqual(['operations:0']);
    house.clock.advance(60 * MINUTE_MS + 1);
    await house.tell('webhooks.endpoint.disabled', { reason: 'gone' });
    expect(await recipients()).toContain(`person:${admin.id}`);
    expect(await house.messages()).toHaveLength(before.length + 3);
  });

  test('where persons were altered, operations alone are written to', async () => {
    await house.person('Dora', { email: 'd@bank.example' });
    const altered = new DomainError('state-altered');
    const ports = { ...house.ports, personsOf: () => Promise.reject(altered) };
    await onFailing(ports, house.event('webhooks.endpoint.failing'));
    expect(await recipients()).toEqual(['operations:0']);
  });

  describe('against whoever can write the database', () => {
    const check = async () => {
      const { auditStore, clock, keyRing, tables, tenantId } = house;
      const of = { now: clock.now(), tenantId };
      return (await checkConditions({ audit: auditStore, keyRing, tables }, of)).refusals;
    };

    test('a condition that was changed is named, and one that is as signed is not', async () => {
      await house.tell('webhooks.endpoint.failing');
      await house.fail();
      await house.tell('webhooks.endpoint.recovered');
      await house.fail();
      expect(await check()).toEqual([]);
      const [{ conditionId } = { conditionId: '' }] = await open();
      await house.harness.alter('notice_condition', '"HIGH"', '"LOW"');
      expect(await check()).toContain(
        `ticket:${conditionId}: it is not what its last entry made it`,
      );
    });
  });
});
