/**
 * What an erasure would come to, made by a worker once the requester has proved who he is: for each
 * store how many rows go, which stay under a pseudonym or as they are, and until when. A person
 * approves it; one that is older than a day is made anew.
 */
import { everyRecord } from '#core/kernel';
import type { DataSubject, ErasureTerms, Holding, PlannedErasure } from '#core/privacy';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ErasePorts } from './erasePorts.ts';
import { PLAN_MS } from './limits.ts';
import { commitRequest, requireState } from './requestStep.ts';
import {
  type ErasurePlan,
  type NamedSubject,
  type PlannedRow,
  type PrivacyRequest,
  privacyRequestTable,
} from './tables.ts';

/** Whom a request names, by every name that slices know. */
export async function subjectOf(
  holdings: readonly Holding[],
  { caseId, subjectId, subjectRef, tenantId }: NamedSubject & Pick<PrivacyRequest, 'tenantId'>,
): Promise<DataSubject> {
  return identified(holdings, {
    tenantId,
    ...(caseId !== undefined && { caseIds: [caseId] }),
    ...(subjectId !== undefined && { subjectId }),
    ...(subjectRef !== undefined && { subjectRef }),
  });
}

/** The same person by every name that slices know. */
export async function identified(
  holdings: readonly Holding[],
  named: DataSubject,
): Promise<DataSubject> {
  let subject = named;
  for (const { identify } of holdings) {
    if (identify !== undefined) subject = { ...subject, ...(await identify(subject)) };
  }
  return subject;
}

/** Rows by store, in the order of the slices. */
export async function planRows(
  holdings: readonly Holding[],
  subject: DataSubject,
  terms: ErasureTerms,
  custody: Custody = {},
): Promise<readonly PlannedRow[]> {
  const rows: PlannedRow[] = [];
  for (const { erasure, store } of holdings) {
    const own = { ...terms, ...custodyOf(custody, store) };
    for (const row of (await erasure?.plan(subject, own)) ?? []) rows.push({ ...row, store });
  }
  return rows;
}

/** Whether a row of a plan may be known. */
export const isTold = ({ isUntold }: Pick<PlannedErasure, 'isUntold'>): boolean =>
  isUntold !== true;

/** What slices gave into custody, by store. */
type Custody = Readonly<Record<string, object>>;

/** What one of them gave, for its terms. */
export function custodyOf(custody: Custody, store: string): Pick<ErasureTerms, 'custody'> {
  const own = custody[store];
  return own === undefined ? {} : { custody: own };
}

/** Plans of all requests that wait for one; one that fails is told of and holds up no other. */
export async function buildPlans(
  ports: ErasePorts,
  onFailed: (request: PrivacyRequest, error: unknown) => void,
): Promise<number> {
  let built = 0;
  const open = { equal: { isOpen: true }, index: 'open' };
  for await (const found of everyRecord(ports.tables, privacyRequestTable, open)) {
    if (!needsPlan(found, ports.clock.now())) continue;
    try {
      await buildPlan(ports, found);
      built++;
    } catch (error) {
      onFailed(found, error);
    }
  }
  return built;
}

function needsPlan({ action, erasure, plan, status }: PrivacyRequest, now: number): boolean {
  if (action !== 'erase' || erasure !== undefined) return false;
  if (status === 'in_progress') return true;
  return status === 'awaiting_approval' && !isFresh(plan, now);
}

/** Whether it is no older than a day. */
export const isFresh = (plan: ErasurePlan | undefined, now: number): plan is ErasurePlan =>
  plan !== undefined && now - plan.madeAt < PLAN_MS;

/** The request with its plan, awaiting approval. */
export async function buildPlan(
  ports: ErasePorts,
  of: Pick<PrivacyRequest, 'requestId' | 'tenantId'>,
): Promise<PrivacyRequest> {
  const before = await ports.signed.requireRequest(of);
  requireState(before, 'in_progress', 'awaiting_approval');
  const now = ports.clock.now();
  const retentionYears = await ports.retentionYearsOf(before.tenantId);
  const holdings = await ports.holdings();
  const subject = await subjectOf(holdings, before);
  const all = await planRows(holdings, subject, { asOf: now, now, retentionYears });
  const rows = all.filter(isTold);
  const plan: ErasurePlan = { madeAt: now, retentionYears, rows };
  return commitRequest(ports, {
    action: 'privacy.erasure.planned',
    after: { ...before, plan, status: 'awaiting_approval', version: before.version + 1 },
    before,
    by: { actor: 'system:privacy' },
    members: { plan_sha256: planDigest(plan), rows: rows.length },
  });
}

/** By which an entry names the plan that was approved. */
export const planDigest = (plan: ErasurePlan): string =>
  sha256Hex(`privacy-plan-v1\0${canonicalJson(plan as never)}`);
