/** Signatures that must not count, and records that were changed past the service. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { identityStore, type Tenant } from '#core/identity';
import { chainOf, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type ApprovalRequest, approvalTable, OPEN_REQUESTS_MAX } from '#slices/approvals';
import { checkApprovals } from '../../../src/slices/approvals/edge/stateChecks.ts';
import { TENANT } from '../../api/fakes.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { PEOPLE } from '../ingestion/edge/fixture.ts';
import { type ApprovalService, ASK, openApprovals, SUNDAYS } from './approvalService.ts';

const TENANT_RECORD = { id: TENANT } as Tenant;

let service: ApprovalService;
let dataDir: string;
beforeEach(async () => {
  service = await openApprovals(async () => {
    const harness = await makeSqliteHarness();
    ({ dataDir } = harness);
    return harness;
  });
});
afterEach(() => service.close());

const untouched = async () => expect(await service.source('UN_SC')).toBeUndefined();
const MINUTE_MS = 60_000;

describe('a signature', () => {
  const refused = async (id: string, as: string, body: object) => {
    const reply = await service.post(`/${id}/sign`, as, body);
    expect(reply.status, String(reply.raw.body)).toBe(403);
    await untouched();
    expect((await service.record(id)).state).toBe('open');
    return reply.code;
  };

  test('of the author under another account is one person twice', async () => {
    const id = await service.asked('carl');
    const body = await service.signature(id, 'carl');
    expect(await refused(id, 'carl-dsi', body)).toBe('dual-control-same-person');
    expect(await refused(id, 'carl', body)).toBe('dual-control-same-person');
  });

  test('is that of the caller, and of no other signer', async () => {
    const id = await service.asked('carl');
    const body = await service.signature(id, 'dora');
    expect(await refused(id, 'aude', body)).toBe('dual-control-signature-invalid');
    expect(await refused(id, 'adam', body)).toBe('dual-control-roles');
    expect(await refused(id, 'stranger', body)).toBe('person-required');
    expect(await refused(id, 'key-1', body)).toBe('person-required');
  });

  test('of another value, author or time is none of this request', async () => {
    const id = await service.asked('carl');
    const other = await service.signature(id, 'dora', { newValue: '0 0 3 ? * SUN' });
    const foreign = await service.signature(id, 'dora', { author: 'aude' });
    const mine = await service.signature(id, 'dora');
    const later = { ...mine, timestamp: new Date(service.now() + 1_000).toISOString() };
    for (const body of [other, foreign, later, { ...mine, signature: 'AAAA' }]) {
      expect(await refused(id, 'dora', body)).toBe('dual-control-signature-invalid');
    }
  });

  test.each([-301_000, 301_000])('made %i ms from now is too old or too early', async (ms) => {
    const id = await service.asked('carl');
    const body = await service.signature(id, 'dora', { at: service.now() + ms });
    expect(await refused(id, 'dora', body)).toBe('dual-control-expired');
  });

  test('with a key that was revoked in between counts no more', async () => {
    const id = await service.asked('carl');
    const body = await service.signature(id, 'dora');
    const keys = PEOPLE.dora.keys.map((key) => ({ ...key, revokedAt: service.now() as EpochMs }));
    await service.changePerson('dora', { keys });
    expect(await refused(id, 'dora', body)).toBe('dual-control-signature-invalid');
  });

  test.each(['carl', 'dora'] as const)('after %s lost the role counts no more', async (name) => {
    const id = await service.asked('carl');
    const body = await service.signature(id, 'dora');
    await service.changePerson(name, { roles: ['agent_l1'] });
    expect(await refused(id, 'dora', body)).toBe('dual-control-roles');
  });

  test('by a token without the role counts no more, whatever was registered', async () => {
    const id = await service.asked('carl');
    const body = await service.signature(id, 'dora');
    const roles = ['admin'] as const;
    const reply = await service.call(`/v1/approvals/${id}/sign`, {
      as: 'dora',
      body,
      method: 'POST',
      roles,
    });
    expect([reply.status, reply.code]).toEqual([403, 'dual-control-roles']);
    await untouched();
    const asked = await service.call('/v1/approvals', {
      as: 'carl',
      body: ASK,
      method: 'POST',
      roles: ['auditor'],
    });
    expect([asked.status, asked.code]).toEqual([403, 'dual-control-roles']);
  });

  test('counts once, for whatever request it would fit', async () => {
    const first = await service.asked('carl');
    const { oldValue } = await service.record(first);
    const body = await service.signature(first, 'dora');
    expect((await service.post(`/${first}/sign`, 'dora', body)).status).toBe(200);
    const back = await service.asked('carl', { new_value: oldValue });
    service.advance(1_000);
    expect((await service.sign(back, 'dora')).status).toBe(200);
    const second = await service.asked('carl');
    const replayed = await service.post(`/${second}/sign`, 'dora', body);
    expect([replayed.status, replayed.code]).toEqual([403, 'dual-control-replayed']);
    expect((await service.source('UN_SC'))?.cronFull).toBe(oldValue);
    expect((await service.record(second)).state).toBe('open');
    service.advance(MINUTE_MS);
    expect((await service.sign(second, 'dora')).status).toBe(200);
  });
});

describe('a record that was changed past the service', () => {
  const checked = () => {
    const { keyRing, storage } = service;
    const identity = { ...identityStore(storage.tables), listTenants: async () => [TENANT_RECORD] };
    return { identity, keyRing, storage };
  };
  const changes: readonly (readonly [string, Partial<ApprovalRequest>])[] = [
    ['another value', { newValue: '0 0 3 ? * SUN' }],
    ['another field', { field: 'cron_delta', newValue: null, oldValue: null }],
    ['another resource', { resource: 'sanctions_source:OFAC_SDN' }],
    ['another author', { authorId: PEOPLE.aude.id }],
    ['another base', { baseVersion: '0'.repeat(64) }],
    ['another old value', { oldValue: SUNDAYS }],
    ['a later end', { expiresAt: Date.UTC(2027, 0, 1) as number as EpochMs }],
    ['another reason', { reason: 'The minister asked for it' }],
    ['an entry that is not looked for', { afterSeq: 1_000_000 }],
  ];

  test.each(changes)('%s: what its approver signed is not applied', async (_, change) => {
    const id = await service.asked('carl');
    await service.alter(id, change);
    await expect(checkApprovals(checked())).rejects.toThrow(`approval ${id}`);
    const approver = change.authorId === undefined ? 'dora' : 'carl';
    const reply = await service.sign(id, approver);
    expect([reply.status, reply.code]).toEqual([409, 'approval-altered']);
    await untouched();
    expect(await service.source('OFAC_SDN')).toBeUndefined();
  });

  test('one that is as it was asked for is named by no check', async () => {
    await service.asked('carl');
    expect(await checkApprovals(checked())).toBe('1 requests wait as they were asked for');
  });

  test('a request that nobody asked for is not applied, whatever it is a copy of', async () => {
    const record = await service.record(await service.asked('carl'));
    const approvalId = '018f0000-0000-7000-8000-0000000000aa';
    await service.commit(approvalTable.insert({ ...record, approvalId }) as never);
    expect((await service.sign(approvalId, 'dora')).code).toBe('approval-altered');
    await untouched();
  });

  /** As the administrator of a database does it. */
  function openAgain(id: string): void {
    const file = join(dataDir, 'store', 'compliance.sqlite');
    const database = new DatabaseSync(file, { timeout: 10_000 });
    const text = 'SELECT document FROM approval WHERE approval_id = ?';
    const { document } = database.prepare(text).get(id) as { document: string };
    const { endedAt: _, endedBy: __, keyId: ___, comment: ____, ...open } = JSON.parse(document);
    database
      .prepare(
        `UPDATE approval SET document = ?, state = 'open', is_open = 1 WHERE approval_id = ?`,
      )
      .run(JSON.stringify({ ...open, state: 'open' }), id);
    database.close();
  }

  test.each(['sign', 'reject', 'withdraw'] as const)(
    'a request that ended by %s is not opened again',
    async (end) => {
      const id = await service.asked('carl');
      const { oldValue } = await service.record(id);
      const ends = {
        reject: () => service.post(`/${id}/reject`, 'dora', { comment: 'No' }),
        sign: () => service.sign(id, 'dora'),
        withdraw: () => service.post(`/${id}/withdraw`, 'carl'),
      };
      expect((await ends[end]()).status).toBe(200);
      if (end === 'sign') {
        const back = await service.asked('carl', { new_value: oldValue });
        expect((await service.sign(back, 'dora')).status).toBe(200);
      }
      openAgain(id);
      service.advance(1_000);
      expect(await service.record(id)).toMatchObject({ state: 'open' });
      const reply = await service.sign(id, 'dora');
      expect([reply.status, reply.code]).toEqual([409, 'approval-altered']);
    },
  );

  test('as it was, it is applied', async () => {
    const id = await service.asked('carl');
    await service.alter(id, { newValue: 'x' });
    await service.alter(id, { newValue: SUNDAYS });
    expect((await service.sign(id, 'dora')).status).toBe(200);
  });
});

