/**
 * Risk of one tenant over a store in a folder, as a worker has it: policies, clients and their
 * signed evaluations, by facts that are drawn from a seed.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createAuditLog, entry, newKeyRing, signedEvents } from '#core/audit';
import { DataKeys } from '#core/blobs';
import { chainOf, type TenantId } from '#core/kernel';
import { type EpochMs, systemClock, toTimestamp } from '#platform/clock';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom, uuidV7 } from '#platform/random';
import { SignedAlerts } from '#slices/alerts';
import { type CasePorts, createCase, signedCases, subjectTable } from '#slices/customers';
import { mayProcessEachBy, signedPrivacy } from '#slices/privacy';
import {
  type BacktestPorts,
  compilePolicy,
  contentText,
  EVALUATOR_VERSION,
  FACTS_TEXT,
  readOutcomes,
  resultMembers,
  riskContentTable,
  riskInForce,
  SHIPPED,
  SHIPPED_HASH,
  SHIPPED_ID,
  SHIPPED_VERSION,
  signedRisk,
} from '#slices/risk';
import { TABLES } from '../src/app/tables.ts';
import { drawBacktest } from '../src/reports/index.ts';
import { openFolderBlobStore } from '../src/storage/blob/folder.ts';
import { openStorage } from '../src/storage/index.ts';
import { factsOf } from './riskFacts.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const BY_BENCH = {
  principal: { actor: 'cli:bench', kind: 'cli' },
  tenantId: TENANT,
} as const;
const TOGETHER = 400;
/** Commits under way at once. */
const WRITERS = 4;

/** Ports over the folder; each process has its own. */
export async function openRiskWorld(folder: string) {
  const clock = systemClock;
  const storage = await openStorage({ clock, dataDir: folder, tables: TABLES });
  const { audit: store, tables } = storage;
  const signer = signerFromSeed(createHash('sha256').update('bench').digest());
  const keyRing = newKeyRing(signer.publicKey);
  const audit = createAuditLog({
    clock,
    holder: `bench/${process.pid}`,
    random: systemRandom,
    signer,
    store,
  });
  const blobs = await openFolderBlobStore({ directory: join(folder, 'blobs') });
  const dataKeys = new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables });
  const events = signedEvents({ audit: store, keyRing });
  const signed = signedRisk({ audit: store, clock, keyRing, tables });
  const alerts = new SignedAlerts({ audit: store, keyRing });
  const cases = {
    dataKeys,
    random: systemRandom,
    signed: signedCases({ audit: store, keyRing, tables }),
    tables,
  };
  const ports: BacktestPorts = {
    audit: store,
    blobs,
    clock,
    commit: audit.commit,
    drawBacktest,
    editingLock: async () => undefined,
    events,
    facts: { alerts, audit: store, cases, screened: { audit: store, clock, events } },
    inForce: riskInForce({ signed }),
    keyRing,
    listPersons: async () => [],
    mayProcessEach: mayProcessEachBy(signedPrivacy({ audit: store, clock, keyRing, tables })),
    outcomes: readOutcomes({
      alerts,
      audit: store,
      customersOf: async () => [],
      events,
      reported: async function* () {},
      tables,
    }),
    random: systemRandom,
    settingsOf: async () => ({ publishesAll: false, shadowDays: 0, shadowEvaluations: 1 }),
    signed,
    signer,
    tables,
  };
  const casePorts: CasePorts = {
    ...cases,
    blobs,
    clock,
    commit: audit.commit,
    flagsOf: async () => ({ opposed: false, processing_restricted: false }),
    knowsForm: async () => false,
    listPersons: async () => [],
    riskOf: async () => undefined,
    wake: () => undefined,
  };
  return {
    close: async () => {
      await audit.close();
      await storage.close();
    },
    newClient: (externalRef: string) =>
      createCase(
        casePorts,
        { actor: 'key:bench', tenantId: TENANT },
        {
          external_ref: externalRef,
          locale: 'fr-TN',
          subject: { country_residence: 'TN', dob: '1990-05-17', full_name: 'Amira Ben Salah' },
          subject_type: 'individual',
          workflow_code: 'individual_standard',
        },
      ),
    ports,
    tables,
  };
}

export type RiskWorld = Awaited<ReturnType<typeof openRiskWorld>>;

/** Signed evaluations of so many clients, by the policy that ships. */
export async function withEvaluations({ ports }: RiskWorld, clients: number): Promise<void> {
  const evaluate = compilePolicy(SHIPPED);
  const put = await Promise.all(
    [contentText(SHIPPED), FACTS_TEXT].map((text) => ports.blobs.put(Buffer.from(text))),
  );
  const content = {
    blobs: put.map(({ address }) => address),
    contentHash: SHIPPED_HASH,
    tenantId: TENANT,
  };
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < clients) {
      const from = next;
      next = Math.min(clients, from + TOGETHER);
      const all = Array.from({ length: next - from }, (_, at) =>
        evaluatedOf(ports, evaluate, from + at),
      );
      await ports.commit(chainOf(TENANT), {
        bus: [],
        changes: [
          ...(from === 0 ? [riskContentTable.insert(content)] : []),
          ...all.map(({ subject }) => subjectTable.insert(subject)),
        ],
        events: all.map(({ event }) => event),
      });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

function evaluatedOf(
  ports: Pick<BacktestPorts, 'clock' | 'random'>,
  evaluate: ReturnType<typeof compilePolicy>,
  n: number,
) {
  const facts = factsOf(n);
  const now = ports.clock.now();
  const subjectId = uuidV7(now, ports.random);
  const result = evaluate(facts);
  const draft = entry(ports, {
    action: 'risk.evaluated',
    actor: 'system:risk',
    at: now,
    open: { facts, given: {} } as never,
    target: `risk-client:${subjectId}`,
  });
  const members = {
    ...resultMembers(result),
    case_id: subjectId,
    client_id: subjectId,
    client_level: result.level,
    evaluation_id: draft.eventId,
    evaluator_version: EVALUATOR_VERSION,
    manual: null,
    next_review_at: toTimestamp(now),
    policy_hash: SHIPPED_HASH,
    policy_id: SHIPPED_ID,
    policy_version: SHIPPED_VERSION,
    previous_level: null,
    record_digest: 'd'.repeat(64),
    screening: null,
    tables: SHIPPED.tables,
  };
  return {
    event: { ...draft, members: { ...draft.members, ...(members as never as object) } } as never,
    subject: {
      createdAt: now as EpochMs,
      externalRef: `client-${n}`,
      subjectId,
      tenantId: TENANT,
      version: 1,
    },
  };
}
