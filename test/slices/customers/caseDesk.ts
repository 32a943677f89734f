/** Cases over a real store and the real evidence, with a list of names instead of the engine. */
import { createAuditLog, newKeyRing } from '#core/audit';
import { DataKeys } from '#core/blobs';
import type { Person, Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { Hold } from '#core/work';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom, uuidV7 } from '#platform/random';
import {
  type CaseRecord,
  type CaseRisk,
  type CheckPorts,
  checkCase,
  createCase,
  type DecideAsk,
  decideCase,
  type ForgetInputsPorts,
  type GivenDecision,
  putWorkflow,
  type RiskTier,
  recordConsent,
  requireCase,
  signedCases,
  taskTable,
  type WorkflowContent,
} from '#slices/customers';
import type { Hit, ScreenedQuery } from '#slices/screening';
import shipped from '../../../config/kyc-workflows.json' with { type: 'json' };
import { compareNames } from '../../../src/app/adapters/compareNames.ts';
import type { MakeHarness } from '../../storage/contract/harness.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const LISTED = 'Tarek Velmorani';
export const CONSENT = {
  given: true,
  locale: 'fr-TN',
  method: 'checkbox',
  purpose: 'identity_verification',
  textVersion: '2026-01',
} as const;
export const BY = { actor: 'key:test', tenantId: TENANT } as const;
export const ADULT = { dob: '1990-05-17', full_name: 'Amira Ben Salah', nationality: 'TN' };

/** What the service itself can check, without a document. */
const DOCUMENTLESS = {
  ...(shipped.individual_standard as unknown as WorkflowContent),
  checks: ['consent', 'required_data', 'age', 'screening', 'risk'],
  required_documents: [],
} as const satisfies WorkflowContent;

const PERSONS: Readonly<Record<string, Role>> = {
  ada: 'agent_l1',
  carl: 'compliance_officer',
  dan: 'developer',
  lena: 'agent_l2',
  mia: 'mlro',
};
const personOf = ([id, role]: readonly [string, Role]): Person => ({
  accounts: [],
  id,
  keys: [],
  name: id,
  roles: [role],
  tenantId: TENANT,
  version: 1,
});

/** A registered person with the roles that they have. */
export const as = (
  name: keyof typeof PERSONS,
): Pick<DecideAsk, 'actor' | 'roles' | 'tenantId'> => ({
  actor: `person:${name}`,
  roles: [PERSONS[name] as Role],
  tenantId: TENANT,
});

export const REJECT: GivenDecision = {
  decision: 'reject',
  emailTemplate: 'rejected',
  reason: 'The document is a copy of another one',
  reasonCode: 'document_forged',
};
export const APPROVE: GivenDecision = {
  decision: 'approve',
  reason: 'All that was asked for is there',
  reasonCode: 'complete',
};
export const given = (decision: GivenDecision['decision']): GivenDecision => ({
  ...(decision === 'reject' ? REJECT : { ...APPROVE, decision }),
  ...(decision === 'request_documents' && { documents: ['passport'] as const }),
});

/** Faults of the machinery around, by what a test sets. */
interface Around {
  risk: CaseRisk | undefined;
  mayApprove: boolean;
  /** Cases of which forms were told to forget what was filled in. */
  forgotten: string[];
  /** Something needs every customer as a whole. */
  isHeld: boolean;
  /** The lists cannot be asked. */
  screeningFault: Error | undefined;
}

export async function openCaseDesk(makeHarness: MakeHarness = makeSqliteHarness) {
  const harness = await makeHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const signer = signerFromSeed(new Uint8Array(32).fill(9));
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store: storage.audit,
  });
  const keyRing = newKeyRing(signer.publicKey);
  const { tables } = storage;
  const woken: string[] = [];
  const around: Around = {
    forgotten: [],
    isHeld: false,
    mayApprove: true,
    risk: undefined,
    screeningFault: undefined,
  };
  const ports: CheckPorts & ForgetInputsPorts = {
    audit: storage.audit,
    blobs: { get: async () => undefined, put: async () => ({ address: '', bytes: 0 }) },
    clock,
    commit: audit.commit,
    compareNames,
    dataKeys: new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables }),
    flagsOf: async () => ({ opposed: false, processing_restricted: false }),
    forgetSubmissions: async ({ caseId }) => void around.forgotten.push(caseId),
    isHeld: async () => around.isHeld,
    knowsForm: async ({ code }) => code === 'known_form',
    listPersons: async () => Object.entries(PERSONS).map(personOf),
    mayProcess: async (_, purpose) => purpose !== 'automatic-approval' || around.mayApprove,
    monitorSubject: async () => ({ bus: [], changes: [], events: [] }),
    openScreening: async () => {
      if (around.screeningFault !== undefined) throw around.screeningFault;
      return async ({ query }) => screeningOf(query.name, clock.now());
    },
    random: systemRandom,
    riskOf: async () => around.risk,
    settingsOf: async () => ({ confidenceMin: 0.8, isScanRequired: false }),
    signed: signedCases({ audit: storage.audit, keyRing, tables }),
    tables,
    wake: (tenantId) => void woken.push(tenantId),
  };
  const close = async () => {
    await audit.close();
    await storage.close();
    await harness.dispose();
  };
  return { alter: harness.alter, around, audit: storage.audit, clock, close, ports, woken };
}

