/** Ends of one request at the same time: one wins, on every store, and nothing is done twice. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onEachStore } from '../../storage/eachStore.ts';
import { type ApprovalService, openApprovals, SUNDAYS } from './approvalService.ts';

const ROUNDS = 4;

onEachStore((makeHarness) => {
  let service: ApprovalService;
  beforeAll(async () => {
    service = await openApprovals(makeHarness);
  });
  afterAll(() => service.close());

  test('signed, rejected and withdrawn at once: one of them, with one entry', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = (await service.rows('UN_SC')).length;
      const id = await service.asked('carl', { new_value: `0 30 ${round + 1} ? * SUN` });
      const body = await service.signature(id, 'dora');
      const ends = [
        () => service.post(`/${id}/sign`, 'dora', body),
        () => service.sign(id, 'aude'),
        () => service.post(`/${id}/reject`, 'dora', { comment: 'No' }),
        () => service.post(`/${id}/withdraw`, 'carl'),
      ];
      const turned = [...ends.slice(round), ...ends.slice(0, round)];
      const replies = await Promise.all(turned.map((end) => end()));
      const statuses = replies.map(({ status }) => status);
      expect(statuses.sort(), String(replies.map(({ raw }) => raw.body))).toEqual([
        200, 409, 409, 409,
      ]);
      const { state } = await service.record(id);
      expect(await service.trail(id)).toHaveLength(2);
      expect((await service.rows('UN_SC')).length).toBe(before + (state === 'applied' ? 1 : 0));
    }
  });

  test('one signature sent three times at once is applied once', async () => {
    const id = await service.asked('carl', { resource: 'sanctions_source:EU_CFSP' });
    const body = await service.signature(id, 'dora');
    const replies = await Promise.all(
      [1, 2, 3].map(() => service.post(`/${id}/sign`, 'dora', body)),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    // Used up, or already applied, whichever is seen first.
    expect(statuses.slice(1).every((status) => status === 403 || status === 409)).toBe(true);
    expect(await service.rows('EU_CFSP')).toHaveLength(1);
  });

  test('what was asked for upon the value that an applied request replaced is stale', async () => {
    const ask = { resource: 'sanctions_source:OFAC_CONSOLIDATED' };
    const id = await service.asked('carl', ask);
    const second = await service.asked('carl', { ...ask, new_value: '0 30 9 ? * TUE' });
    const other = await service.asked('carl', { ...ask, field: 'enabled', new_value: true });
    expect((await service.sign(id, 'dora')).status).toBe(200);
    expect((await service.record(second)).state).toBe('stale');
    expect((await service.record(other)).state).toBe('open');
  });

  test('an honest second signer is told of the end, and not of an altered request', async () => {
    const id = await service.asked('carl', {
      field: 'enabled',
      new_value: true,
      resource: 'sanctions_source:OFAC_SDN',
    });
    const body = await service.signature(id, 'dora');
    service.beforeProof.push(() => service.sign(id, 'aude'));
    const reply = await service.post(`/${id}/sign`, 'dora', body);
    expect([reply.status, reply.code]).toEqual([409, 'state-conflict']);
    expect((await service.record(id)).state).toBe('applied');
  });

  test('a request that ends while its change is made is not applied', async () => {
    const id = await service.asked('carl', { resource: 'sanctions_source:HMT_OFSI' });
    service.beforeApply.push(() => service.post(`/${id}/withdraw`, 'carl'));
    const reply = await service.sign(id, 'dora');
    expect([reply.status, reply.code]).toEqual([409, 'state-conflict']);
    expect((await service.record(id)).state).toBe('withdrawn');
    expect(await service.source('HMT_OFSI')).toBeUndefined();
  });

  test('a resource that changes while the change is made makes it stale', async () => {
    const ask = { resource: 'sanctions_source:BCT_TN' };
    const id = await service.asked('carl', ask);
    const faster = await service.asked('carl', { ...ask, new_value: '0 0 7 ? * SUN' });
    service.beforeApply.push(() => service.sign(faster, 'aude'));
    const reply = await service.sign(id, 'dora');
    expect([reply.status, reply.code]).toEqual([409, 'state-conflict']);
    expect((await service.record(id)).state).toBe('stale');
    expect((await service.record(faster)).state).toBe('applied');
    expect((await service.source('BCT_TN'))?.cronFull).toBe('0 0 7 ? * SUN');
  });

  test('another change of the source that leaves the field alone is no hindrance', async () => {
    const ask = { resource: 'sanctions_source:OPEN_AGGREGATE' };
    const id = await service.asked('carl', ask);
    const other = await service.asked('carl', { ...ask, field: 'enabled', new_value: true });
    service.beforeApply.push(() => service.sign(other, 'aude'));
    expect((await service.sign(id, 'dora')).status).toBe(200);
    expect(await service.source('OPEN_AGGREGATE')).toMatchObject({
      cronFull: SUNDAYS,
      enabled: true,
    });
  });
});
