/** A level that a person gives a client: with a reason, an end, and a second person to lower it. */
import { afterEach, describe, expect, test } from 'vitest';
import { approvalMessage, verifyApproval } from '#core/identity';
import { toTimestamp } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { patchCase } from '#slices/customers';
import {
  compilePolicy,
  contentHash,
  endOverride,
  endOverrides,
  evaluateClient,
  type Level,
  overrideClient,
  overrideSubject,
  requireEvaluation,
} from '#slices/risk';
import { riskOfCase } from '../../../src/slices/risk/edge/answers.ts';
import { presentClient } from '../../../src/slices/risk/edge/presentation.ts';
import { OVERRIDE_ROLE_PAIR } from '../../../src/slices/risk/roles.ts';
import { BY, callerOf, openRiskDesk, person, type RiskDesk, TENANT } from './riskDesk.ts';

const REASON = 'Adverse press about the owner in the regional papers, not yet on any list';
const DAY_MS = 86_400_000;
const SEED = new Uint8Array(32).fill(9);
const carl = person('carl', 'compliance_officer');
const mila = {
  ...person('mila', 'mlro'),
  keys: [
    {
      keyId: 'key-mila',
      publicKey: Buffer.from(signerFromSeed(SEED).publicKey.raw).toString('base64'),
      validFrom: 0 as never,
    },
  ],
};

let desk: RiskDesk;
afterEach(() => desk.close());

/** A client of this country, evaluated. */
async function client(country: string) {
  desk = await openRiskDesk([carl, mila]);
  const { caseId } = await desk.newClient('client-1', { country_residence: country });
  const made = await evaluateClient(desk.ports, { ...BY, caseId, isAsked: true });
  const { clientId, level } = made.client;
  return { caseId, clientId, level };
}

const ask = (clientId: string) => ({
  clientId,
  principal: callerOf('carl', 'compliance_officer'),
  tenantId: TENANT,
});
const wanted = (level: Level, days = 30) => ({
  level,
  reason: REASON,
  until: (desk.clock.now() + days * DAY_MS) as never,
});

/** Mila signs what lowers. */
function signed(clientId: string, given: ReturnType<typeof wanted>) {
  const now = desk.clock.now();
  const timestamp = toTimestamp(now);
  const subject = overrideSubject(clientId, given);
  const message = approvalMessage(subject, { approver: 'mila', author: 'carl', timestamp });
  const signature = Buffer.from(signerFromSeed(SEED).sign(message)).toString('base64');
  const of = { approver: mila, author: carl, now, rolePair: OVERRIDE_ROLE_PAIR };
  return {
    approval: verifyApproval({ ...of, signature, subject, tenantId: TENANT, timestamp }),
    reason: REASON,
  };
}