test("another tenant's request is as unknown as one that does not exist", async () => {
  const record = await service.record(await service.asked('carl'));
  const theirs = '018f0000-0000-7000-8000-0000000000bb';
  const tenantId = '018f0000-0000-7000-8000-000000000009' as TenantId;
  await service.commit(approvalTable.insert({ ...record, approvalId: theirs, tenantId }) as never);
  const body = await service.signature(record.approvalId, 'dora');
  const answers = async (id: string) => {
    const replies = [
      await service.get(`/${id}`, 'dora'),
      await service.post(`/${id}/sign`, 'dora', body),
      await service.post(`/${id}/reject`, 'dora', { comment: 'No' }),
      await service.post(`/${id}/withdraw`, 'carl'),
    ];
    return replies.map((reply) => {
      const { instance: _, request_id: __, ...problem } = reply.json();
      return problem;
    });
  };
  const unknown = await answers('018f0000-0000-7000-8000-0000000000cc');
  expect(await answers(theirs)).toEqual(unknown);
  expect(unknown.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  const { data } = (await service.get('', 'dora')).json();
  expect(data).toHaveLength(1);
});

test('requests that wait have a limit', async () => {
  const record = await service.record(await service.asked('carl'));
  const more = Array.from({ length: OPEN_REQUESTS_MAX - 1 }, (_, n) =>
    approvalTable.insert({ ...record, approvalId: `copy-${n}` }),
  );
  await service.commit(...(more as never[]));
  const refused = await service.ask('carl');
  expect([refused.status, refused.code]).toEqual([409, 'state-conflict']);
  expect((await service.post(`/${record.approvalId}/withdraw`, 'carl')).status).toBe(200);
  expect((await service.ask('carl')).status).toBe(201);
});

test('a caller without one of the roles sees nothing', async () => {
  const id = await service.asked('carl', ASK);
  for (const reply of [await service.get('', 'omar'), await service.get(`/${id}`, 'omar')]) {
    expect(reply.code).toBe('role-insufficient');
  }
});

test('where too much has ended since the asking, the request is refused', async () => {
  const id = await service.asked('carl');
  const { audit } = service.storage;
  const { readEvents } = audit;
  const chainId = chainOf(TENANT);
  const [other] = await readEvents({ action: 'APPROVAL_REQUESTED', chainId, fromSeq: 1, limit: 1 });
  if (other === undefined) throw new Error('no entry');
  const reads = vi.spyOn(audit, 'readEvents').mockImplementation(async (page) => {
    if (page.action !== 'APPROVAL_APPLIED') return readEvents(page);
    return Array.from({ length: page.limit }, (_, n) => ({
      ...other,
      body: '{"target":"approval:another"}',
      seq: page.fromSeq + n,
    }));
  });
  const reply = await service.sign(id, 'dora');
  expect([reply.status, reply.code]).toEqual([409, 'state-conflict']);
  expect(reads.mock.calls.length).toBeLessThan(60);
  expect((await service.record(id)).state).toBe('open');
});
