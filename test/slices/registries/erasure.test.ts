/** What registries said for the cases of a customer who is erased. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeCase, createCase } from '#slices/customers';
import { subjectOf } from '#slices/privacy';
import {
  commitLookup,
  findLookup,
  openAnswer,
  prepareLookup,
  registryLookupTable,
} from '#slices/registries';
import companies from '../../../config/demo/companies.json' with { type: 'json' };
import { casePortsOf } from '../../../src/slices/customers/edge/parts.ts';
import { lookupPortsOf } from '../../../src/slices/registries/edge/parts.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { erasureDesk, YEAR_MS } from '../privacy/erasureDesk.ts';

const REF = 'company-1';
const COMPANY = companies.find(({ registered_office }) => registered_office.country === 'TN');

describe.skipIf(!hasRedis)('the erasure of lookups', () => {
  let gateway: RealGateway;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
  });
  afterAll(() => gateway?.close());

  async function lookedUp() {
    const tenantId = await gateway.tenant('sandbox', { 'privacy.retention_years': 10 });
    const by = { actor: 'key:test', tenantId } as const;
    const cases = casePortsOf(gateway.process);
    const { caseId } = await createCase(cases, by, {
      external_ref: REF,
      locale: 'fr-TN',
      subject: { legal_name: 'Olive' },
      subject_type: 'business',
      workflow_code: 'business_standard',
    });
    const ports = lookupPortsOf(gateway.process);
    const identifier = COMPANY?.identifier ?? '';
    const ask = { ...by, identifier, maxAgeHours: 0, registry: 'RNE_TN' } as const;
    const own = await prepareLookup(ports, { ...ask, caseId });
    const other = await prepareLookup(ports, ask);
    for (const one of [own, other]) await commitLookup(ports, one, () => undefined);
    const desk = erasureDesk(gateway, tenantId);
    const holding = (await desk.ports.holdings()).find(
      ({ store }) => store === registryLookupTable.name,
    );
    const subject = await subjectOf(await desk.ports.holdings(), { subjectRef: REF, tenantId });
    const given = async () => {
      const found: object[] = [];
      for await (const { content } of holding?.files(subject) ?? []) found.push(content);
      return found;
    };
    const readable = async (lookup: typeof own.lookup) => {
      const found = await findLookup(ports, lookup);
      return found && (await openAnswer(ports, found));
    };
    const decided = () =>
      changeCase(cases, { ...by, caseId }, () => ({
        change: { decidedAt: cases.clock.now(), standing: 'approved', status: 'approved' },
        entry: { action: 'kyc.case.decision_made' },
      }));
    return { decided, desk, given, other, own, readable };
  }

  const planOf = async (desk: ReturnType<typeof erasureDesk>) => {
    const request = await desk.planned(REF);
    const row = request.plan?.rows.find(({ store }) => store === registryLookupTable.name);
    await desk.approved(request);
    return { request, row };
  };

  test('without a duty nobody reads the answer again, and that of others stays', async () => {
    const { desk, given, other, own, readable } = await lookedUp();
    expect(await given()).toMatchObject([
      { company: { identifier: COMPANY?.identifier }, match: 'exact', registry: 'RNE_TN' },
    ]);
    const { request, row } = await planOf(desk);
    expect(row).toMatchObject({ action: 'delete', rows: 1, why: 'no_duty' });
    const dying = desk.carryOut(request, (point) => {
      if (point === registryLookupTable.name) throw new Error('the worker died');
    });
    await expect(dying).rejects.toThrow('the worker died');
    await desk.carryOut(request);
    expect(await readable(own.lookup)).toBeUndefined();
    expect(await findLookup(lookupPortsOf(gateway.process), own.lookup)).toEqual(own.lookup);
    expect(await readable(other.lookup)).toMatchObject({ match: 'exact' });
    expect(await given()).toEqual([]);
  });

  test('it stays while a law demands the file of a decided case, and goes then', async () => {
    const { decided, desk, own, readable } = await lookedUp();
    await decided();
    const { request, row } = await planOf(desk);
    expect(row).toMatchObject({ action: 'keep', rows: 1, why: 'legal_duty' });
    await desk.carryOut(request);
    expect(await readable(own.lookup)).toMatchObject({ match: 'exact' });
    desk.move(10.1 * YEAR_MS);
    await desk.carryOut(request);
    expect(await readable(own.lookup)).toBeUndefined();
  });
});
