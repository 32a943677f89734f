/** Changes of lists that are asked for now and signed later: as those that come signed. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StaleChange } from '#core/audit';
import {
  type Approval,
  type CheckedChange,
  type Principal,
  SANCTIONS_ROLE_PAIR,
  SCHEDULE_ROLE_PAIR,
  verifyDualControl,
} from '#core/identity';
import { TENANT } from '../../../api/fakes.ts';
import { makeSqliteHarness } from '../../../storage/sqlite/harness.ts';
import { ISSUER, type ListService, type Name, openListService, PEOPLE } from './fixture.ts';

const SUNDAYS = '0 0 2 ? * SUN';
const principal = (name: Name): Principal => ({
  environment: 'live',
  id: `${ISSUER}|${name}`,
  kind: 'user',
  mfa: true,
  roles: PEOPLE[name].roles,
  tenantId: TENANT,
});
const ask = (id: string, field: string, newValue: unknown, author: Name = 'carl') => ({
  author: principal(author),
  field,
  id,
  newValue,
});

let service: ListService;
beforeEach(async () => {
  service = await openListService(makeSqliteHarness);
});
afterEach(() => service.close());

const source = (field: string, newValue: unknown, id = 'UN_SC') =>
  service.approvals.sanctions_source.check(ask(id, field, newValue));
const schedule = (field: string, newValue: unknown) =>
  service.approvals.sanctions_schedule.check(ask('', field, newValue, 'adam'));

/** As its approver signs it, some time after it was asked for. */
function approved({ subject }: CheckedChange, author: Name, approver: Name): Approval {
  const headers = service.signed(subject, { approver, author });
  return verifyDualControl({
    headers: {
      approver: headers['x-approval-user-id'],
      author: headers['x-user-id'],
      signature: headers['x-approval-signature'],
      timestamp: headers['x-approval-timestamp'],
    },
    now: service.clock.now(),
    persons: Object.values(PEOPLE),
    principal: principal(author),
    rolePair: author === 'adam' ? SCHEDULE_ROLE_PAIR : SANCTIONS_ROLE_PAIR,
    subject,
    tenantId: TENANT,
  });
}

test('a sandbox cannot ask for a change of what others screen by', async () => {
  const author = { ...principal('carl'), environment: 'sandbox' as const };
  const { sanctions_schedule, sanctions_source } = service.approvals;
  for (const asked of [
    sanctions_source.check({ ...ask('UN_SC', 'enabled', true), author }),
    sanctions_schedule.check({ ...ask('', 'UN_SC', { UN_SC: { enabled: true } }), author }),
  ]) {
    await expect(asked).rejects.toMatchObject({ code: 'role-insufficient' });
  }
});

