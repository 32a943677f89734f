/** Reports of a made-up tenant over a real store and the real evidence, and their people. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuditLog, newKeyRing, verifiedEvent } from '#core/audit';
import { DataKeys } from '#core/blobs';
import { approvalMessage, type Person, type Principal, type Role } from '#core/identity';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { Hold, type LeaseTimes } from '#core/work';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Signer, sha256Hex, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import { secretBox } from '#platform/secretBox';
import {
  createReport,
  type DispatchHold,
  type DispatchPorts,
  dispatchStep,
  folderChannel,
  type GivenContent,
  genericProfile,
  importProfile,
  requestValidation,
  type StrAsk,
  type StrChannel,
  type StrDispatch,
  type StrReport,
  seeReport,
  signedAuthor,
  signedReports,
  strDispatchTable,
  strReportTable,
  submitReport,
  validateReport,
  validationSubject,
} from '#slices/str';
import { romaniseWords } from '../../../src/app/adapters/romaniseWords.ts';
import type { MakeHarness } from '../../storage/contract/harness.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const OTHER = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;
const ISSUER = 'https://issuer.test';
const TIMES: LeaseTimes = { leaseMs: 20_000, renewMs: 5_000 };

const PEOPLE = {
  agnes: ['agent_l1'],
  alan: ['agent_l1'],
  aude: ['auditor'],
  carl: ['compliance_officer'],
  cora: ['compliance_officer', 'data_protection_officer'],
  dev: ['developer'],
  dina: ['compliance_director'],
  dpo: ['data_protection_officer'],
  dsi: ['dsi_admin'],
  l2: ['agent_l2'],
  mira: ['mlro'],
  root: ['admin'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;
export type Name = keyof typeof PEOPLE;
export const NAMES = Object.keys(PEOPLE) as Name[];

const keyOf = (name: Name): Signer =>
  signerFromSeed(new Uint8Array(32).fill(NAMES.indexOf(name) + 1));

function personOf(name: Name, validFrom: EpochMs): Person {
  const publicKey = Buffer.from(keyOf(name).publicKey.raw).toString('base64');
  const place = String(NAMES.indexOf(name)).padStart(2, '0');
  return {
    accounts: [
      { issuer: ISSUER, subject: name },
      { issuer: ISSUER, subject: `${name}-2` },
    ],
    id: `0190dddd-0000-7000-8000-0000000000${place}`,
    keys: [{ keyId: `key-${name}`, publicKey, validFrom }],
    name,
    roles: PEOPLE[name],
    tenantId: TENANT,
    version: 1,
  };
}

/** What a report says that lacks nothing. */
export const WHOLE: GivenContent = {
  counterparties: [
    { id: 'p1', is_customer: false, kind: 'person', name: 'Zoé Ängström', residence: 'FR' },
  ],
  indicators: ['structuring'],
  narrative: 'Cash was paid in at four branches within two days, always below the threshold.',
  subject: {
    id: 'subject',
    is_customer: true,
    kind: 'person',
    name: 'طارق فلموراني',
    residence: 'TN',
  },
  transactions: [
    {
      amount: '9800.00',
      counterparty: 'p1',
      country: 'FR',
      currency: 'EUR',
      date: '2026-01-02',
      direction: 'debit',
      id: 'T-1',
    },
  ],
};

export type StrDesk = Awaited<ReturnType<typeof openStrDesk>>;

