/**
 * A customer who is on a list since they were decided: re-screening has found it, and the case
 * comes to review. What was decided stays in force until it is decided anew. The outbox says which
 * screening it was; whom it found, and on which list, is read from its signed event.
 */
import type { AuditStore, SignedEvents } from '#core/audit';
import { chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { monitoredTable } from '#slices/rescreening';
import { type Decision, storedVerdict } from '#slices/screening';
import { changeCase } from './changeCase.ts';
import { BY_SYSTEM, type CasePorts } from './ports.ts';
import { reopenedStep } from './reopenedStep.ts';
import { TRANSITIONS } from './states.ts';
import { casesOfSubject, findSubject } from './subjects.ts';
import type { CaseRecord } from './tables.ts';

/** What screenings are read with, beside cases. */
export interface ListedPorts extends CasePorts {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly events: SignedEvents;
}

const DIRECT: Decision = 'MATCH_DIRECT_SANCTIONS';

/** Harmless to repeat: a case names the screening by which it was opened again. */
export async function onListed(
  ports: ListedPorts,
  { partition, payload }: Pick<OutboxEvent, 'partition' | 'payload'>,
): Promise<void> {
  if (payload.verdict !== DIRECT) return;
  const tenantId = partition as TenantId;
  const found = await newlyListed(ports, tenantId, String(payload.screeningId));
  if (found === undefined) return;
  const subject = await findSubject(ports, { externalRef: found.externalRef, tenantId });
  const cases = subject === undefined ? [] : await casesOfSubject(ports, subject);
  const last = cases.findLast(
    ({ status, supersededBy }) =>
      supersededBy === undefined && TRANSITIONS.listed.from.includes(status),
  );
  if (last === undefined || last.erasedAt !== undefined) return;
  if (last.screening?.screeningId === found.screening.screeningId) return;
  await reopen(ports, last, found.screening);
}

interface Found {
  readonly externalRef: string;
  readonly screening: NonNullable<CaseRecord['screening']>;
}

async function newlyListed(
  { audit, events, tables }: ListedPorts,
  tenantId: TenantId,
  screeningId: string,
): Promise<Found | undefined> {
  const chainId = chainOf(tenantId);
  const event = await audit.findByScreening(chainId, screeningId as ScreeningId);
  if (event === undefined) return undefined;
  const { channel, screening_id, subject_key } = await events.read(chainId, event);
  if (channel !== 'rescreening' || typeof subject_key !== 'string') return undefined;
  if (screening_id !== screeningId) return undefined;
  const verdict = storedVerdict(event);
  const isNew = verdict.hits.some(
    ({ ftm_id, typology }) =>
      typology === DIRECT && verdict.rescreened?.entries.includes(ftm_id) !== false,
  );
  if (!isNew) return undefined;
  const watched = await tables.find(monitoredTable, { subjectId: subject_key, tenantId });
  return (
    watched && {
      externalRef: watched.subjectRef,
      screening: { decision: verdict.decision, listVersion: verdict.listVersion, screeningId },
    }
  );
}

async function reopen(
  ports: ListedPorts,
  { caseId, tenantId }: CaseRecord,
  screening: Found['screening'],
): Promise<void> {
  try {
    await changeCase(ports, { actor: BY_SYSTEM, caseId, tenantId }, async (seen) => {
      const step = await reopenedStep(ports, seen, {
        members: { screening_id: screening.screeningId },
        reasonCode: 'listed',
        trigger: 'listed',
      });
      return { ...step, change: { ...step.change, screening } };
    });
  } catch (error) {
    // Somebody looks at the customer already; the alert of the hit is there besides.
    if (error instanceof DomainError && LOOKED_AT.has(error.code)) return;
    throw error;
  }
}

const LOOKED_AT: ReadonlySet<string> = new Set(['case-open-exists', 'state-conflict']);
