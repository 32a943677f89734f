/** Legal holds: placed by two persons, lifted by two, in force from the first word to the last. */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  approveErasure,
  askForHold,
  askToExtend,
  askToLift,
  buildPlan,
  confirmHold,
  erasureWorkTable,
  type HoldState,
  isErasureInHand,
  isHolding,
  legalHoldTable,
  noteIdentity,
  receiveRequest,
} from '#slices/privacy';
import { ACCESS, CLERK, OFFICER, type PrivacyHouse, privacyHouse, TENANT } from './privacyHouse.ts';

const SUBJECT = { subjectRef: 'C-1042', tenantId: TENANT };
const REASON = 'Order of the court of 12 January';
const OF = { subjectRef: SUBJECT.subjectRef };
const until = Date.parse('2027-01-05T09:00:00.000Z') as EpochMs;

const place = (ports: PrivacyHouse) =>
  askForHold(ports, { ...OF, by: CLERK, reason: REASON, until });
const second = (ports: PrivacyHouse, isConfirmed: boolean, by = OFFICER) =>
  confirmHold(ports, { ...OF, by, isConfirmed });

/** The state, and whether it holds. */
async function seen(ports: PrivacyHouse): Promise<[HoldState | undefined, boolean]> {
  const hold = await ports.signed.holdOf(SUBJECT);
  return [hold?.state, isHolding(hold, ports.clock.now())];
}

