/**
 * A customer who has come onto a list: re-screening has found it. A decided case comes to review,
 * and what was decided stays in force until it is decided anew. A case that nobody has decided yet
 * is told of it: an approval that waits falls, and nothing decides the case but people. The outbox
 * says which screening it was; whom it found, and on which list, is read from its signed event.
 */
import type { AuditStore, SignedEvents } from '#core/audit';
import { chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import type { OutboxEvent } from '#core/reactions';
import { uuidV7 } from '#platform/random';
import { monitoredTable } from '#slices/rescreening';
import { type Decision, storedVerdict } from '#slices/screening';
import type { CaseAsk } from './caseRecord.ts';
import { type CaseStep, changeCase, type SeenCase } from './changeCase.ts';
import { withChecks } from './documentChecks.ts';
import { BY_SYSTEM, type CasePorts } from './ports.ts';
import { reopenedStep } from './reopenedStep.ts';
import { isUndecided, LISTED, TRANSITIONS } from './states.ts';
import { casesOfSubject, findSubject } from './subjects.ts';
import type { CaseRecord } from './tables.ts';

/** What screenings are read with, beside cases. */
export interface ListedPorts extends CasePorts {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly events: Pick<SignedEvents, 'checkOpen' | 'read'>;
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
  const isMet = ({ status }: CaseRecord) =>
    isUndecided({ status }) || TRANSITIONS.listed.from.includes(status);
  const standing = cases.filter((one) => one.supersededBy === undefined && isMet(one));
  // Who has a case under way is looked at there: a reference has one at most.
  const last = standing.find(isUndecided) ?? standing.at(-1);
  if (last === undefined || last.erasedAt !== undefined) return;
  if (last.screening?.screeningId === found.screening.screeningId) return;
  await tell(ports, last, found.screening);
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

async function tell(
  ports: ListedPorts,
  { caseId, tenantId }: CaseRecord,
  screening: Found['screening'],
): Promise<void> {
  const ask: CaseAsk = { actor: BY_SYSTEM, caseId, tenantId };
  try {
    await changeCase(ports, ask, (seen) =>
      isUndecided(seen.record)
        ? foundStep(ports, seen, screening)
        : reopenStep(ports, seen, screening),
    );
  } catch (error) {
    // A case of the customer was opened meanwhile and is screened itself, or this one was ended.
    if (error instanceof DomainError && OVERTAKEN.has(error.code)) return;
    throw error;
  }
}

const OVERTAKEN: ReadonlySet<string> = new Set(['case-open-exists', 'state-conflict']);

async function reopenStep(
  ports: ListedPorts,
  seen: SeenCase,
  screening: Found['screening'],
): Promise<CaseStep> {
  const step = await reopenedStep(ports, seen, {
    members: { screening_id: screening.screeningId },
    reasonCode: LISTED,
    trigger: LISTED,
  });
  return { ...step, change: { ...step.change, forPeople: LISTED, screening } };
}

/** The case stays where it is; what was found stands on it, and nothing is proposed any more. */
function foundStep(
  { clock, random }: ListedPorts,
  { record }: SeenCase,
  screening: Found['screening'],
): CaseStep {
  const { decision, listVersion: list_version, screeningId: screening_id } = screening;
  const at = clock.now();
  const check = {
    at,
    checkId: uuidV7(at, random),
    evidence: { decision, list_version, screening_id },
    reasonCodes: [LISTED],
    status: 'review',
    type: 'screening',
  } as const;
  return {
    change: {
      checks: withChecks(record.checks, [check]),
      forPeople: LISTED,
      proposedDecision: undefined,
      screening,
      statusReason: LISTED,
    },
    entry: { action: 'kyc.case.listed', members: { screening_id }, severity: 'NOTICE' },
    isAgainst: true,
  };
}
