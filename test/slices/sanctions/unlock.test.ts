/** A broken chain acknowledged by two persons, over sockets: who may, when, and what it lifts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { approvalMessage, identityStore, type Role } from '#core/identity';
import { chainOf, type ScreeningId, type TenantId } from '#core/kernel';
import { signerFromSeed } from '#platform/crypto';
import { ChainWalks, tellBreak } from '#slices/sanctions';
import { chainBreaksOf, sanctionsPartsOf } from '../../../src/slices/sanctions/edge/parts.ts';
import { createAdministration } from '../../../src/slices/tenants/administration.ts';
import { TECHNOLOGIES } from '../../api/http/adapters.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { sign, startIssuer, type TestKey, testKey } from '../../core/identity/issuer.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { alterEvent } from './alterEvent.ts';

const AUDIENCE = 'api';
const ACTOR = 'cli:test' as const;
const SEEDS: Readonly<Record<string, number>> = { aude: 3, carl: 1, dora: 2, emil: 4 };
const ROLES: Readonly<Record<string, Role>> = {
  aude: 'auditor',
  carl: 'compliance_officer',
  dora: 'dsi_admin',
  emil: 'compliance_director',
};
const STATEMENT = 'A disk fault has altered this event; no backup has it.';
const signerOf = (name: string) => signerFromSeed(new Uint8Array(32).fill(SEEDS[name] ?? 0));

type Issuer = Awaited<ReturnType<typeof startIssuer>>;

const oidcOf = ({ jwksUrl, url }: Issuer) => ({
  OIDC_AUDIENCE: AUDIENCE,
  OIDC_ISSUER: url,
  OIDC_JWKS_URL: jwksUrl,
});

let key: TestKey;
let issuer: Issuer;
let gateway: RealGateway;
const ids: Record<string, string> = {};
let tenantId: TenantId;

beforeAll(async () => {
  if (!hasRedis) return;
  key = await testKey('es');
  issuer = await startIssuer([key]);
  gateway = await openRealGateway('node:http', undefined, oidcOf(issuer));
  tenantId = await gateway.tenant('sandbox');
  for (const name of Object.keys(SEEDS)) await register(name);
});
afterAll(async () => {
  await gateway?.close();
  await issuer?.close();
});

async function register(name: string): Promise<void> {
  const { installation } = gateway;
  const store = identityStore(installation.storage.tables);
  const { persons } = createAdministration({ ...installation, store });
  const accounts = [{ issuer: issuer.url, subject: name }];
  const roles = [ROLES[name] ?? 'admin'];
  const person = await persons.add({ accounts, actor: ACTOR, name, roles, tenantId });
  ids[name] = person.id;
  const publicKey = Buffer.from(signerOf(name).publicKey.raw).toString('base64');
  await persons.addKey({ actor: ACTOR, personId: person.id, publicKey, tenantId });
}

async function tokenOf(name: string): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return sign(key, {
    amr: ['pwd', 'otp'],
    aud: AUDIENCE,
    exp: now + 300,
    iat: now,
    iss: issuer.url,
    roles: [ROLES[name]],
    sub: name,
    tenant_id: tenantId,
  });
}

/** Somebody begins to change the policy. */
async function draftPolicy({ origin } = gateway) {
  const response = await fetch(`${origin}/v1/sanctions/policies/1/draft`, {
    body: '{}',
    headers: {
      Authorization: `Bearer ${await tokenOf('carl')}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    method: 'POST',
  });
  const { code, status } = (await response.json()) as Record<string, unknown>;
  return [response.status, code ?? status];
}

async function acknowledge(
  broken: { readonly alertId: string; readonly seq: number },
  of: {
    readonly author: string;
    readonly approver: string;
    readonly resolution?: string;
    readonly statement?: string;
    readonly signed?: string;
  },
) {
  const { approver, author, resolution = 'accepted', statement = STATEMENT } = of;
  const token = await tokenOf(author);
  const timestamp = new Date().toISOString();
  const bytes = approvalMessage(
    {
      field: 'acknowledge',
      newValue: { resolution: of.signed ?? resolution, statement },
      resource: `audit_chain:${tenantId}:${broken.seq}`,
    },
    { approver: ids[approver] ?? '', author: ids[author] ?? '', timestamp },
  );
  const response = await fetch(
    `${gateway.origin}/v1/sanctions/alerts/${broken.alertId}/acknowledge`,
    {
      body: JSON.stringify({ approval_reason: 'Agreed in the call', resolution, statement }),
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID(),
        'X-Approval-Signature': Buffer.from(signerOf(approver).sign(bytes)).toString('base64'),
        'X-Approval-Timestamp': timestamp,
        'X-Approval-User-Id': ids[approver] ?? '',
        'X-User-Id': ids[author] ?? '',
      },
      method: 'POST',
    },
  );
  const { code, resolution: said } = (await response.json()) as Record<string, unknown>;
  return [response.status, code ?? said];
}

/** An event that is not what was signed, and told. */
async function brokenEvent() {
  const caller = await gateway.caller(tenantId, 'agent_l2');
  const answer = await caller.screen({ name: 'Nobody Atall' });
  const chainId = chainOf(tenantId);
  const id = answer.json<{ screening_id: string }>().screening_id as ScreeningId;
  const event = await gateway.installation.storage.audit.findByScreening(chainId, id);
  const seq = event?.seq ?? 0;
  const { dataDir } = gateway.installation.config;
  const alter = (from: string, to: string) => alterEvent(dataDir, { chainId, from, seq, to });
  alter('"policy_version":', '"policy_versioo":');
  await caller.get('/v1/sanctions/screenings?limit=1');
  const standing = (await breaks().of(chainId)).find((one) => one.seq === seq);
  return {
    broken: { alertId: standing?.alertId ?? '', seq },
    chainId,
    restore: () => alter('"policy_versioo":', '"policy_version":'),
  };
}

const breaks = () => gateway.process.once(chainBreaksOf);

test.skipIf(!hasRedis)('compliance and DSI lift it together, and nobody else', async () => {
  const { broken, chainId } = await brokenEvent();
  expect(await draftPolicy()).toEqual([423, 'audit-chain-broken']);
  expect(await breaks().standing(chainId)).toMatchObject(broken);
  const by = (author: string, approver: string, more = {}) =>
    acknowledge(broken, { approver, author, ...more });
  expect(await by('carl', 'carl')).toEqual([403, 'dual-control-same-person']);
  expect(await by('carl', 'emil')).toEqual([403, 'dual-control-roles']);
  expect(await by('carl', 'aude')).toEqual([403, 'dual-control-roles']);
  expect(await by('aude', 'carl')).toEqual([403, 'role-insufficient']);
  expect(await by('carl', 'dora', { signed: 'restored' })).toEqual([
    403,
    'dual-control-signature-invalid',
  ]);
  expect(await by('carl', 'dora', { statement: 'short' })).toEqual([400, 'body-invalid']);
  expect(await by('carl', 'dora', { resolution: 'forgotten' })).toEqual([400, 'body-invalid']);
  // No walk has verified the chain since.
  expect(await by('carl', 'dora', { resolution: 'restored' })).toEqual([409, 'state-conflict']);
  const unknown = { ...broken, alertId: crypto.randomUUID() };
  const ofUnknown = await acknowledge(unknown, { approver: 'dora', author: 'carl' });
  expect(ofUnknown).toEqual([404, 'alert-unknown']);
  expect(await breaks().standing(chainId)).toMatchObject(broken);
  expect(await by('dora', 'emil')).toEqual([200, 'accepted']);
  expect(await by('carl', 'dora')).toEqual([409, 'state-conflict']);
  expect(await draftPolicy()).toEqual([201, 'DRAFT']);
  expect(await breaks().standing(chainId)).toBeUndefined();
  // What two persons have accepted is not told again.
  const parts = sanctionsPartsOf(gateway.process);
  const { seq } = broken;
  expect(await tellBreak(parts, { chainId, seq }, { reason: 'hash-mismatch' })).toBe(false);
  const caller = await gateway.caller(tenantId, 'agent_l2');
  const list = (await caller.get('/v1/sanctions/screenings')).json<{ chain: object }>();
  expect(list.chain).toMatchObject({ acknowledged: true, status: 'broken' });
});

test.skipIf(!hasRedis)('what one of three gateways finds locks all of them at once', async () => {
  tenantId = await gateway.tenant('sandbox');
  for (const name of Object.keys(SEEDS)) await register(name);
  const others = [
    await openRealGateway('node:http', gateway, oidcOf(issuer)),
    await openRealGateway(TECHNOLOGIES.at(-1) ?? 'node:http', gateway, oidcOf(issuer)),
  ];
  try {
    // Each has looked at how the chain stands before.
    for (const [at, one] of [...others, gateway].entries()) {
      const answer = at === 0 ? [201, 'DRAFT'] : [409, 'state-conflict'];
      expect(await draftPolicy(one)).toEqual(answer);
    }
    const { broken } = await brokenEvent();
    for (const one of [gateway, ...others]) {
      expect(await draftPolicy(one)).toEqual([423, 'audit-chain-broken']);
    }
    const pair = { approver: 'dora', author: 'carl' };
    expect(await acknowledge(broken, pair)).toEqual([200, 'accepted']);
    for (const one of others) expect(await draftPolicy(one)).toEqual([409, 'state-conflict']);
  } finally {
    for (const one of others) await one.close();
  }
});

test.skipIf(!hasRedis)(
  'what is restored is verified first, and told again if it breaks',
  async () => {
    tenantId = await gateway.tenant('sandbox');
    for (const name of Object.keys(SEEDS)) await register(name);
    const { broken, chainId, restore } = await brokenEvent();
    const { clock, storage } = gateway.installation;
    const parts = sanctionsPartsOf(gateway.process);
    let aheadMs = 0;
    const later = { ...clock, now: () => (clock.now() + aheadMs) as never };
    const of = { ...parts, audit: storage.audit, clock: later, holder: 'test' };
    const walks = new ChainWalks(of);
    const pair = { approver: 'dora', author: 'carl', resolution: 'restored' };
    aheadMs += 1_000;
    await walks.walk(chainId);
    expect(await acknowledge(broken, pair)).toEqual([409, 'state-conflict']);
    restore();
    // One that is broken is walked again after a minute.
    aheadMs += 61_000;
    await walks.walk(chainId);
    expect(await acknowledge(broken, pair)).toEqual([200, 'restored']);
    expect(await breaks().standing(chainId)).toBeUndefined();
    const { seq } = broken;
    expect(await tellBreak(parts, { chainId, seq }, { reason: 'hash-mismatch' })).toBe(true);
    expect(await breaks().standing(chainId)).toMatchObject(broken);
  },
);
