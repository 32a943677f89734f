/** Requests about personal data: their states, deadlines, reminders, and what a forger meets. */
import { describe, expect, test } from 'vitest';
import { toTimestamp } from '#platform/clock';
import {
  extendRequest,
  hasOpenRequest,
  noteIdentity,
  privacyRequestTable,
  readRequests,
  receiveRequest,
  refuseRequest,
  sendReminders,
} from '#slices/privacy';
import { ACCESS, CLERK, OFFICER, privacyHouse, TENANT } from './privacyHouse.ts';

const REASON = 'Four archives of paper files have to be read and redacted first.';

describe('requests about personal data', () => {
  test('one is received, proved, and refused; each step is an entry with its digest', async () => {
    const ports = privacyHouse();
    const { requestId } = await receiveRequest(ports, ACCESS);
    const asked = await noteIdentity(ports, { by: OFFICER, isProven: false, requestId });
    expect(asked.status).toBe('identity_check');
    const proven = await noteIdentity(ports, { by: OFFICER, isProven: true, requestId });
    expect(proven).toMatchObject({
      identity: { verified: { by: 'person:officer', isProven: true } },
      status: 'in_progress',
    });
    const refusal = { by: OFFICER, ground: 'excessive', requestId, text: 'The tenth this week.' };
    const refused = await refuseRequest(ports, { ...refusal, ground: 'excessive' });
    expect(refused).toMatchObject({ decision: { ground: 'excessive' }, status: 'refused' });
    expect(refused.remindAt).toBeUndefined();
    expect(ports.entries('privacy.request.refused')).toMatchObject([
      { actor: 'person:officer', ground: 'excessive', is_late: false, status: 'refused' },
    ]);
    await expect(
      noteIdentity(ports, { by: OFFICER, isProven: true, requestId }),
    ).rejects.toMatchObject({ code: 'privacy-request-state' });
  });

  test('an erasure that a key took in is proven by a person alone', async () => {
    const ports = privacyHouse();
    const by = { actor: 'key:own', isPerson: false, tenantId: TENANT } as const;
    const { requestId } = await receiveRequest(ports, { ...ACCESS, action: 'erase', by });
    const more = await noteIdentity(ports, { by, isProven: false, requestId });
    expect(more.status).toBe('identity_check');
    await expect(noteIdentity(ports, { by, isProven: true, requestId })).rejects.toMatchObject({
      code: 'person-required',
    });
    const proven = await noteIdentity(ports, { by: OFFICER, isProven: true, requestId });
    expect(proven.status).toBe('in_progress');
  });

  test('a subject is named by one id, and not in the future', async () => {
    const ports = privacyHouse();
    for (const subject of [{}, { caseId: 'c', subjectRef: 'r' }]) {
      await expect(receiveRequest(ports, { ...ACCESS, subject })).rejects.toMatchObject({
        code: 'privacy-request-invalid',
        violations: [{ pointer: '/subject' }],
      });
    }
    const requestedAt = (ports.clock.now() + 1) as never;
    await expect(receiveRequest(ports, { ...ACCESS, requestedAt })).rejects.toMatchObject({
      violations: [{ pointer: '/requested_at' }],
    });
  });

  test('the deadline is extended once, with a reason, and before it has passed', async () => {
    const ports = privacyHouse('2026-12-01T09:00:00.000Z');
    const late = await receiveRequest(ports, ACCESS);
    const { dueAt, requestId } = await receiveRequest(ports, ACCESS);
    expect(toTimestamp(dueAt)).toBe('2026-12-31T09:00:00.000Z');
    const short = { by: OFFICER, reason: 'complex', requestId };
    await expect(extendRequest(ports, short)).rejects.toMatchObject({
      violations: [{ pointer: '/reason' }],
    });
    ports.setTime('2026-12-31T08:59:59.999Z');
    const extended = await extendRequest(ports, { ...short, reason: REASON });
    expect(toTimestamp(extended.extendedTo ?? dueAt)).toBe('2027-02-28T09:00:00.000Z');
    await expect(extendRequest(ports, { ...short, reason: REASON })).rejects.toMatchObject({
      code: 'privacy-request-state',
      message: expect.stringContaining('already'),
    });
    ports.setTime('2026-12-31T09:00:00.000Z');
    const passed = { by: OFFICER, reason: REASON, requestId: late.requestId };
    await expect(extendRequest(ports, passed)).rejects.toMatchObject({
      code: 'privacy-request-state',
      message: expect.stringContaining('passed'),
    });
  });

  test('people are reminded six times at most before an extended deadline, once each', async () => {
    const ports = privacyHouse('2026-01-05T09:00:00.000Z');
    const { requestId } = await receiveRequest(ports, ACCESS);
    const start = ports.clock.now();
    for (let hour = 0; hour <= 24 * 89; hour++) {
      ports.setTime(new Date(start + hour * 3_600_000).toISOString());
      if (hour === 24 * 30 - 1)
        await extendRequest(ports, { by: OFFICER, reason: REASON, requestId });
      // Two workers: the second finds nothing left to do.
      await Promise.all([sendReminders(ports), sendReminders(ports)]);
    }
    const told = ports.entries('privacy.request.reminded');
    expect(told.map(({ days_left }) => days_left)).toEqual([10, 3, 10, 3, 0]);
    const reminders = ports.house.bus.filter(({ topic }) => topic === 'privacy.request.reminder');
    expect(reminders).toHaveLength(5);
    expect(reminders[0]?.payload).toMatchObject({ days_left: 10, request_id: requestId });
  });

  test('once overdue it is told of each day, until it has ended', async () => {
    const ports = privacyHouse('2026-01-05T09:00:00.000Z');
    const { requestId } = await receiveRequest(ports, ACCESS);
    ports.setTime('2026-02-06T09:00:00.000Z');
    expect(await sendReminders(ports)).toEqual({ altered: 0, reminded: 1 });
    ports.setTime('2026-02-06T20:00:00.000Z');
    expect(await sendReminders(ports)).toEqual({ altered: 0, reminded: 0 });
    ports.setTime('2026-02-07T09:00:00.000Z');
    expect(await sendReminders(ports)).toEqual({ altered: 0, reminded: 1 });
    expect(ports.entries('privacy.request.reminded').map(({ days_left }) => days_left)).toEqual([
      -2, -3,
    ]);
    const refusal = { by: OFFICER, requestId, text: 'No proof of identity came in.' };
    const refused = await refuseRequest(ports, { ...refusal, ground: 'identity_unproven' });
    expect(ports.entries('privacy.request.refused')).toMatchObject([{ is_late: true }]);
    ports.setTime('2026-03-07T09:00:00.000Z');
    expect(await sendReminders(ports)).toEqual({ altered: 0, reminded: 0 });
    expect(refused.endedAt).toBeDefined();
  });

  test('an open request is known, and not once it has ended', async () => {
    const ports = privacyHouse();
    const of = { subjectRef: 'C-1042', tenantId: TENANT };
    expect(await hasOpenRequest(ports, of)).toBe(false);
    const { requestId } = await receiveRequest(ports, ACCESS);
    expect(await hasOpenRequest(ports, of)).toBe(true);
    expect(await hasOpenRequest(ports, { ...of, subjectRef: 'C-1' })).toBe(false);
    const text = 'No proof of identity came in.';
    await refuseRequest(ports, { by: CLERK, ground: 'identity_unproven', requestId, text });
    expect(await hasOpenRequest(ports, of)).toBe(false);
  });

  test('pages join, by state and without', async () => {
    const ports = privacyHouse();
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) {
      ports.setTime(`2026-01-0${number + 5}T09:00:00.000Z`);
      ids.unshift((await receiveRequest(ports, ACCESS)).requestId);
    }
    const first = await readRequests(ports, { limit: 3, tenantId: TENANT });
    const after = first.next;
    const rest = await readRequests(ports, { limit: 3, tenantId: TENANT, ...(after && { after }) });
    const seen = [...first.requests, ...rest.requests].map(({ requestId }) => requestId);
    expect(seen).toEqual(ids);
    expect(rest.next).toBeUndefined();
    const none = await readRequests(ports, { limit: 3, status: 'refused', tenantId: TENANT });
    expect(none.requests).toEqual([]);
  });

  test('one that was altered past the service decides nothing, and holds up nobody', async () => {
    const ports = privacyHouse('2026-01-05T09:00:00.000Z');
    const good = await receiveRequest(ports, ACCESS);
    const forged = await receiveRequest(ports, ACCESS);
    ports.house.seed(privacyRequestTable, { ...forged, dueAt: 9e15 as never });
    ports.setTime('2026-01-26T09:00:00.000Z');
    expect(await sendReminders(ports)).toEqual({ altered: 1, reminded: 1 });
    const ask = { by: OFFICER, isProven: true };
    await expect(
      noteIdentity(ports, { ...ask, requestId: forged.requestId }),
    ).rejects.toMatchObject({ code: 'state-altered' });
    expect((await noteIdentity(ports, { ...ask, requestId: good.requestId })).status).toBe(
      'in_progress',
    );
    const { refusals } = await ports.signed.check(TENANT);
    expect(refusals).toEqual([expect.stringContaining(forged.requestId)]);
  });
});
