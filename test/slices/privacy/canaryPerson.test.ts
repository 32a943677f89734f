/**
 * The canary person (customers.md P1, P3): a marked value in what slices hold of a customer. He is
 * given all that is his to know and nothing else; once he is erased none is in any file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import type { Holding } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { createCase, recordConsent } from '#slices/customers';
import { recordFacts } from '#slices/monitoring';
import { askForHold, changeFlags, subjectOf } from '#slices/privacy';
import { TABLES } from '../../../src/app/tables.ts';
import { casePortsOf } from '../../../src/slices/customers/edge/parts.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { transactionOf } from '../monitoring/ledger.ts';
import { CANARIES, membersOfCustomers } from './canaries.ts';
import { erasureDesk } from './erasureDesk.ts';

describe('members of tables that are about customers', () => {
  test('each have a canary, and none is left of what is declared no more', () => {
    expect(Object.keys(CANARIES).sort()).toEqual([...membersOfCustomers(TABLES)].sort());
  });

  test('those that another test plants have it', () => {
    const paths = Object.values(CANARIES).map(({ by }) => by);
    const lost = paths.filter((by) => by.startsWith('test/') && !existsSync(by));
    expect(lost).toEqual([]);
  });
});

/** Marked values that this test plants. */
const WORDS = Object.entries(CANARIES).filter(([, { by }]) => !/^(?:ref|test\/.*)$/.test(by));
const SCREENED = 'Canaryscreened';
const DAY_MS = 86_400_000;

