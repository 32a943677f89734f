/**
 * A customer and all their cases in one commit: what is corrected is so in each, and the case that
 * goes on with the customer is checked anew where they are somebody else now.
 */
import type { Actor, Commit, IdempotencyRecord } from '#core/audit';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type CaseContent, type CaseSubject, openContent, sealContent } from './caseContent.ts';
import { type CaseChange, kycEntry, nextCase, putCase } from './caseRecord.ts';
import { type CaseStep, commitStep, type SeenCase } from './changeCase.ts';
import { originsOf } from './createCase.ts';
import { isIdentity } from './identityChange.ts';
import { mergePatch } from './mergePatch.ts';
import type { CasePorts } from './ports.ts';
import { reopenedStep } from './reopenedStep.ts';
import type { SeenCustomer } from './seenCustomer.ts';
import { caseTarget, subjectTarget } from './signedCases.ts';
import { IDENTITY_CHANGED, isUndecided, TRANSITIONS } from './states.ts';
import type { Corrections, SubjectEntry } from './subjectChanges.ts';
import { type SubjectRecord, subjectTable } from './tables.ts';

/** Who corrects. */
interface CorrectedBy {
  readonly actor: Actor;
  readonly ip?: string;
}

/** What becomes of a customer. */
interface CustomerCommit {
  readonly corrections: Corrections;
  readonly entries: readonly SubjectEntry[];
  readonly kept: (() => IdempotencyRecord) | undefined;
  readonly seen: SeenCustomer;
  readonly subject: SubjectRecord;
}

/** One commit: the customer and, where something is corrected, all cases. */
export async function commitCustomer(
  ports: CasePorts,
  by: CorrectedBy,
  { corrections, entries, kept, seen, subject }: CustomerCommit,
): Promise<void> {
  const { actor, ip } = by;
  const own = {
    changes: [subjectTable.put(subject, seen.subject.version)],
    events: entries.map((one) =>
      kycEntry(ports, {
        ...one,
        actor,
        ip,
        kind: 'subject',
        record: subject,
        target: subjectTarget(subject),
      }),
    ),
  };
  if (Object.keys(corrections).length === 0) {
    await ports.commit(chainOf(subject.tenantId), {
      ...own,
      bus: [],
      ...(kept && { idempotency: kept }),
    });
    return;
  }
  const others = othersOf(ports, by, { corrections, seen });
  const beside = () => ({
    changes: [...own.changes, ...others.changes],
    events: [...own.events, ...others.events],
  });
  const step = await leadStep(ports, seen.lead, { by, corrections });
  const author = { actor, ...(ip !== undefined && { ip }), ...(kept && { answer: { kept } }) };
  await commitStep(ports, author, { seen: seen.lead, step: { ...step, beside } });
}

const corrected = (
  content: CaseContent,
  corrections: Corrections,
  { actor, at }: { readonly actor: Actor; readonly at: EpochMs },
): CaseContent => {
  const subject = mergePatch(content.subject, corrections) as CaseSubject;
  const source = actor.startsWith('person:') ? 'agent' : 'api';
  const origins = originsOf(corrections, { at, source });
  const provenance = Object.entries({ ...content.provenance, ...origins }).filter(([name]) =>
    Object.hasOwn(subject, name),
  );
  return { ...content, provenance: Object.fromEntries(provenance), subject };
};

const changedEntry = (corrections: Corrections) => ({
  action: 'kyc.case.changed' as const,
  members: { members: Object.keys(corrections).sort(), source: 'rectification' },
});

/** A decided case whose customer is somebody else now is looked at again; its decision stands. */
async function leadStep(
  ports: CasePorts,
  { content, record }: SeenCase,
  { by, corrections }: { readonly by: CorrectedBy; readonly corrections: Corrections },
): Promise<CaseStep> {
  const entry = changedEntry(corrections);
  const next = corrected(content, corrections, { actor: by.actor, at: ports.clock.now() });
  const step = { change: {}, content: next, entry, isInput: isUndecided(record) };
  const isReopened =
    Object.keys(corrections).some(isIdentity) &&
    record.standing !== undefined &&
    record.supersededBy === undefined &&
    TRANSITIONS.reopen.from.includes(record.status);
  if (!isReopened) return step;
  return reopenedStep(
    ports,
    { record },
    {
      content: next,
      members: entry.members,
      reasonCode: IDENTITY_CHANGED,
      trigger: 'reopen',
    },
  );
}

function othersOf(
  ports: CasePorts,
  by: CorrectedBy,
  { corrections, seen }: { readonly corrections: Corrections; readonly seen: SeenCustomer },
): Required<Pick<Commit, 'changes' | 'events'>> {
  const changes: Commit['changes'][number][] = [];
  const events: Commit['events'][number][] = [];
  const at = ports.clock.now();
  for (const before of seen.others.filter(({ erasedAt }) => erasedAt === undefined)) {
    const content = openContent(ports.random, seen.key, before);
    // What was deleted after its time does not begin anew.
    if (Object.keys(content.subject).length === 0) continue;
    const next = corrected(content, corrections, { actor: by.actor, at });
    const change: CaseChange = {
      sealed: sealContent(ports.random, seen.key, before, next),
      updatedAt: at,
    };
    const record = nextCase(before, change);
    changes.push(putCase(before, record));
    events.push(
      kycEntry(ports, {
        ...changedEntry(corrections),
        actor: by.actor,
        at,
        ip: by.ip,
        kind: 'case',
        record,
        target: caseTarget(record),
      }),
    );
  }
  return { changes, events };
}
