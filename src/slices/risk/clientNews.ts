/**
 * Clients are evaluated because something happened: a case was opened or decided, or re-screening
 * has raised an alert. Events come at least once; an evaluation that would repeat the last one is
 * not written. Whom a re-screening is of stands in its signed event.
 */
import { DomainError, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { alertTable } from '#slices/alerts';
import { type CasePorts, followRating } from '#slices/customers';
import { monitoredTable } from '#slices/rescreening';
import { signedScreening } from '#slices/screening';
import { caseRiskOf } from './caseRisk.ts';
import { type EvaluateAsk, evaluateClient } from './evaluateClient.ts';
import { requireEvaluation } from './evaluation.ts';
import type { RiskPorts } from './ports.ts';

type News = Pick<OutboxEvent, 'partition' | 'payload'>;

/** A case that has all that it needs is evaluated by its checks, with their screening. */
export async function onCaseCreated(ports: RiskPorts, { partition, payload }: News): Promise<void> {
  if (payload.status === 'processing') return;
  await evaluateKnown(ports, {
    caseId: String(payload.case_id),
    isFirst: true,
    tenantId: partition as TenantId,
  });
}

/** Also a rejection, and what was decided while the client’s facts changed. */
export const onCaseDecided = (ports: RiskPorts, { partition, payload }: News): Promise<void> =>
  evaluateKnown(ports, { caseId: String(payload.case_id), tenantId: partition as TenantId });

/**
 * A party who is delisted makes no client safer before their case is checked again: no screening
 * says so. Throws `evidence-altered`.
 */
export async function onAlertCreated(
  ports: RiskPorts,
  { partition, payload }: News,
): Promise<void> {
  if (payload.type !== 'list_change') return;
  const tenantId = partition as TenantId;
  const alertId = String(payload.alert_id);
  const alert = await ports.tables.find(alertTable, { alertId, tenantId });
  if (alert?.cause.kind !== 'screening') return;
  const { screeningId } = alert.cause;
  const { subjectKey = '' } = await signedScreening(ports.facts.screened, {
    screeningId,
    tenantId,
  });
  const watched = await ports.tables.find(monitoredTable, { subjectId: subjectKey, tenantId });
  if (watched === undefined) return;
  const { subjectRef: externalRef } = watched;
  await evaluateKnown(ports, { externalRef, rescreening: screeningId, tenantId });
}

async function evaluateKnown(
  ports: RiskPorts,
  of: Pick<EvaluateAsk, 'caseId' | 'externalRef' | 'isFirst' | 'rescreening' | 'tenantId'>,
): Promise<void> {
  try {
    await evaluateClient(ports, { ...of, actor: 'system:risk', isAsked: false });
  } catch (error) {
    // Who is screened need be no client, and who was one may be erased.
    if (!(error instanceof DomainError) || !NOBODY.has(error.code)) throw error;
  }
}

const NOBODY: ReadonlySet<string> = new Set(['risk-client-unknown', 'subject-erased']);

/** Cases have the tier of where their client stands now. Throws `state-altered`. */
export async function onEvaluated(
  ports: RiskPorts & { readonly casePorts: CasePorts },
  { partition, payload }: News,
): Promise<void> {
  const tenantId = partition as TenantId;
  const clientId = String(payload.client_id);
  const client = await ports.signed.findClient({ clientId, tenantId });
  if (client === undefined) return;
  const { members } = await requireEvaluation(ports, client);
  const { content } = await ports.inForce.of(tenantId);
  const { nextReviewAt } = client;
  const risk = { ...caseRiskOf(members, content), nextReviewAt };
  await followRating(ports.casePorts, { subjectId: clientId, tenantId }, risk);
}
