/** Legal holds: placed by two persons, lifted by two, in force from the first word to the last. */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  askForHold,
  askToLift,
  confirmHold,
  type HoldState,
  isHolding,
  legalHoldTable,
} from '#slices/privacy';
import { CLERK, OFFICER, type PrivacyHouse, privacyHouse, TENANT } from './privacyHouse.ts';

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

  test('one that was lifted, or taken away, past the service frees nobody', async () => {
    const ports = privacyHouse();
    const hold = await place(ports);
    ports.house.seed(legalHoldTable, { ...hold, state: 'lifted' as const });
    await expect(ports.signed.holdOf(SUBJECT)).rejects.toMatchObject({ code: 'state-altered' });
    ports.house.apply(TENANT, [legalHoldTable.remove(SUBJECT, hold.version)]);
    await expect(ports.signed.holdOf(SUBJECT)).rejects.toMatchObject({ code: 'state-altered' });
    const { refusals } = await ports.signed.check(TENANT);
    expect(refusals).toEqual([expect.stringContaining('its record is gone')]);
  });
});