describe('legal holds', () => {
  test('each word of a second person, and what holds meanwhile', async () => {
    const ports = privacyHouse();
    expect(await seen(ports)).toEqual([undefined, false]);
    await place(ports);
    expect(await seen(ports)).toEqual(['asked', true]);
    await expect(second(ports, true, CLERK)).rejects.toMatchObject({
      code: 'dual-control-same-person',
    });
    await second(ports, true);
    expect(await seen(ports)).toEqual(['placed', true]);
    const lift = () => askToLift(ports, { ...OF, by: OFFICER, reason: REASON });
    await lift();
    expect(await seen(ports)).toEqual(['lift_asked', true]);
    await second(ports, false, OFFICER);
    expect(await seen(ports)).toEqual(['placed', true]);
    await lift();
    await expect(second(ports, true)).rejects.toMatchObject({ code: 'dual-control-same-person' });
    await second(ports, true, CLERK);
    expect(await seen(ports)).toEqual(['lifted', false]);
    await place(ports);
    await second(ports, false);
    expect(await seen(ports)).toEqual(['lifted', false]);
  });

  test('a step that its state does not ask for is refused', async () => {
    const ports = privacyHouse();
    const refused = { code: 'privacy-hold-state' };
    await expect(second(ports, true)).rejects.toMatchObject(refused);
    await place(ports);
    await expect(place(ports)).rejects.toMatchObject(refused);
    const lift = () => askToLift(ports, { ...OF, by: CLERK, reason: REASON });
    await expect(lift()).rejects.toMatchObject(refused);
    const key = { ...CLERK, actor: 'key:1' as const, isPerson: false };
    await expect(second(ports, true, key)).rejects.toMatchObject({ code: 'person-required' });
    const past = { ...OF, by: CLERK, reason: REASON, until: ports.clock.now() };
    expect(() => askForHold(ports, past)).toThrow(
      expect.objectContaining({ code: 'privacy-request-invalid' }),
    );
  });

  test('it ends by itself on its day', async () => {
    const ports = privacyHouse();
    await place(ports);
    await second(ports, true);
    ports.setTime('2027-01-05T08:59:59.999Z');
    expect(await seen(ports)).toEqual(['placed', true]);
    ports.setTime('2027-01-05T09:00:00.000Z');
    expect(await seen(ports)).toEqual(['placed', false]);
  });

  test('a later end has two persons, and no moment in which nothing holds', async () => {
    const ports = privacyHouse();
    await place(ports);
    const later = Date.parse('2029-01-05T09:00:00.000Z') as EpochMs;
    const extend = (end = later) =>
      askToExtend(ports, { ...OF, by: CLERK, reason: 'The proceedings go on', until: end });
    await expect(extend()).rejects.toMatchObject({ code: 'privacy-hold-state' });
    await second(ports, true);
    await expect(extend(until)).rejects.toMatchObject({ code: 'privacy-request-invalid' });
    await extend();
    expect(await seen(ports)).toEqual(['extension_asked', true]);
    await expect(extend()).rejects.toMatchObject({ code: 'privacy-hold-state' });
    await expect(second(ports, true, CLERK)).rejects.toMatchObject({
      code: 'dual-control-same-person',
    });
    // The former end comes before the second person does.
    ports.setTime('2027-02-01T00:00:00.000Z');
    expect(await seen(ports)).toEqual(['extension_asked', true]);
    const { hold } = await second(ports, true);
    expect(hold).toMatchObject({ placedBy: OFFICER.actor, state: 'placed', until: later });
    expect(hold.extension).toBeUndefined();
    expect(await seen(ports)).toEqual(['placed', true]);
    ports.setTime('2029-01-05T09:00:00.000Z');
    expect(await seen(ports)).toEqual(['placed', false]);
    const latest = Date.parse('2031-01-05T09:00:00.000Z') as EpochMs;
    await expect(extend(latest)).rejects.toMatchObject({ code: 'privacy-hold-state' });
    expect(ports.entries('privacy.hold.changed').map((one) => one.confidential)).toEqual(
      Array(4).fill(true),
    );
  });

  test('an extension that is declined leaves the end that there was', async () => {
    const ports = privacyHouse();
    await place(ports);
    await second(ports, true);
    const later = Date.parse('2029-01-05T09:00:00.000Z') as EpochMs;
    const ask = { ...OF, by: CLERK, reason: 'The proceedings go on', until: later };
    await askToExtend(ports, ask);
    await second(ports, false, CLERK);
    expect(await seen(ports)).toEqual(['placed', true]);
    expect((await ports.signed.holdOf(SUBJECT))?.until).toBe(until);
    await askToExtend(ports, ask);
    ports.setTime('2027-02-01T00:00:00.000Z');
    await second(ports, false);
    expect(await seen(ports)).toEqual(['placed', false]);
  });

  test('it is in force once no worker has an erasure of the subject in hand', async () => {
    const ports = await erasureHouse();
    const { approve, requestId } = ports;
    await approve();
    const key = { requestId, tenantId: TENANT };
    const of = { subjectRef: SUBJECT.subjectRef, tenantId: TENANT };
    const leased = await ports.tables.claim(erasureWorkTable, { holder: 'worker', key });
    if (leased === undefined) throw new Error('there is such work');
    expect((await place(ports)).isInForce).toBe(false);
    expect(await isErasureInHand(ports, of)).toBe(true);
    expect(await isErasureInHand(ports, { ...of, subjectRef: 'C-1' })).toBe(false);
    const { fence } = leased.lease;
    const claim = { fence, holder: 'worker' };
    await ports.tables.giveBack(erasureWorkTable, { claim, isTried: false, key });
    expect(await isErasureInHand(ports, of)).toBe(false);
    expect((await second(ports, true)).isInForce).toBe(true);
    // What was taken for the hold is free again.
    expect(await ports.tables.claim(erasureWorkTable, { holder: 'worker', key })).toBeDefined();
  });

  test('what is approved and begun while a hold is written is not passed over', async () => {
    const ports = await erasureHouse();
    const { approve, requestId } = ports;
    ports.house.overtake(async () => {
      await approve();
      const key = { requestId, tenantId: TENANT };
      await ports.tables.claim(erasureWorkTable, { holder: 'worker', key });
    });
    expect(await place(ports)).toMatchObject({ hold: { state: 'asked' }, isInForce: false });
  });

  test('one that was lifted, or taken away, past the service frees nobody', async () => {
    const ports = privacyHouse();
    const { hold } = await place(ports);
    ports.house.seed(legalHoldTable, { ...hold, state: 'lifted' as const });
    await expect(ports.signed.holdOf(SUBJECT)).rejects.toMatchObject({ code: 'state-altered' });
    ports.house.apply(TENANT, [legalHoldTable.remove(SUBJECT, hold.version)]);
    await expect(ports.signed.holdOf(SUBJECT)).rejects.toMatchObject({ code: 'state-altered' });
    const { refusals } = await ports.signed.check(TENANT);
    expect(refusals).toEqual([expect.stringContaining('its record is gone')]);
  });
});

/** A house with an erasure of the subject that may be approved. */
async function erasureHouse() {
  const ports = Object.assign(privacyHouse(), {
    holdings: async () => [],
    retentionYearsOf: async () => 10,
  }) as unknown as PrivacyHouse & Parameters<typeof approveErasure>[0];
  const { requestId } = await receiveRequest(ports, { ...ACCESS, action: 'erase' });
  await noteIdentity(ports, { by: OFFICER, isProven: true, requestId });
  await buildPlan(ports, { requestId, tenantId: TENANT });
  const approve = () => approveErasure(ports, { by: OFFICER, requestId });
  return Object.assign(ports, { approve, requestId });
}