describe('a source', () => {
  test('is signed by the same bytes, shown old and new, and answered as by PATCH', async () => {
    const change = await source('cron_full', SUNDAYS);
    expect(change.subject).toEqual({
      field: 'cron_full',
      newValue: SUNDAYS,
      resource: 'sanctions_source:UN_SC',
    });
    const { old, ...shown } = await change.show();
    expect(shown).toEqual({ new: SUNDAYS });
    expect(old).not.toBe(SUNDAYS);
    const approval = approved(change, 'carl', 'dora');
    const answer = await change.apply({ approval, ip: '192.0.2.1', reason: 'Weekly' });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ cron_full: SUNDAYS, source_id: 'UN_SC' });
    const read = await service.call('/v1/sanctions/etl/sources/UN_SC');
    expect(read.json()).toEqual(JSON.parse(answer.body));
    const [entry] = await service.entries('SANCTIONS_SCHEDULE_CHANGED');
    expect(entry?.actor).toBe(`person:${PEOPLE.carl.id}`);
    expect(await service.rows('UN_SC')).toMatchObject([
      { approvalUserId: PEOPLE.dora.id, changedBy: PEOPLE.carl.id, newValue: SUNDAYS },
    ]);
  });

  test('is changed once by an approval', async () => {
    const change = await source('enabled', false);
    const approval = approved(change, 'carl', 'dora');
    await change.apply({ approval, reason: 'Off' });
    await expect(change.apply({ approval, reason: 'Off' })).rejects.toMatchObject({
      code: 'dual-control-replayed',
    });
  });

  test('is changed in several members at once', async () => {
    const newValue = { cron_delta: null, cron_full: SUNDAYS };
    const change = await source('cron_delta,cron_full', newValue);
    const { old } = await change.show();
    expect(Object.keys(old as object)).toEqual(Object.keys(newValue));
    await change.apply({ approval: approved(change, 'carl', 'dora'), reason: 'Weekly' });
    expect(await service.source('UN_SC')).toMatchObject({ cronFull: SUNDAYS });
  });

  test.each([
    ['a member that there is none of', 'name', 'x', 'body-invalid'],
    ['a value of another type', 'enabled', 'yes', 'body-invalid'],
    ['an object of other members', 'cron_delta,cron_full', { cron_full: SUNDAYS }, 'body-invalid'],
    ['members out of order', 'cron_full,cron_delta', {}, 'body-invalid'],
    ['no member', '', 'x', 'body-invalid'],
    ['a schedule that is none', 'cron_full', 'whenever', 'cron-invalid'],
  ])('%s is refused before anybody is asked to sign', async (_, field, newValue, code) => {
    await expect(source(field, newValue)).rejects.toMatchObject({ code });
  });

  test('one that there is not is refused', async () => {
    await expect(source('enabled', true, 'NOWHERE')).rejects.toMatchObject({
      code: 'source-unknown',
    });
  });

  test('is not changed where it is no longer what its approver saw', async () => {
    const change = await source('cron_full', SUNDAYS);
    const { old } = await change.show();
    const faster = await source('cron_full', '0 0 3 ? * SUN');
    await faster.apply({ approval: approved(faster, 'carl', 'dora'), old, reason: 'At three' });
    const approval = approved(change, 'carl', 'dora');
    const refused = change.apply({ approval, old, reason: 'At two' });
    await expect(refused).rejects.toMatchObject({ code: 'state-conflict' });
    expect(await service.source('UN_SC')).toMatchObject({ cronFull: '0 0 3 ? * SUN' });
    await change.apply({ approval, old: '0 0 3 ? * SUN', reason: 'At two' });
    expect(await service.rows('UN_SC')).toHaveLength(2);
  });

  test('what goes with it is in the same commit, or neither is', async () => {
    const change = await source('enabled', false);
    const person = { ...PEOPLE.omar, name: 'Omar B.', version: 2 };
    const fresh = service.put(person, 1);
    const stale = service.put({ ...person, version: 8 }, 7);
    const approval = approved(change, 'carl', 'dora');
    const refused = change.apply({ alongside: { changes: [stale] }, approval, reason: 'Off' });
    await expect(refused).rejects.toBeInstanceOf(StaleChange);
    expect(await service.rows('UN_SC')).toEqual([]);
    await change.apply({ alongside: { changes: [fresh] }, approval, reason: 'Off' });
    expect(await service.rows('UN_SC')).toHaveLength(1);
    const found = await service.findPerson('omar');
    expect(found?.name).toBe('Omar B.');
  });
});

describe('the schedule', () => {
  test('is changed of several sources, and answered whole', async () => {
    const newValue = { EU_CFSP: { enabled: false }, UN_SC: { cron_full: SUNDAYS } };
    const change = await schedule('EU_CFSP,UN_SC', newValue);
    expect(change.subject).toEqual({
      field: 'EU_CFSP,UN_SC',
      newValue,
      resource: 'sanctions_schedule',
    });
    expect(await change.show()).toMatchObject({ new: newValue, old: { EU_CFSP: {}, UN_SC: {} } });
    const approval = approved(change, 'adam', 'carl');
    const { body } = await change.apply({ approval, reason: 'Sundays' });
    const read = await service.call('/v1/sanctions/etl/schedule');
    expect(read.json().sources).toEqual(JSON.parse(body).sources);
  });

  test.each([
    [
      'a source that there is not',
      'NOWHERE',
      { NOWHERE: { enabled: false } },
      '/new_value/NOWHERE',
    ],
    ['an empty change', 'UN_SC', { UN_SC: {} }, '/new_value/UN_SC'],
    ['members that are none', 'UN_SC', { UN_SC: { url: 'https://x' } }, '/new_value/UN_SC'],
    ['a source that field does not name', 'UN_SC', { EU_CFSP: { enabled: false } }, '/new_value'],
  ])('%s is refused by its place', async (_, field, newValue, pointer) => {
    const refusal = await schedule(field, newValue).then(
      () => undefined,
      (error) => error,
    );
    expect(refusal).toMatchObject({ code: 'body-invalid' });
    expect(refusal.violations[0].pointer).toContain(pointer);
  });
});

describe('a shrink', () => {
  const shrink = (runId: string, field = 'shrink_approved', newValue: unknown = true) =>
    service.approvals.sanctions_list_run.check(ask(runId, field, newValue));

  test('of a run that there is not, or another wish, is refused', async () => {
    await expect(shrink('nothing')).rejects.toMatchObject({ code: 'run-unknown' });
    await expect(shrink('nothing', 'enabled')).rejects.toMatchObject({ code: 'body-invalid' });
    await expect(shrink('nothing', 'shrink_approved', false)).rejects.toMatchObject({
      code: 'body-invalid',
    });
  });
});
