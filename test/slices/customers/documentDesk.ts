/** Cases of a made-up tenant over a real store, the real evidence, and documents that are read. */
import { createAuditLog, newKeyRing, verifiedEvent } from '#core/audit';
import { DataKeys } from '#core/blobs';
import { chainOf, type TenantId } from '#core/kernel';
import { Hold } from '#core/work';
import { sha256Hex, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import {
  addDocument,
  type CaseTask,
  type CreateCase,
  createCase,
  type DocumentKind,
  type KycSettings,
  type ReadingPorts,
  RecentViews,
  recordConsent,
  signedCases,
  type TaskHold,
  taskTable,
  type UploaderSays,
} from '#slices/customers';
import { inspectMedia, openRecogniser, type ScanResult } from '#slices/recognition';
import { compareNames } from '../../../src/app/adapters/compareNames.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { pageWithZone } from '../recognition/documentPages.ts';
import { type MadeMrz, makeMrz, seeded } from '../recognition/mrzLines.ts';

const TIMES = { leaseMs: 20_000, renewMs: 5_000 };
const CONSENT = {
  given: true,
  locale: 'fr-TN',
  method: 'checkbox',
  purpose: 'identity_verification',
  textVersion: '2026-01',
} as const;

/** A holder, and a passport of theirs with a text of its own. */
export const HOLDER: MadeMrz = makeMrz('TD3', seeded(7));
export const passportOf = (holder: MadeMrz = HOLDER): Promise<Buffer> => pageWithZone(holder.lines);
const COUNTRIES: Readonly<Record<string, string>> = {
  DZA: 'DZ',
  ESP: 'ES',
  FRA: 'FR',
  GBR: 'GB',
  ITA: 'IT',
  MAR: 'MA',
  NGA: 'NG',
  SWE: 'SE',
  TUN: 'TN',
  USA: 'US',
};

export const caseOf = (holder: MadeMrz = HOLDER, externalRef = 'client-1'): CreateCase => ({
  external_ref: externalRef,
  locale: 'fr-TN',
  subject: {
    dob: holder.dob,
    full_name: `${holder.givenNames} ${holder.surname}`,
    national_id: holder.number,
    nationality: COUNTRIES[holder.nationality] ?? '',
  },
  subject_type: 'individual',
  workflow_code: 'individual_standard',
});

const newTenant = () => ({ actor: 'key:test', tenantId: crypto.randomUUID() as TenantId }) as const;

/** One store for a file: each test begins with a tenant of its own. */
export async function openCaseDesk() {
  const harness = await makeSqliteHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const { tables } = storage;
  const signer = signerFromSeed(new Uint8Array(32).fill(9));
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store: storage.audit,
  });
  const keyRing = newKeyRing(signer.publicKey);
  const blobs = new Map<string, Uint8Array>();
  const settings: { -readonly [Name in keyof KycSettings]: KycSettings[Name] } = {
    confidenceMin: 0.8,
    isScanRequired: false,
  };
  let by = newTenant();
  const scanner: { result: ScanResult } = { result: { status: 'skipped' } };
  const ports: ReadingPorts & { readonly views: RecentViews } = {
    blobs: {
      get: async (address) => blobs.get(address),
      put: async (bytes) => {
        const whole = Buffer.from(bytes as Uint8Array);
        const address = sha256Hex(whole);
        blobs.set(address, whole);
        return { address, bytes: whole.length };
      },
      remove: async (address) => blobs.delete(address),
    },
    clock,
    commit: audit.commit,
    compareNames,
    dataKeys: new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables }),
    flagsOf: async () => ({ opposed: false, processing_restricted: false }),
    knowsForm: async () => false,
    listPersons: async () => [],
    random: systemRandom,
    // No programs: what a PDF says by itself is read all the same.
    recogniser: openRecogniser({ clock, config: { documents: { programPath: '' } } }),
    riskOf: async () => undefined,
    scanner: {
      scan: async () => scanner.result,
      version: async () => 'test',
    },
    settingsOf: async () => settings,
    signed: signedCases({ audit: storage.audit, keyRing, tables }),
    tables,
    views: new RecentViews(),
    wake: () => undefined,
  };
  const tasksOf = async (caseId: string, kind: CaseTask['kind']): Promise<readonly CaseTask[]> => {
    const { records } = await tables.page(taskTable, {
      equal: { caseId, tenantId: by.tenantId },
      index: 'byCase',
      limit: 100,
    });
    return records.filter((one) => one.kind === kind);
  };
  return {
    alter: harness.alter,
    begin: (): void => {
      by = newTenant();
      scanner.result = { status: 'skipped' };
      settings.isScanRequired = false;
    },
    get by() {
      return by;
    },
    blobs,
    clock,
    ports,
    scanner,
    settings,
    tasksOf,
    close: async (): Promise<void> => {
      await audit.close();
      await storage.close();
      await harness.dispose();
    },
    entries: async (action: string) => {
      const chainId = chainOf(by.tenantId);
      const events = await storage.audit.readEvents({ action, chainId, fromSeq: 1, limit: 100 });
      return events.map((event) => verifiedEvent(event, { chainId, keyRing }) ?? {});
    },
    /** A case that has its consent. */
    open: async (given: CreateCase = caseOf()): Promise<string> => {
      const { caseId } = await createCase(ports, by, given);
      await recordConsent(ports, { ...by, caseId }, CONSENT);
      return caseId;
    },
    upload: async (
      caseId: string,
      bytes: Uint8Array,
      of: { readonly kind?: DocumentKind; readonly said?: UploaderSays } = {},
    ) => {
      const { kind = 'passport', said = {} } = of;
      const media = await inspectMedia(bytes);
      return addDocument(ports, { ...by, caseId }, { bytes, kind, media, said });
    },
    /** The next task of the kind that is due, if any. */
    take: async (kind: CaseTask['kind']): Promise<TaskHold | undefined> => {
      const ask = { holder: 'w', lane: [kind, by.tenantId], limit: 1, now: clock.now() };
      const [leased] = await tables.lease(taskTable, ask);
      return leased && new Hold({ clock, tables }, taskTable, leased, { times: TIMES });
    },
  };
}

export type CaseDesk = Awaited<ReturnType<typeof openCaseDesk>>;
