/** Forms over a real store and the real evidence, and people who sign. */
import { createAuditLog, type JsonRecord, newKeyRing, verifiedEvent } from '#core/audit';
import { DataKeys } from '#core/blobs';
import {
  approvalMessage,
  type GivenSignature,
  type Person,
  type Principal,
  type Role,
  signedAuthorOf,
} from '#core/identity';
import { chainOf, type TenantId } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import { type CasePorts, signedCases } from '#slices/customers';
import {
  createForm,
  type FormAsk,
  type FormDefinition,
  type FormVersion,
  linearPatterns,
  publicationSubject,
  type SubmissionPorts,
  signedForms,
  signedSubmissions,
} from '#slices/forms';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import onboarding from './onboardingForm.json' with { type: 'json' };

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const FORM = onboarding as unknown as FormDefinition;
export const NAME = { ar: 'استمارة', en: 'Onboarding', fr: 'Entrée en relation' };
/** Values that fill it in. */
export const FILLED = {
  dob: '1990-05-17',
  first_name: 'Amira',
  last_name: 'Ben Salah',
  nationality: 'FR',
  status: 'self_employed',
  tax_id: '1282182W',
  terms: true,
};
const ISSUER = 'https://issuer.test';

const SEEDS = { ada: 1, carl: 2, cora: 3, dora: 4, omar: 5 } as const;
export type Name = keyof typeof SEEDS;
const ROLES: Readonly<Record<Name, readonly Role[]>> = {
  ada: ['admin'],
  carl: ['compliance_officer'],
  cora: ['compliance_director'],
  dora: ['dsi_admin'],
  omar: ['agent_l2'],
};
const keyOf = (seed: number): Signer => signerFromSeed(new Uint8Array(32).fill(seed));

const personOf = (name: Name, validFrom: EpochMs): Person => ({
  accounts: [{ issuer: ISSUER, subject: name }],
  id: `0190dddd-0000-7000-8000-00000000000${SEEDS[name]}`,
  keys: [
    {
      keyId: `key-${name}`,
      publicKey: Buffer.from(keyOf(SEEDS[name]).publicKey.raw).toString('base64'),
      validFrom,
    },
  ],
  name,
  roles: ROLES[name],
  tenantId: TENANT,
  version: 1,
});

/** Registered since then, by their names. */
export const peopleSince = (validFrom: EpochMs): Readonly<Record<Name, Person>> =>
  Object.fromEntries(
    (Object.keys(SEEDS) as Name[]).map((name) => [name, personOf(name, validFrom)]),
  ) as Record<Name, Person>;

/** What one of them sends, at this time. */
export function signatureOf(version: FormVersion, name: Name, at: EpochMs): GivenSignature {
  const { id } = personOf(name, at);
  const timestamp = toTimestamp(at);
  const message = approvalMessage(publicationSubject(version), {
    approver: id,
    author: signedAuthorOf(version),
    timestamp,
  });
  const signature = Buffer.from(keyOf(SEEDS[name]).sign(message)).toString('base64');
  return { signature, signer: id, timestamp };
}

export type FormDesk = Awaited<ReturnType<typeof openFormDesk>>;

export async function openFormDesk() {
  const harness = await makeSqliteHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const signer = keyOf(99);
  const keyRing = newKeyRing(signer.publicKey);
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store: storage.audit,
  });
  const persons = peopleSince(clock.now());
  const freshly = () =>
    signedForms({ audit: storage.audit, clock: { monotonicMs: () => performance.now() }, keyRing });
  const { tables } = storage;
  const listPersons = async () => Object.values(persons);
  const cases: CasePorts = {
    blobs: { get: async () => undefined, put: async () => ({ address: '', bytes: 0 }) },
    clock,
    commit: audit.commit,
    dataKeys: new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables }),
    flagsOf: async () => ({ opposed: false, processing_restricted: false }),
    knowsForm: async () => false,
    listPersons,
    random: systemRandom,
    riskOf: async () => undefined,
    signed: signedCases({ audit: storage.audit, keyRing, tables }),
    tables,
    wake: () => undefined,
  };
  const ports: SubmissionPorts = {
    cases,
    clock,
    commit: audit.commit,
    countries: ['DE', 'FR', 'TN'],
    editingLock: async () => undefined,
    findSubmission: signedSubmissions({ audit: storage.audit, keyRing, tables }),
    isCountry: (code) => ['DE', 'FR', 'TN'].includes(code),
    listPersons,
    matchesOf: linearPatterns(),
    random: systemRandom,
    signed: freshly(),
    tables,
  };
  let made = 0;
  const as = (name: Name): FormAsk => ({
    principal: {
      amr: ['mfa'],
      id: `${ISSUER}|${name}`,
      kind: 'user',
      roles: ROLES[name],
      tenantId: TENANT,
    } as unknown as Principal,
    tenantId: TENANT,
  });
  return {
    alter: harness.alter,
    as,
    clock,
    async close() {
      await audit.close();
      await storage.close();
      await harness.dispose();
    },
    /** As another process sees it, which has compared nothing yet. */
    elsewhere: (): SubmissionPorts => ({ ...ports, signed: freshly() }),
    entries: async (action: string): Promise<readonly JsonRecord[]> => {
      const chainId = chainOf(TENANT);
      const found = await storage.audit.readEvents({ action, chainId, fromSeq: 1, limit: 100 });
      return found.map((event) => verifiedEvent(event, { chainId, keyRing }) ?? {});
    },
    /** A form of another code each time. */
    make: (name: Name = 'carl') =>
      createForm(ports, as(name), { ...FORM, code: `form_${++made}`, name: NAME }),
    keyRing,
    persons,
    ports,
    signer,
    storage,
    sign: (version: FormVersion, name: Name): GivenSignature =>
      signatureOf(version, name, clock.now()),
  };
}