describe.skipIf(!hasRedis)('the canary person', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let desk: ReturnType<typeof erasureDesk>;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox', { 'privacy.retention_years': 0 });
    desk = erasureDesk(gateway, tenantId);
  });
  afterAll(() => gateway?.close());

  /** In every store that takes him by a call, and by the rules of those that have no other way. */
  async function plant(ref: string, mark = ''): Promise<void> {
    const agent = await gateway.caller(tenantId, 'agent_l1', 'agent_l2', 'admin', 'developer');
    const screened = await agent.screen({ name: `Amira ${SCREENED}${mark}`, subject_ref: ref });
    expect(screened.status, screened.text).toBe(200);
    const subjects = [{ external_id: ref, full_name: `Amira Canarywatched${mark}` }];
    const watched = await agent.post('/v1/sanctions/monitored-subjects', { subjects });
    expect(watched.status, watched.text).toBe(200);
    await changeFlags(desk.ports, {
      by: desk.person('clerk'),
      opposed: true,
      reason: `Canaryflag${mark} of a letter of 12 January`,
      subjectRef: ref,
    });
    const { caseId } = await createCase(
      casePortsOf(gateway.process),
      { actor: 'key:test', tenantId },
      {
        external_ref: ref,
        locale: 'fr-TN',
        subject: { full_name: `Amira Canarycase${mark}` },
        subject_type: 'individual',
        workflow_code: 'individual_standard',
      },
    );
    await recordConsent(
      casePortsOf(gateway.process),
      { actor: 'key:test', caseId, tenantId },
      {
        given: true,
        locale: 'fr-TN',
        method: 'paper',
        purpose: 'marketing',
        textVersion: 'canary-consent-v7',
      },
    );
    const { precision: _, ...payment } = transactionOf(1, {
      account_id: `A-${ref}`,
      customer_id: ref,
      debtor: { name: `Amira Canarypayer${mark}` },
      tx_id: `T-${ref}`,
    });
    const taken = await agent.post('/v1/aml/transactions/ingest?format=json_service', {
      transactions: [payment],
    });
    expect(taken.status, taken.text).toBe(202);
  }

  test('is given what is his to know, and nothing else', async () => {
    const ref = 'canary-given';
    await plant(ref);
    await recordFacts(
      { ...gateway.process, tables: gateway.process.storage.tables },
      {
        actor: 'key:test',
        facts: [
          {
            customerId: ref,
            expectedTurnover: { amount: '77123.45', currency: 'EUR' },
            openedAt: '2019-07-13',
            residence: 'LU',
            riskTier: 'very_high',
            validFrom: 0 as EpochMs,
          },
        ],
        tenantId,
      },
    );
    await askForHold(desk.ports, {
      by: desk.person('director'),
      reason: 'Canaryhold by an order of the court',
      subjectRef: ref,
      until: (Date.now() + DAY_MS) as EpochMs,
    });
    await desk.planned(ref);
    const subject = await subjectOf(await desk.ports.holdings(), { subjectRef: ref, tenantId });
    let given = '';
    for (const { files } of await desk.ports.holdings()) {
      for await (const { content } of files(subject)) given += JSON.stringify(content);
    }
    expect(given.toLowerCase()).toContain(SCREENED.toLowerCase());
    // The note and contact of this request are those of the desk.
    const words = new Map([
      ['privacy_request.note', `${ref} has asked by telephone`],
      ['privacy_request.requester', `${ref}@example.org`],
    ]);
    for (const [member, { by, given: isGiven }] of WORDS) {
      const isIn = given.includes(words.get(member) ?? by);
      expect([member, isIn]).toEqual([member, isGiven === true]);
    }
  }, 60_000);

  test('is told of nothing by which he would learn of a suspicion', async () => {
    const untold = erasureDesk(gateway, tenantId);
    const holdings = await untold.ports.holdings();
    const until = (untold.ports.clock.now() + DAY_MS) as EpochMs;
    const row = { action: 'keep', isUntold: true, rows: 1, until, why: 'legal_duty' } as const;
    const suspicion: Holding = {
      erasure: { erase: async () => undefined, plan: async () => [row] },
      async *files() {},
      store: 'suspicion',
    };
    Object.assign(untold.ports, { holdings: async () => [...holdings, suspicion] });
    const request = await untold.planned('canary-untold');
    expect(JSON.stringify(request)).not.toContain('suspicion');
    await untold.approved(request);
    const done = await untold.carryOut(request);
    expect([done.status, done.erasure?.keptUntil]).toEqual(['completed', undefined]);
    // The work goes on at the end of what nobody was told of.
    expect(await untold.work(request)).toMatchObject({ state: 'kept' });
  });

  test('is in no file once he is erased', async () => {
    const ref = 'canary-erased';
    await plant(ref, 'gone');
    const { dataDir } = gateway.installation.config;
    expect(filesWith(dataDir, `${SCREENED}gone`.toLowerCase())).not.toEqual([]);
    const request = await desk.planned(ref);
    const stores = new Set(request.plan?.rows.map(({ store }) => store));
    expect(stores).toContain('transaction_log');
    await desk.approved(request);
    await desk.carryOut(request);
    // Answers that are kept under an Idempotency-Key go a day later.
    await gateway.process.storage.audit.purgeIdempotency((Date.now() + DAY_MS) as EpochMs);
    for (const { path } of filesIn(dataDir)) if (path.endsWith('.sqlite')) emptyLog(path);
    // The reference itself stands in hashed parts of entries (docs/decisions/0099).
    const words = [SCREENED, 'Canarywatched', 'Canaryflag', 'Canarycase', 'Canarypayer'];
    const left = words.map((word) => [word, filesWith(dataDir, `${word}gone`.toLowerCase())]);
    expect(left).toEqual(words.map((word) => [word, []]));
  }, 60_000);
});

/** What is not in the file itself any more is not in its log either. */
function emptyLog(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ path: join(entry.parentPath, entry.name) }));

/** Files that have the text in any case; it is given in small letters. */
const filesWith = (folder: string, text: string): readonly string[] =>
  filesIn(folder)
    .filter(({ path }) => readFileSync(path, 'latin1').toLowerCase().includes(text))
    .map(({ path }) => path);
