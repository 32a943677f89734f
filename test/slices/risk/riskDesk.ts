/** Risk of a made-up tenant over a real store and the real evidence. */
import { createAuditLog, newKeyRing, signedEvents, verifiedEvent } from '#core/audit';
import { DataKeys } from '#core/blobs';
import type { Person, Principal, Role } from '#core/identity';
import { chainOf, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { sha256Hex, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import { customersOfAlerts, SignedAlerts } from '#slices/alerts';
import { type CasePorts, createCase, signedCases } from '#slices/customers';
import { type BacktestPorts, readOutcomes, riskInForce, signedRisk } from '#slices/risk';
import { subjectKeyOfRef } from '#slices/screening';
import { drawBacktest } from '../../../src/reports/index.ts';
import type { BrokenChain } from '../../../src/slices/policies/asks.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const CLI = { principal: { actor: 'cli:test', kind: 'cli' }, tenantId: TENANT } as const;
export const BY = { actor: 'key:test', tenantId: TENANT } as const;

export type RiskDesk = Awaited<ReturnType<typeof openRiskDesk>>;

const nobodyPays = async () => ({ isWhole: true, keys: new Set<string>() });
const ISSUER = 'https://issuer.test';
export const person = (id: string, ...roles: Role[]): Person => ({
  accounts: [{ issuer: ISSUER, subject: id }],
  id,
  keys: [],
  name: id,
  roles,
  tenantId: TENANT,
  version: 1,
});
/** A caller with an account of the identity provider. */
export const callerOf = (id: string, ...roles: Role[]): Principal => ({
  environment: 'live',
  id: `${ISSUER}|${id}`,
  kind: 'user',
  mfa: true,
  roles,
  tenantId: TENANT,
});

export async function openRiskDesk(persons: readonly Person[] = []) {
  const harness = await makeSqliteHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const { audit: store, tables } = storage;
  const signer = signerFromSeed(new Uint8Array(32).fill(44));
  const keyRing = newKeyRing(signer.publicKey);
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store,
  });
  const kept = new Map<string, Uint8Array>();
  const blobs = {
    get: async (address: string) => kept.get(address),
    put: async (bytes: Uint8Array | AsyncIterable<Uint8Array>) => {
      const whole = Buffer.from(bytes as Uint8Array);
      const address = sha256Hex(whole);
      kept.set(address, whole);
      return { address, bytes: whole.length };
    },
  };
  const dataKeys = new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables });
  const events = signedEvents({ audit: store, keyRing });
  const signed = signedRisk({ audit: store, clock, keyRing, tables });
  const cases = {
    dataKeys,
    random: systemRandom,
    signed: signedCases({ audit: store, keyRing, tables }),
    tables,
  };
  const alerts = new SignedAlerts({ audit: store, keyRing });
  const around: {
    reported: readonly { readonly at: EpochMs; readonly refs: readonly string[] }[];
  } = { reported: [] };
  const lock: { broken: BrokenChain | undefined } = { broken: undefined };
  const ports: BacktestPorts = {
    audit: store,
    blobs,
    clock,
    commit: audit.commit,
    drawBacktest,
    editingLock: async () => lock.broken,
    events,
    facts: {
      alerts,
      audit: store,
      cases,
      screened: { audit: store, clock, events },
    },
    inForce: riskInForce({ signed }),
    keyRing,
    listPersons: async () => persons,
    mayProcessEach: async ({ subjectRefs }) => subjectRefs.map(() => true),
    outcomes: readOutcomes({
      alerts,
      audit: store,
      customersOf: (found) =>
        // Screenings alone raise alerts here.
        customersOfAlerts(
          { audit: store, customersOfPayments: nobodyPays, events } as never,
          found,
        ),
      events,
      reported: async function* () {
        for (const { at, refs } of around.reported) {
          yield { at, keys: new Set(refs.map((ref) => subjectKeyOfRef(TENANT, ref))) };
        }
      },
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
    listPersons: async () => persons,
    riskOf: async () => undefined,
    wake: () => undefined,
  };
  return {
    alter: harness.alter,
    around,
    casePorts,
    clock,
    close: async () => {
      await audit.close();
      await storage.close();
      await harness.dispose();
    },
    /** As they were signed. */
    entries: async (action: string) => {
      const chainId = chainOf(TENANT);
      const found = await store.readEvents({ action, chainId, fromSeq: 1, limit: 1_000 });
      return found.map((event) => verifiedEvent(event, { chainId, keyRing }) ?? {});
    },
    kept,
    /** What the check of the chain says. */
    lock,
    /** A customer with a case. */
    newClient: (externalRef: string, subject: object = {}) =>
      createCase(casePorts, BY, {
        external_ref: externalRef,
        locale: 'fr-TN',
        subject: {
          country_residence: 'TN',
          dob: '1990-05-17',
          full_name: 'Amira Ben Salah',
          nationality: 'TN',
          ...subject,
        },
        subject_type: 'individual',
        workflow_code: 'individual_standard',
      }),
    ports,
    store,
    tables,
  };
}
