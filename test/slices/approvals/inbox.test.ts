/** What a caller sees of a tenant's requests: all of it, in whole pages, and nothing else. */
import { expect, test, vi } from 'vitest';
import type { Principal } from '#core/identity';
import { type ApprovalRequest, EXAMINED_MAX, type InboxAsk, readInbox } from '#slices/approvals';
import { approvalHouse, OTHER_TENANT, principalOf, requestOf, START, TENANT } from './requests.ts';

const CARL = principalOf('carl');
const DORA = principalOf('dora');
const AUDE = principalOf('aude');

/** Carl's and Dora's by turns; every third is decided. */
const REQUESTS = Array.from({ length: 900 }, (_, n) =>
  requestOf(n, {
    ...(n % 2 === 1 && { authorId: 'person-dora', signerRoles: ['compliance_officer'] }),
    ...(n % 5 === 0 && { resource: 'sanctions_schedule' }),
    ...(n % 3 === 0 && { state: 'rejected' }),
  }),
);
const { ports } = approvalHouse(...REQUESTS, requestOf(1, { tenantId: OTHER_TENANT }));

async function read(principal: Principal, filter: Partial<InboxAsk> = {}) {
  const found: ApprovalRequest[] = [];
  let after: InboxAsk['after'];
  for (;;) {
    const page = await readInbox(ports, {
      limit: 70,
      principal,
      tenantId: TENANT,
      ...filter,
      ...(after !== undefined && { after }),
    });
    found.push(...page.requests);
    if (page.next === undefined) return found.map(({ approvalId }) => approvalId);
    expect(page.requests).toHaveLength(70);
    after = page.next;
  }
}

const expected = (isAsked: (request: ApprovalRequest) => boolean): string[] =>
  REQUESTS.filter(isAsked)
    .map(({ approvalId }) => approvalId)
    .reverse();
const isOf = (name: string) => (request: ApprovalRequest) => request.authorId === `person-${name}`;

test('an author sees their own, a signer those of others, latest first', async () => {
  expect(await read(CARL)).toEqual(expected(() => true));
  expect(await read(AUDE)).toEqual(expected(isOf('carl')));
  expect(await read(CARL, { isMine: true })).toEqual(expected(isOf('carl')));
  expect(await read(CARL, { isMine: false })).toEqual(expected(isOf('dora')));
  expect(await read(DORA, { isMine: true })).toEqual(expected(isOf('dora')));
});

test('a page is whole, whatever its filters leave out', async () => {
  const isAsked = (request: ApprovalRequest) =>
    isOf('dora')(request) &&
    request.state === 'rejected' &&
    request.resource === 'sanctions_schedule';
  const filter = { resource: 'sanctions_schedule', state: 'rejected' } as const;
  expect(await read(DORA, { ...filter, isMine: true })).toEqual(expected(isAsked));
  expect(await read(DORA, { isMine: true, state: 'open' })).toEqual(
    expected((request) => isOf('dora')(request) && request.state === 'open'),
  );
});

test('who is no person sees what the roles of the key might sign', async () => {
  const key: Principal = { ...principalOf('key', 'auditor'), kind: 'api-key' };
  expect(await read(key)).toEqual(expected(isOf('carl')));
  expect(await read(key, { isMine: true })).toEqual([]);
});

test('a request whose time is over is shown as expired before the job was there', async () => {
  const house = approvalHouse(requestOf(1, { expiresAt: START }), requestOf(2));
  const ask = { limit: 10, principal: CARL, tenantId: TENANT };
  const open = await readInbox(house.ports, { ...ask, state: 'open' });
  const expired = await readInbox(house.ports, { ...ask, state: 'expired' });
  expect(open.requests.map(({ approvalId }) => approvalId)).toEqual(['approval-0002']);
  expect(expired.requests.map(({ approvalId }) => approvalId)).toEqual(['approval-0001']);
});

test('a request that was forged without what each has takes no other with it', async () => {
  const bad = [{ requestedAt: 9e15 }, { expiresAt: 9e15 }, { signerRoles: undefined }];
  const forged = bad.map((given, at) => requestOf(at, given as never));
  const house = approvalHouse(...forged, requestOf(7));
  const ask = { limit: 10, principal: AUDE, tenantId: TENANT };
  const { requests } = await readInbox(house.ports, ask);
  expect(requests.map(({ approvalId }) => approvalId)).toEqual(['approval-0007']);
});

test('who has no token left has a page that is short, and goes on behind it', async () => {
  const ask = { isMine: true, limit: 10, principal: AUDE, tenantId: TENANT };
  let asked = 0;
  const mayReadOn = async () => {
    asked += 1;
    return asked < 3;
  };
  const page = await readInbox(ports, { ...ask, isMine: false, mayReadOn, resource: 'none' });
  expect(page).toEqual({ requests: [] });
  const other = { ...ask, principal: principalOf('key', 'mlro') };
  const short = await readInbox(ports, { ...other, isMine: false, mayReadOn });
  expect(short.requests).toEqual([]);
  expect([asked, short.next?.approvalId]).toEqual([3, REQUESTS.at(-600)?.approvalId]);
});

test('a page that few records fit is short, and goes on behind what was looked at', async () => {
  const count = 2 * EXAMINED_MAX + 150;
  const of = (n: number) =>
    requestOf(n, {
      ...(n === 1 && { authorId: 'person-dora', signerRoles: ['compliance_officer'] }),
    });
  const house = approvalHouse(...Array.from({ length: count }, (_, n) => of(n)));
  const reads = vi.spyOn(house.ports.tables, 'page');
  const pages: number[] = [];
  let after: InboxAsk['after'];
  do {
    reads.mockClear();
    const ask = { isMine: false, limit: 10, principal: CARL, tenantId: TENANT } as const;
    const page = await readInbox(house.ports, { ...ask, ...(after !== undefined && { after }) });
    expect(reads.mock.calls.length).toBeLessThanOrEqual(EXAMINED_MAX / 200);
    pages.push(page.requests.length);
    after = page.next;
  } while (after !== undefined);
  expect(pages).toEqual([0, 0, 1]);
});