/** `channel`: the tenant is a live one with that way; absent: a sandbox. */
export async function openStrDesk(
  makeHarness: MakeHarness,
  of: {
    readonly channel?: StrChannel;
    /** The profile is one of an FIU: the shipped structure, imported as one. */
    readonly isFilable?: true;
    readonly ports?: Partial<DispatchPorts>;
  } = {},
) {
  const harness = await makeHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const folder = await mkdtemp(join(tmpdir(), 'str-'));
  const signer = signerFromSeed(new Uint8Array(32).fill(99));
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store: storage.audit,
  });
  const persons = Object.fromEntries(
    NAMES.map((name) => [name, personOf(name, clock.now())]),
  ) as Record<Name, Person>;
  const blobs = new Map<string, Uint8Array>();
  const secrets = secretBox([new Uint8Array(32).fill(5)], systemRandom);
  const keyRing = newKeyRing(signer.publicKey);
  const ports: DispatchPorts & Parameters<typeof createReport>[0] = {
    alertDraft: async () => ({ names: [], txIds: [] }),
    audit: storage.audit,
    blobs: {
      get: async (address) => blobs.get(address),
      put: async (bytes) => {
        const whole = Buffer.from(bytes as Uint8Array);
        const address = sha256Hex(whole);
        blobs.set(address, whole);
        return { address, bytes: whole.length };
      },
    },
    callerOf: async () => {
      throw new DomainError('str-channel-off');
    },
    clock,
    commit: audit.commit,
    dataKeys: new DataKeys({
      master: new Uint8Array(32),
      random: systemRandom,
      tables: storage.tables,
    }),
    folder: folderChannel(folder),
    isSandbox: async () => of.channel === undefined,
    keyRing,
    listPersons: async (tenantId) => (tenantId === TENANT ? Object.values(persons) : []),
    loggedTransactions: async () => [],
    random: systemRandom,
    romanise: romaniseWords,
    settingsOf: async () => ({
      channel: of.channel ?? 'portal',
      profile: of.isFilable ? 'fiu' : 'generic-5.0',
    }),
    signed: signedReports({ audit: storage.audit, clock, keyRing, tables: storage.tables }),
    tables: storage.tables,
    ...of.ports,
  };
  if (of.isFilable) {
    const xsd = await readFile(new URL('../../../config/str/generic-5.0.xsd', import.meta.url));
    const { settings } = await genericProfile();
    await importProfile(ports, {
      actor: 'cli:test',
      profileId: 'fiu',
      settings,
      tenantId: TENANT,
      xsd,
    });
  }
  const as = (name: Name, tenantId = TENANT, account: string = name): StrAsk => ({
    principal: callerOf(persons[name], tenantId, account),
    tenantId,
  });
  const find = (strId: string, tenantId = TENANT) =>
    storage.tables.find(strReportTable, { strId, tenantId });
  const desk = {
    alter: harness.alter,
    as,
    blobs,
    clock,
    commit: audit.commit,
    /** As they were signed: all of the action, or those about one report. */
    entries: async (action: string, strId?: string) => {
      const chainId = chainOf(TENANT);
      const ask = { action, chainId, fromSeq: 1, limit: 1_000 };
      const events = await storage.audit.readEvents(ask);
      const all = events.map((event) => verifiedEvent(event, { chainId, keyRing }) ?? {});
      return all.filter(({ target }) => strId === undefined || target === `str:${strId}`);
    },
    find: async (strId: string): Promise<StrReport> => {
      const found = await find(strId);
      if (found === undefined) throw new Error('no such report');
      return found;
    },
    folder,
    persons,
    ports,
    storage,
    draft: (name: Name = 'agnes', content: GivenContent = WHOLE): Promise<StrReport> =>
      createReport(ports, as(name), content),
    sign(report: StrReport, name: Name, hash = report.contentHash) {
      const timestamp = toTimestamp(clock.now());
      const { field, newValue, resource } = validationSubject({ ...report, contentHash: hash });
      const message = approvalMessage(
        { field, newValue, resource },
        { approver: persons[name].id, author: signedAuthor(report), timestamp },
      );
      return { signature: Buffer.from(keyOf(name).sign(message)).toString('base64'), timestamp };
    },
    validate: (report: StrReport, name: Name = 'dpo') =>
      validateReport(ports, {
        ...as(name),
        ...desk.sign(report, name),
        checklist: { necessity: true, retention: true, special_categories: 'none' },
        strId: report.strId,
      }),
    /** From a draft to what the officer has signed. */
    async validated(name: Name = 'agnes', content: GivenContent = WHOLE): Promise<StrReport> {
      const { strId } = await desk.draft(name, content);
      await requestValidation(ports, { ...as(name), strId });
      return desk.validate(await desk.find(strId));
    },
    submit: (strId: string, name: Name = 'carl') => submitReport(ports, { ...as(name), strId }),
    see: (strId: string, name: Name) => seeReport(ports, { ...as(name), strId }),
    dispatch: (strId: string, number = 1): Promise<StrDispatch | undefined> =>
      storage.tables.find(strDispatchTable, { number, strId, tenantId: TENANT }),
    async hold(strId: string, number = 1): Promise<DispatchHold | undefined> {
      const key = { number, strId, tenantId: TENANT };
      const leased = await storage.tables.claim(strDispatchTable, { holder: 'w', key });
      if (leased === undefined) return undefined;
      return new Hold({ clock, tables: storage.tables }, strDispatchTable, leased, {
        times: TIMES,
      });
    },
    /** The worker that had it is gone. */
    async release(strId: string, number = 1): Promise<void> {
      const held = await storage.tables.held(strDispatchTable, { limit: 100 });
      const one = held.find(({ record }) => record.strId === strId && record.number === number);
      if (one === undefined) return;
      const key = { number, strId, tenantId: TENANT };
      await storage.tables.giveBack(strDispatchTable, { claim: one.lease, isTried: false, key });
    },
    secrets,
    /** One step of the worker. */
    async step(strId: string, number = 1): Promise<void> {
      const hold = await desk.hold(strId, number);
      if (hold === undefined) return;
      await dispatchStep(ports, hold).finally(() => hold.end());
    },
    async close(): Promise<void> {
      await audit.close();
      await storage.close();
      await harness.dispose();
      await rm(folder, { force: true, recursive: true });
    },
  };
  return desk;
}

function callerOf(person: Person, tenantId: TenantId, account: string): Principal {
  return {
    environment: 'live',
    id: `${ISSUER}|${account}`,
    kind: 'user',
    mfa: true,
    roles: person.roles,
    tenantId,
  };
}
