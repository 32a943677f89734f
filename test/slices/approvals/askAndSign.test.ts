/** A change from the asking to its end, over HTTP: the same checks and bytes as by the headers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REQUEST_MS } from '#slices/approvals';
import { onEachStore } from '../../storage/eachStore.ts';
import { ISSUER, keyOf, PEOPLE } from '../ingestion/edge/fixture.ts';
import { APPROVALS, type ApprovalService, ASK, openApprovals, SUNDAYS } from './approvalService.ts';

onEachStore((makeHarness) => {
  let service: ApprovalService;
  beforeAll(async () => {
    service = await openApprovals(makeHarness);
  });
  afterAll(() => service.close());

  const of = (source: string) => ({ resource: `sanctions_source:${source}` });

  test('a request says what is asked, who may sign it, and what is signed', async () => {
    const reply = await service.ask('carl');
    expect(reply.status, String(reply.raw.body)).toBe(201);
    const asked = reply.json();
    expect(asked).toMatchObject({
      author: PEOPLE.carl.id,
      comment: null,
      ended_at: null,
      expires_at: new Date(service.now() + REQUEST_MS).toISOString(),
      field: 'cron_full',
      new_value: SUNDAYS,
      reason: ASK.reason,
      resource: ASK.resource,
      signer_roles: ['dsi_admin', 'auditor'],
      state: 'open',
    });
    expect(asked.old_value).not.toBe(SUNDAYS);
    expect(asked.signed).toEqual({
      author: PEOPLE.carl.id,
      field: 'cron_full',
      new_value: SUNDAYS,
      prefix: 'dual-control-v1\0',
      resource: ASK.resource,
    });
    expect(await service.trail(String(asked.approval_id))).toEqual([
      { action: 'APPROVAL_REQUESTED', actor: `person:${PEOPLE.carl.id}` },
    ]);
    expect(await service.source('UN_SC')).toBeUndefined();
  });

  test('a request is answered once under a key', async () => {
    const key = crypto.randomUUID();
    const first = await service.ask('carl', of('HMT_OFSI'), key);
    const again = await service.ask('carl', of('HMT_OFSI'), key);
    expect(again.raw.body).toBe(first.raw.body);
    expect(again.header('idempotent-replayed')).toBe('true');
    const { data } = (await service.get('', 'carl', `resource=${of('HMT_OFSI').resource}`)).json();
    expect(data).toHaveLength(1);
  });

  test.each([
    [{ new_value: 'whenever' }, 422, 'cron-invalid'],
    [{ new_value: 7 }, 400, 'body-invalid'],
    [{ field: 'name' }, 400, 'body-invalid'],
    [{ resource: 'sanctions_source:NOWHERE' }, 404, 'source-unknown'],
    [{ resource: 'nothing:UN_SC' }, 400, 'body-invalid'],
    [{ reason: ' ' }, 400, 'body-invalid'],
  ])('%j is refused before anybody is asked to sign', async (given, status, code) => {
    const reply = await service.ask('carl', given);
    expect([reply.status, reply.code]).toEqual([status, code]);
  });

  test('what is so already is not asked for', async () => {
    const resource = 'sanctions_source:OFAC_CONSOLIDATED';
    const asked = await service.asked('carl', { resource });
    expect((await service.sign(asked, 'dora')).status).toBe(200);
    const again = await service.ask('carl', { resource });
    expect([again.status, again.code]).toEqual([409, 'state-conflict']);
    const other = await service.asked('carl', { new_value: '0 0 3 ? * SUN', resource });
    expect((await service.post(`/${other}/withdraw`, 'carl')).status).toBe(200);
  });

  test('only a registered person of a role of the pair asks', async () => {
    const refused = async (as: string, given = {}) => {
      const { code, status } = await service.ask(as, given);
      return [status, code];
    };
    expect(await refused('key-1')).toEqual([403, 'person-required']);
    expect(await refused('stranger')).toEqual([403, 'person-required']);
    expect(await refused('omar')).toEqual([403, 'role-insufficient']);
    expect(await refused('adam')).toEqual([403, 'role-insufficient']);
    const schedule = { resource: 'sanctions_schedule' };
    expect(await refused('carl', schedule)).toEqual([403, 'role-insufficient']);
  });

  test('its approver sees old and new, and signs the bytes that are shown', async () => {
    const id = await service.asked('carl', of('EU_CFSP'));
    const seen = (await service.get(`/${id}`, 'dora')).json();
    expect(seen).toMatchObject({ new_value: SUNDAYS, stale: false, state: 'open' });
    expect((seen.current as { value: unknown }).value).toBe(seen.old_value);
    const { signing } = seen as { signing: Record<string, string> };
    expect(signing).toMatchObject({
      approver: PEOPLE.dora.id,
      author: PEOPLE.carl.id,
      timestamp: null,
    });
    const timestamp = new Date(service.now()).toISOString();
    const { after_timestamp, before_timestamp, prefix } = signing;
    const text = `${prefix}${before_timestamp}${timestamp}${after_timestamp}`;
    const signature = Buffer.from(keyOf(12).sign(Buffer.from(text))).toString('base64');
    const reply = await service.post(`/${id}/sign`, 'dora', { signature, timestamp });
    expect(reply.status, String(reply.raw.body)).toBe(200);
    expect(reply.json()).toMatchObject({
      ended_by: PEOPLE.dora.id,
      result: { cron_full: SUNDAYS, source_id: 'EU_CFSP' },
      state: 'applied',
    });
    expect(await service.source('EU_CFSP')).toMatchObject({
      cronFull: SUNDAYS,
      updatedBy: PEOPLE.carl.id,
    });
    expect(await service.rows('EU_CFSP')).toMatchObject([
      { approvalReason: ASK.reason, approvalUserId: PEOPLE.dora.id, changedBy: PEOPLE.carl.id },
    ]);
    expect(await service.trail(id)).toEqual([
      { action: 'APPROVAL_REQUESTED', actor: `person:${PEOPLE.carl.id}` },
      { action: 'APPROVAL_APPLIED', actor: `person:${PEOPLE.dora.id}` },
    ]);
  });

  test('the bytes are shown to those alone who may sign', async () => {
    const id = await service.asked('carl', of('BCT_TN'));
    for (const [as, isSigner] of [
      ['carl', false],
      ['adam', false],
      ['key-1', false],
      ['dora', true],
      ['aude', true],
    ] as const) {
      const { signing } = (await service.get(`/${id}`, as)).json();
      expect(signing !== null, as).toBe(isSigner);
    }
  });

  test('a signed request is answered once under a key', async () => {
    const id = await service.asked('carl', of('OPEN_AGGREGATE'));
    const body = await service.signature(id, 'dora');
    const key = crypto.randomUUID();
    const first = await service.post(`/${id}/sign`, 'dora', body, key);
    const again = await service.post(`/${id}/sign`, 'dora', body, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.raw.body).toBe(first.raw.body);
    expect((await service.post(`/${id}/sign`, 'dora', body)).code).toBe('state-conflict');
    expect(await service.rows('OPEN_AGGREGATE')).toHaveLength(1);
  });

  test('the schedule is asked for by an administrator and signed by compliance', async () => {
    const id = await service.asked('adam', {
      field: 'COMMERCIAL_WATCHLIST,OFAC_SDN',
      new_value: { COMMERCIAL_WATCHLIST: { enabled: true }, OFAC_SDN: { cron_full: SUNDAYS } },
      resource: 'sanctions_schedule',
    });
    expect((await service.sign(id, 'dora')).code).toBe('dual-control-roles');
    const reply = await service.sign(id, 'carl');
    expect(reply.status, String(reply.raw.body)).toBe(200);
    expect(await service.source('OFAC_SDN')).toMatchObject({ cronFull: SUNDAYS });
  });

  test('a shrink is let go by two persons, of the run that they looked at', async () => {
    const started = await service.call('/v1/sanctions/etl/sources/OFAC_CONSOLIDATED/trigger', {
      as: 'dora',
      method: 'POST',
    });
    const run = await service.runs.findRun(String(started.json().run_id));
    if (run === undefined) throw new Error('no run');
    await service.endRun(run, {
      errorCode: 'list-shrunk',
      fileSha256: 'ab'.repeat(32),
      removedCount: 136,
      removedDigest: 'cd'.repeat(32),
      status: 'failed',
    });
    const ask = {
      field: 'shrink_approved',
      new_value: true,
      resource: `sanctions_list_run:${run.runId}`,
    };
    const [id, late] = [await service.asked('dora', ask), await service.asked('dora', ask)];
    const seen = (await service.get(`/${id}`, 'carl')).json();
    expect(seen).toMatchObject({ current: { about: { run_id: run.runId }, value: false } });
    const reply = await service.sign(id, 'carl');
    expect(reply.status, String(reply.raw.body)).toBe(200);
    const { run_id } = reply.json().result as { run_id: string };
    expect(await service.runs.findRun(run_id)).toMatchObject({
      shrinkApprovedBy: PEOPLE.carl.id,
      triggeredBy: `user:${ISSUER}|dora`,
    });
    expect((await service.trail(id)).at(-1)?.action).toBe('APPROVAL_APPLIED');
    service.advance(1_000);
    expect((await service.sign(late, 'carl')).code).toBe('state-conflict');
    expect(await service.record(late)).toMatchObject({ state: 'stale' });
  });

  test('a rejection says why', async () => {
    const id = await service.asked('carl', of('UN_SC'));
    for (const body of [{}, { comment: ' \n ' }]) {
      const reply = await service.post(`/${id}/reject`, 'dora', body);
      expect([reply.status, reply.code]).toEqual([422, 'comment-required']);
    }
    const reply = await service.post(`/${id}/reject`, 'dora', { comment: 'Not now' });
    expect(reply.json()).toMatchObject({ comment: 'Not now', state: 'rejected' });
    expect((await service.sign(id, 'dora')).code).toBe('state-conflict');
  });

  test('its author withdraws it', async () => {
    const id = await service.asked('carl');
    expect((await service.post(`/${id}/withdraw`, 'dora')).status).toBe(403);
    expect((await service.post(`/${id}/withdraw`, 'carl')).json()).toMatchObject({
      state: 'withdrawn',
    });
    expect((await service.get(`/${id}`, 'dora')).json()).toMatchObject({ signing: null });
  });

  test('what was to be changed has changed: the request is stale, nothing is applied', async () => {
    const id = await service.asked('carl');
    const faster = { field: 'cron_full', newValue: '0 0 5 ? * SUN' };
    const signed = { ...faster, resource: 'sanctions_source:UN_SC' };
    const changed = await service.call('/v1/sanctions/etl/sources/UN_SC', {
      as: 'carl',
      body: { approval_reason: 'earlier', cron_full: faster.newValue },
      headers: service.signed(signed, { approver: 'dora', author: 'carl' }),
      method: 'PATCH',
    });
    expect(changed.status, String(changed.raw.body)).toBe(200);
    const seen = (await service.get(`/${id}`, 'dora')).json();
    expect(seen).toMatchObject({ current: { value: '0 0 5 ? * SUN' }, stale: true, state: 'open' });
    const reply = await service.sign(id, 'dora');
    expect([reply.status, reply.code]).toEqual([409, 'state-conflict']);
    expect(await service.record(id)).toMatchObject({ endedBy: PEOPLE.dora.id, state: 'stale' });
    expect(await service.source('UN_SC')).toMatchObject({ cronFull: '0 0 5 ? * SUN' });
    expect((await service.trail(id)).at(-1)?.action).toBe('APPROVAL_STALE');
  });

  test('the inbox has pages, and a cursor is good for its filters alone', async () => {
    const page = (query: string) => service.get('', 'dora', query);
    const first = (await page('limit=2')).json() as { data: object[]; next_cursor: string };
    expect(first.data).toHaveLength(2);
    const all = (await page('')).json() as { data: object[]; next_cursor: null };
    expect(all.next_cursor).toBeNull();
    const second = (await page(`limit=2&cursor=${first.next_cursor}`)).json();
    expect(second.data).toEqual(all.data.slice(2, 4));
    expect((await page(`state=open&cursor=${first.next_cursor}`)).code).toBe('cursor-invalid');
    const mine = (await service.get('', 'aude', 'mine=true')).json();
    expect(mine).toEqual({ data: [], next_cursor: null });
  });

  describe('after seven days', () => {
    test('no signature is taken, and the request expires', async () => {
      const id = await service.asked('carl', of('HMT_OFSI'));
      service.advance(REQUEST_MS);
      expect((await service.get(`/${id}`, 'dora')).json()).toMatchObject({
        signing: null,
        state: 'expired',
      });
      expect((await service.sign(id, 'dora')).code).toBe('state-conflict');
      const { expired } = await service.expire();
      expect(expired).toBeGreaterThan(0);
      expect(await service.record(id)).toMatchObject({ state: 'expired' });
      expect(await service.trail(id)).toContainEqual({
        action: 'APPROVAL_EXPIRED',
        actor: 'system:approvals',
      });
      expect((await service.sign(id, 'dora')).code).toBe('state-conflict');
      expect(await service.expire()).toEqual({ expired: 0 });
    });
  });

  test('an unknown request is 404', async () => {
    const path = `${APPROVALS}/018f0000-0000-7000-8000-0000000000aa`;
    expect((await service.call(path, { as: 'dora' })).code).toBe('approval-unknown');
  });
});