/** The desk, and cases on their way at it. */
export type CaseDesk = Awaited<ReturnType<typeof openCaseDesk>>;

function screeningOf(name: string, now: number): ScreenedQuery {
  const hit = { ftm_id: 'demo-1', primary_name: LISTED, source_lists_hits: [{ list: 'DEMO' }] };
  const isListed = name === LISTED;
  const hits = isListed ? [{ ...hit, directScore: 1, typology: 'MATCH_DIRECT_SANCTIONS' }] : [];
  const screeningId = uuidV7(now, systemRandom);
  return {
    query: { names: [name], variants: [] },
    record: {
      members: { screening_id: screeningId },
      verdict: {
        decision: isListed ? 'MATCH_DIRECT_SANCTIONS' : 'CLEAR',
        hits: hits as unknown as readonly Hit[],
        listVersion: 'v',
        policyVersion: 1,
        references: [],
        rerankerVersion: '1.1.0',
        screeningId,
        thresholds: {},
        weights: {},
      },
    },
  };
}

export const riskOf = (tier: RiskTier, change: Partial<CaseRisk> = {}): CaseRisk => ({
  evaluationId: '0190aaaa-0000-7000-8000-0000000000ee',
  isIncomplete: false,
  isProhibited: false,
  level: tier,
  policyVersion: 1,
  score: 1,
  tier,
  ...change,
});

/** The workflow of a tenant that asks for no document, changed by what a test is about. */
export const documentless = (
  { ports }: Pick<CaseDesk, 'ports'>,
  change: Partial<WorkflowContent> = {},
) => putWorkflow(ports, { ...BY, code: 'documentless', content: { ...DOCUMENTLESS, ...change } });

let count = 0;
/** A case of a new customer, open: it lacks the consent. */
export const openOne = (
  { ports }: Pick<CaseDesk, 'ports'>,
  change: Partial<Parameters<typeof createCase>[2]> = {},
): Promise<CaseRecord> =>
  createCase(ports, BY, {
    external_ref: `client-${++count}`,
    locale: 'fr-TN',
    subject: ADULT,
    subject_type: 'individual',
    workflow_code: 'documentless',
    ...change,
  });

/** The same, with all that it needs: in processing. */
export async function submitOne(
  desk: Pick<CaseDesk, 'ports'>,
  change: Partial<Parameters<typeof createCase>[2]> = {},
): Promise<CaseRecord> {
  const { caseId } = await openOne(desk, change);
  return (await recordConsent(desk.ports, { ...BY, caseId }, CONSENT)).record;
}

/** A task of this kind in hand; undefined where none is due. */
export async function takeTask({ clock, ports: { tables } }: CaseDesk, kind = 'checks') {
  const now = clock.now();
  const [leased] = await tables.lease(taskTable, {
    holder: 'test',
    lane: [kind, TENANT],
    limit: 1,
    now,
  });
  const times = { leaseMs: 20_000, renewMs: 5_000 };
  return leased && new Hold({ clock, tables }, taskTable, leased, { times });
}

/** Names of the mails that a case has its customer sent. */
export async function mailsOf(
  { ports: { tables } }: CaseDesk,
  { caseId }: Pick<CaseRecord, 'caseId'>,
): Promise<readonly (string | undefined)[]> {
  const { records } = await tables.page(taskTable, {
    equal: { caseId, tenantId: TENANT },
    index: 'byCase',
    limit: 100,
  });
  return records.filter(({ kind }) => kind === 'mail').map(({ template }) => template);
}

/** Makes the checks of all cases that wait for them. */
export async function runChecks(desk: CaseDesk): Promise<void> {
  for (let hold = await takeTask(desk); hold !== undefined; hold = await takeTask(desk)) {
    await checkCase(desk.ports, hold);
    await hold.end();
  }
}

/** A case in review, because its customer may be listed. */
export async function reviewOne(
  desk: CaseDesk,
  change: Partial<Parameters<typeof createCase>[2]> = {},
): Promise<CaseRecord> {
  const record = await submitOne(desk, { subject: { ...ADULT, full_name: LISTED }, ...change });
  await runChecks(desk);
  return requireCase(desk.ports, record);
}

export const decide = (
  { ports }: Pick<CaseDesk, 'ports'>,
  { caseId }: Pick<CaseRecord, 'caseId'>,
  by: Pick<DecideAsk, 'actor' | 'roles' | 'tenantId'>,
  decision: GivenDecision,
): Promise<CaseRecord> => decideCase(ports, { ...by, caseId }, decision);