describe('a level that raises', () => {
  test('counts for the client, their evaluations and their cases until its end', async () => {
    const { caseId, clientId, level } = await client('FR');
    expect(level).toBe('STANDARD');
    const { ports } = desk;
    const { client: raised, evaluation } = await overrideClient(
      ports,
      ask(clientId),
      wanted('HIGH'),
    );
    expect(raised).toMatchObject({ evaluatedLevel: 'STANDARD', level: 'HIGH' });
    expect(evaluation.members).toMatchObject({
      client_level: 'HIGH',
      level: 'STANDARD',
      manual: { by: 'person:carl', level: 'HIGH' },
    });
    expect(await desk.entries('risk.client.overridden')).toMatchObject([
      { details: { reason: REASON }, level: 'HIGH' },
    ]);
    const askRisk = riskOfCase({ once: () => ports } as never);
    const told = await askRisk({ caseId, screening: undefined, tenantId: TENANT } as never);
    expect(told).toMatchObject({ level: 'HIGH', tier: 'high' });
    desk.clock.advance(31 * DAY_MS);
    // Over by the clock, before any worker has looked.
    expect(presentClient(raised, desk.clock.now())).toMatchObject({
      level: 'STANDARD',
      manual: null,
    });
    expect(await Promise.all([endOverrides(ports), endOverrides(ports)])).toContain(1);
    const after = await ports.signed.findClient({ clientId, tenantId: TENANT });
    expect(after).toMatchObject({ level: 'STANDARD' });
    expect(after?.manual).toBeUndefined();
    expect(await desk.entries('risk.client.override_ended')).toMatchObject([{ because: 'time' }]);
    const evaluationId = after?.evaluationId ?? '';
    const { members } = await requireEvaluation(ports, { evaluationId, tenantId: TENANT });
    expect(members).toMatchObject({
      client_level: 'STANDARD',
      manual: null,
      previous_level: 'HIGH',
    });
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('is refused without an end ahead, and by who may not', async () => {
    const { clientId } = await client('FR');
    const { ports } = desk;
    for (const days of [-1, 400]) {
      await expect(
        overrideClient(ports, ask(clientId), wanted('HIGH', days)),
      ).rejects.toMatchObject({ code: 'body-invalid', violations: [{ pointer: '/until' }] });
    }
    const stranger = { ...ask(clientId), principal: callerOf('nemo', 'mlro') };
    await expect(overrideClient(ports, stranger, wanted('HIGH'))).rejects.toMatchObject({
      code: 'person-required',
    });
  });
});

describe('a level that lowers', () => {
  test('needs a second person, whose signature counts once', async () => {
    const { clientId, level } = await client('FR');
    expect(level).toBe('STANDARD');
    const { ports } = desk;
    const low = wanted('LOW');
    await expect(overrideClient(ports, ask(clientId), low)).rejects.toMatchObject({
      code: 'dual-control-header-missing',
    });
    const by = signed(clientId, low);
    const { client: lowered } = await overrideClient(ports, ask(clientId), low, by);
    expect(lowered).toMatchObject({ level: 'LOW', manual: { confirmedBy: 'person:mila' } });
    await expect(overrideClient(ports, ask(clientId), low, by)).rejects.toMatchObject({
      code: 'dual-control-replayed',
    });
    // It raises the client to what the policy says: one person ends it.
    const ended = await endOverride(ports, { ...ask(clientId), reason: REASON });
    expect(ended.client.level).toBe('STANDARD');
    expect(await desk.entries('risk.client.override_ended')).toMatchObject([{ because: 'person' }]);
    await overrideClient(ports, ask(clientId), wanted('HIGH'));
    await expect(endOverride(ports, { ...ask(clientId), reason: REASON })).rejects.toMatchObject({
      code: 'override-forbidden',
    });
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('ends where the policy comes to a higher one, and is never below what fired', async () => {
    const { caseId, clientId } = await client('FR');
    const { ports } = desk;
    const low = wanted('LOW');
    await overrideClient(ports, ask(clientId), low, signed(clientId, low));
    desk.clock.advance(1);
    await patchCase(
      desk.casePorts,
      { ...BY, caseId },
      { subject: { country_residence: 'KP' } },
      { source: 'api' },
    );
    const { client: outrun } = await evaluateClient(ports, { ...BY, caseId, isAsked: false });
    expect(outrun).toMatchObject({ evaluatedLevel: 'HIGH', level: 'HIGH' });
    expect(await desk.entries('risk.client.override_ended')).toMatchObject([{ because: 'outrun' }]);
    const again = wanted('STANDARD');
    await expect(
      overrideClient(ports, ask(clientId), again, signed(clientId, again)),
    ).rejects.toMatchObject({ code: 'override-forbidden' });
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });

  test('is asked of the evaluation that is signed, not of the one before', async () => {
    const { clientId, level } = await client('FR');
    expect(level).toBe('STANDARD');
    const { ports } = desk;
    await overrideClient(ports, ask(clientId), wanted('STANDARD'));
    // Nobody has evaluated the client since the policy changed.
    const stricter = await withThresholds({ high: 10, standard: 5 });
    const same = wanted('STANDARD');
    await expect(overrideClient(stricter, ask(clientId), same)).rejects.toMatchObject({
      code: 'dual-control-header-missing',
    });
    const milder = await withThresholds({ high: 99, standard: 98 });
    await expect(endOverride(milder, { ...ask(clientId), reason: REASON })).rejects.toMatchObject({
      code: 'override-forbidden',
    });
    expect(await ports.signed.findClient({ clientId, tenantId: TENANT })).toMatchObject({
      level: 'STANDARD',
      version: 2,
    });
    const by = signed(clientId, same);
    const { client: lowered } = await overrideClient(stricter, ask(clientId), same, by);
    expect(lowered).toMatchObject({ evaluatedLevel: 'HIGH', level: 'STANDARD' });
    expect(await ports.signed.check(TENANT)).toEqual([]);
  });
});

/** The desk once a policy of these thresholds is in force. */
async function withThresholds(thresholds: { readonly high: number; readonly standard: number }) {
  const before = await desk.ports.inForce.of(TENANT);
  const content = {
    ...before.content,
    thresholds: { ...before.content.thresholds, ...thresholds },
  };
  const inUse = {
    ...before,
    content,
    contentHash: contentHash(content),
    evaluate: compilePolicy(content),
  };
  return { ...desk.ports, inForce: { of: async () => inUse } };
}
