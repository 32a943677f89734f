/**
 * A person is erased: by a plan and a second person, at once where no duty is left, else under a
 * pseudonym until its end; and a worker that dies anywhere changes nothing of what comes of it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import {
  askForHold,
  askToLift,
  confirmHold,
  erasureWorkTable,
  isErasureInHand,
  openVault,
  receiveRequest,
  refuseRequest,
} from '#slices/privacy';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { YEAR_MS } from './erasureDesk.ts';
import { knownPersons } from './knownPersons.ts';

describe.skipIf(!hasRedis)('the erasure of a person', () => {
  let gateway: RealGateway;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
  });
  afterAll(() => gateway?.close());

  const { find, know, known } = knownPersons(() => gateway);

  test('without a duty nothing is left but that it was done', async () => {
    const { desk, tenantId } = await known('Quillon-1', 0);
    const request = await desk.planned('Quillon-1');
    expect(request.plan?.rows).toEqual([
      { action: 'delete', rows: 1, store: 'registered_screening', why: 'no_duty' },
      { action: 'delete', rows: 1, store: 'monitored_subject', why: 'no_duty' },
      { action: 'pseudonymise', rows: 1, store: 'privacy_request', why: 'legal_duty' },
      { action: 'delete', rows: 2, store: 'subject_flag', why: 'no_duty' },
    ]);
    await desk.approved(request);
    expect(await desk.isInChain('quillon')).toBe(true);
    const done = await desk.carryOut(request);
    const pseudonym = done.erasure?.pseudonym ?? '';
    expect(pseudonym).toMatch(/^psn_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(done).toMatchObject({ status: 'completed', subjectRef: pseudonym });
    expect(done.erasure?.keptUntil).toBeUndefined();
    for (const text of ['quillon', 'Quillon']) expect(await desk.isInChain(text)).toBe(false);
    expect(JSON.stringify(done)).not.toContain('Quillon');
    expect(await find.flag(tenantId, 'Quillon-1')).toBeUndefined();
    const watched = await find.watched(tenantId, 'Quillon-1');
    expect(watched).toMatchObject({ state: 'removed', subjectRef: pseudonym });
    expect(JSON.stringify(watched)).not.toContain('uillon');
    expect(await find.vault(tenantId, pseudonym)).toBeUndefined();
    expect(await desk.work(request)).toMatchObject({ state: 'ended' });
    await expect(desk.ports.signed.check(tenantId)).resolves.toMatchObject({ refusals: [] });
  });

  test('that a key took in has two persons: one proves the identity, one approves', async () => {
    const { desk, tenantId } = await known('Quillon-9', 0);
    const key = { actor: 'key:own', isPerson: false, tenantId } as const;
    const request = await desk.planned('Quillon-9', key);
    const refused = { code: 'privacy-same-person' };
    await expect(desk.approved(request, key)).rejects.toMatchObject({ code: 'person-required' });
    await expect(desk.approved(request, desk.person('officer'))).rejects.toMatchObject(refused);
    const approved = await desk.approved(request, desk.person('other'));
    expect(approved.decision).toMatchObject({ by: 'person:other' });
  });

  test('while a duty lasts the evidence stays, and two persons find whose it is', async () => {
    const { desk, tenantId } = await known('Quillon-2', 10);
    const request = await desk.planned('Quillon-2');
    const [screenings] = request.plan?.rows ?? [];
    expect(screenings).toMatchObject({ action: 'keep', rows: 1, why: 'legal_duty' });
    await desk.approved(request);
    const done = await desk.carryOut(request);
    expect(done.erasure?.keptUntil).toBe(screenings?.until);
    expect(await desk.isInChain('quillon 2')).toBe(true);
    const pseudonym = done.erasure?.pseudonym ?? '';
    const reason = 'Order of the court of 12 January';
    const ask = { pseudonym, reason, tenantId };
    const look = (name: string) => openVault(desk.ports, { ...ask, by: desk.person(name) });
    expect(await look('clerk')).toMatchObject({ isOpen: false });
    expect(await look('clerk')).toMatchObject({ isOpen: false });
    expect(await look('officer')).toMatchObject({
      askedBy: 'person:clerk',
      content: { subject: { subjectRef: 'Quillon-2' } },
      isOpen: true,
    });
    // What one has asked for was looked at: the next one asks anew, and within a day.
    expect(await look('officer')).toMatchObject({ isOpen: false });
    desk.move(25 * 3_600_000);
    expect(await look('clerk')).toMatchObject({ isOpen: false });

    desk.move(10.1 * YEAR_MS);
    await desk.carryOut(request);
    expect(await desk.isInChain('quillon 2')).toBe(false);
    expect(await find.vault(tenantId, pseudonym)).toBeUndefined();
    await expect(look('officer')).rejects.toMatchObject({ code: 'privacy-vault-unknown' });
    expect(await desk.work(request)).toMatchObject({ state: 'ended' });
  });

  test('who comes back keeps what came later', async () => {
    const { caller, desk, tenantId } = await known('Quillon-3', 10);
    const request = await desk.planned('Quillon-3');
    await desk.approved(request);
    await desk.carryOut(request);
    await know(caller, desk, 'Quillon-3');
    desk.move(11 * YEAR_MS);
    await desk.carryOut(request);
    expect(await find.watched(tenantId, 'Quillon-3')).toMatchObject({ state: 'active' });
    expect(await find.flag(tenantId, 'Quillon-3')).toMatchObject({ opposed: true });
    expect(await desk.isInChain('quillon 3')).toBe(true);
  });

  test('a worker that dies anywhere changes nothing of what comes of it', async () => {
    const { desk, tenantId } = await known('Quillon-4', 0);
    const request = await desk.planned('Quillon-4');
    await desk.approved(request);
    const points: string[] = [];
    for (;;) {
      let isDead = false;
      const done = await desk
        .carryOut(request, (point) => {
          if (points.includes(point)) return;
          points.push(point);
          isDead = true;
          throw new Error('the worker died');
        })
        .catch(() => undefined);
      if (!isDead) {
        expect(done).toMatchObject({ status: 'completed' });
        break;
      }
      expect((await find.request(tenantId, request.requestId))?.endedAt).toBeUndefined();
    }
    expect(points.length).toBeGreaterThanOrEqual(6);
    for (const text of ['quillon', 'Quillon']) expect(await desk.isInChain(text)).toBe(false);
    expect(await desk.work(request)).toMatchObject({ state: 'ended' });
    const events = await find.entries(tenantId, 'privacy.subject.erased');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kept_until: null, subject_tag: expect.any(String) });
  });

  test('another person approves, by a plan of today, and no request is in the way', async () => {
    const { desk } = await known('Quillon-5', 0);
    const request = await desk.planned('Quillon-5');
    await expect(desk.approved(request, desk.person('clerk'))).rejects.toMatchObject({
      code: 'privacy-same-person',
    });
    const key = { ...desk.person('x'), actor: 'key:1' as const, isPerson: false };
    await expect(desk.approved(request, key)).rejects.toMatchObject({ code: 'person-required' });
    desk.move(25 * 3_600_000);
    await expect(desk.approved(request)).rejects.toMatchObject({ code: 'privacy-plan-stale' });
    const { requestId } = await desk.planned('Quillon-6');
    await desk.approved(request);
    const refusal = { by: desk.person('officer'), ground: 'excessive', text: 'The tenth one.' };
    await expect(
      refuseRequest(desk.ports, { ...refusal, ground: 'excessive', requestId: request.requestId }),
    ).rejects.toMatchObject({ code: 'privacy-request-state' });
    const access = await receiveRequest(desk.ports, {
      action: 'export',
      by: desk.person('clerk'),
      identity: { method: 'in_person' },
      locale: 'fr',
      requester: { relation: 'self' },
      subject: { subjectRef: 'Quillon-5' },
    });
    expect((await desk.carryOut(request)).endedAt).toBeUndefined();
    await refuseRequest(desk.ports, {
      ...refusal,
      ground: 'excessive',
      requestId: access.requestId,
    });
    expect((await desk.carryOut(request)).endedAt).toBeDefined();
    expect(requestId).not.toBe(request.requestId);
  });

  test('a hold that comes in the middle is not passed, and two persons lift it', async () => {
    const { desk, tenantId } = await known('Quillon-10', 0);
    const request = await desk.planned('Quillon-10');
    await desk.approved(request);
    const of = { subjectRef: 'Quillon-10' };
    const [director, officer] = [desk.person('director'), desk.person('officer')];
    const reason = 'Order of the court about Quillon-10';
    const until = (desk.ports.clock.now() + YEAR_MS) as EpochMs;
    const held = await desk.carryOut(request, async (point) => {
      if (point !== 'registered_screening') return;
      const placed = await askForHold(desk.ports, { ...of, by: director, reason, until });
      expect(placed.isInForce).toBe(false);
    });
    expect(held.endedAt).toBeUndefined();
    expect(await isErasureInHand(desk.ports, { ...of, tenantId })).toBe(false);
    expect(await desk.isInChain('quillon 10')).toBe(false);
    expect(await find.watched(tenantId, 'Quillon-10')).toMatchObject({ state: 'active' });
    expect(await find.entries(tenantId, 'privacy.subject.erased')).toEqual([]);

    const confirm = { ...of, isConfirmed: true };
    const same = { code: 'dual-control-same-person' };
    await expect(confirmHold(desk.ports, { ...confirm, by: director })).rejects.toMatchObject(same);
    await confirmHold(desk.ports, { ...confirm, by: officer });
    await askToLift(desk.ports, { ...of, by: director, reason });
    await expect(confirmHold(desk.ports, { ...confirm, by: director })).rejects.toMatchObject(same);
    expect((await desk.carryOut(request)).endedAt).toBeUndefined();
    await confirmHold(desk.ports, { ...confirm, by: officer });
    expect((await desk.carryOut(request)).endedAt).toBeDefined();
    expect(await find.hold(tenantId, 'Quillon-10')).toBeUndefined();
    for (const text of ['quillon', 'Quillon']) expect(await desk.isInChain(text)).toBe(false);
    await expect(desk.ports.signed.check(tenantId)).resolves.toMatchObject({ refusals: [] });
  });

  test('a row that nobody approved erases nobody', async () => {
    const { desk, tenantId } = await known('Quillon-7', 0);
    const request = await desk.planned('Quillon-7');
    const { clock, commit, random } = gateway.process;
    const forged = {
      createdAt: clock.now(),
      dueAt: clock.now(),
      pseudonym: 'psn_forged',
      requestId: request.requestId,
      state: 'running' as const,
      tenantId,
      version: 1,
    };
    await commit(chainOf(tenantId), {
      bus: [],
      changes: [erasureWorkTable.insert(forged)],
      events: [
        entry({ clock, random }, { action: 'privacy.vault.asked', actor: 'cli:x', target: 'x' }),
      ],
    });
    await expect(desk.carryOut(request)).rejects.toMatchObject({ code: 'state-altered' });
    expect(await desk.isInChain('quillon 7')).toBe(true);
    expect(await find.watched(tenantId, 'Quillon-7')).toMatchObject({ state: 'active' });
  });

  test('an approved erasure whose work was taken away is named by doctor', async () => {
    const { desk, tenantId } = await known('Quillon-8', 0);
    const request = await desk.planned('Quillon-8');
    await desk.approved(request);
    const { clock, commit, random } = gateway.process;
    await commit(chainOf(tenantId), {
      bus: [],
      changes: [erasureWorkTable.remove({ requestId: request.requestId, tenantId }, 1)],
      events: [
        entry({ clock, random }, { action: 'privacy.vault.asked', actor: 'cli:x', target: 'x' }),
      ],
    });
    const { refusals } = await desk.ports.signed.check(tenantId);
    expect(refusals).toEqual([
      `privacy request ${request.requestId}: its erasure was approved, and its work is gone`,
    ]);
  });
});
