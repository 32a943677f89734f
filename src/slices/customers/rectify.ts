/**
 * A customer has what is wrong about them put right (GDPR 16), in every case at once. Contact data
 * is changed as it is given. Who they are waits for another registered person, sealed under the
 * customer's key; then the case in force is checked anew: lists, policy and people see the same
 * customer. What stood there before is left in the open part of the entry alone, which goes with
 * the customer.
 */
import { type Actor, type Commit, type IdempotencyRecord, overwrite } from '#core/audit';
import type { DataKey } from '#core/blobs';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import {
  type CaseContent,
  type CaseSubject,
  openContent,
  openForSubject,
  sealContent,
  sealForSubject,
} from './caseContent.ts';
import { type CaseChange, kycEntry, nextCase, putCase } from './caseRecord.ts';
import { type CaseStep, commitStep, type SeenCase, seeCase } from './changeCase.ts';
import { originsOf } from './createCase.ts';
import { isIdentity } from './identityChange.ts';
import { CHANGES_WAITING_MAX } from './limits.ts';
import { mergePatch } from './mergePatch.ts';
import type { CasePorts } from './ports.ts';
import { reopenedStep } from './reopenedStep.ts';
import { caseTarget, subjectTarget } from './signedCases.ts';
import { IDENTITY_CHANGED, isUndecided, TRANSITIONS } from './states.ts';
import { requireSubject } from './subjectRules.ts';
import { casesOfSubject, findSubject, keyOfSubject } from './subjects.ts';
import {
  type CaseRecord,
  caseDocumentTable,
  type SubjectChange,
  type SubjectRecord,
  subjectTable,
} from './tables.ts';

/** Members with their values as they are to become; null takes one away. */
export type Corrections = Readonly<Record<string, unknown>>;

/** Who asks, about whom. */
export interface RectifyAsk {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly ip?: string;
  readonly externalRef: string;
}

/** What is to be put right, and why. */
export interface Rectification {
  readonly changes: Corrections;
  readonly reason: string;
  /** A document of the customer that shows it. */
  readonly evidenceDocumentId?: string;
  /** Throws where the corrected subject has not the shape of one. */
  readonly requireShape?: (subject: unknown) => void;
}

/** What has become of it. */
export interface Rectified {
  readonly subject: SubjectRecord;
  readonly applied: readonly string[];
  readonly waiting: readonly SubjectChange[];
}

/** The answer that is kept with the commit. */
export type KeptRectified = (of: Rectified) => IdempotencyRecord;

/** What lies sealed in a change that waits. */
interface AskedChange {
  readonly value: unknown;
  readonly reason: string;
}

/** A customer as all their cases know them. */
interface SeenCustomer {
  readonly subject: SubjectRecord;
  readonly key: DataKey;
  /** The case that goes on with it: the undecided one, else the one in force, else the last. */
  readonly lead: SeenCase;
  readonly others: readonly CaseRecord[];
}

/**
 * Harmless to repeat: what is so already is not changed, and what waits already is not asked twice.
 * Throws `subject-unknown`, `subject-erased`, `subject-invalid`, `body-invalid`, `person-required`
 * for identity data that nobody registered asks for, and `state-conflict` where another value of
 * the member waits.
 */
export function rectify(
  ports: CasePorts,
  ask: RectifyAsk,
  given: Rectification,
  kept?: KeptRectified,
): Promise<Rectified> {
  const { evidenceDocumentId, reason } = given;
  return overwrite(async () => {
    const seen = await seeCustomer(ports, ask);
    requireCorrect(seen, given.changes, given.requireShape);
    await requireEvidence(ports, seen.subject, evidenceDocumentId);
    const names = Object.keys(given.changes).filter((name) => isOther(seen, name, given.changes));
    const contact = names.filter((name) => !isIdentity(name));
    const asked = newChanges(ports, seen, { ask, given, names: names.filter(isIdentity) });
    const before = seen.subject.changes ?? [];
    const rectified = {
      applied: contact,
      subject: nextSubject(seen.subject, [...before, ...asked]),
      waiting: [...before, ...asked].filter(({ member }) => names.includes(member)),
    };
    if (contact.length === 0 && asked.length === 0) return { ...rectified, subject: seen.subject };
    await commitCustomer(ports, ask, {
      corrections: only(given.changes, contact),
      entries: [
        ...(contact.length > 0
          ? [rectifiedEntry(seen, { corrections: only(given.changes, contact), reason })]
          : []),
        ...(asked.length > 0 ? [askedEntry(asked, reason)] : []),
      ],
      kept: kept && (() => kept(rectified)),
      seen,
      subject: rectified.subject,
    });
    return rectified;
  });
}

/** What a second person says of a change that waits. */
export interface ChangeDecision {
  readonly changeId: string;
  readonly isApproved: boolean;
  readonly comment: string;
}

/**
 * Who asked may take it back, and not approve it. Throws `person-required`, `case-unknown` where no
 * such change waits, `dual-control-same-person`, `subject-invalid`, `case-open-exists`.
 */
export function decideRectification(
  ports: CasePorts,
  ask: RectifyAsk,
  { changeId, comment, isApproved }: ChangeDecision,
  kept?: KeptRectified,
): Promise<Rectified> {
  if (!ask.actor.startsWith('person:')) throw new DomainError('person-required');
  return overwrite(async () => {
    const seen = await seeCustomer(ports, ask);
    const { changes = [] } = seen.subject;
    const change = changes.find((one) => one.changeId === changeId);
    if (change === undefined) {
      throw new DomainError('case-unknown', { detail: 'there is no such change that waits' });
    }
    if (isApproved && change.askedBy === ask.actor) {
      throw new DomainError('dual-control-same-person');
    }
    const left = changes.filter((one) => one !== change);
    const subject = nextSubject(seen.subject, left);
    const { reason, value } = openChange(ports, seen, change);
    const corrections = isApproved ? { [change.member]: value } : {};
    if (isApproved) requireCorrect(seen, corrections);
    const rectified = { applied: Object.keys(corrections), subject, waiting: left };
    await commitCustomer(ports, ask, {
      corrections,
      entries: [
        isApproved
          ? rectifiedEntry(seen, { asked: change, comment, corrections, reason })
          : declinedEntry(change, comment),
      ],
      kept: kept && (() => kept(rectified)),
      seen,
      subject,
    });
    return rectified;
  });
}

/** A change that waits, for who decides it. */
export interface ShownChange extends Pick<SubjectChange, 'askedAt' | 'askedBy' | 'changeId'> {
  readonly member: string;
  readonly former: unknown;
  readonly value: unknown;
  readonly reason: string;
  readonly evidenceDocumentId?: string;
}

/** Those of a customer, oldest first. Throws `subject-unknown`, `subject-erased`. */
export async function waitingChanges(
  ports: CasePorts,
  of: Pick<RectifyAsk, 'externalRef' | 'tenantId'>,
): Promise<readonly ShownChange[]> {
  const seen = await seeCustomer(ports, of);
  return (seen.subject.changes ?? []).map((change) => {
    const { sealed: _, ...shown } = change;
    return { ...shown, ...openChange(ports, seen, change), former: formerOf(seen, change.member) };
  });
}

async function seeCustomer(
  ports: CasePorts,
  { externalRef, tenantId }: Pick<RectifyAsk, 'externalRef' | 'tenantId'>,
): Promise<SeenCustomer> {
  const subject = await findSubject(ports, { externalRef, tenantId });
  if (subject === undefined) throw new DomainError('subject-unknown');
  const key = await keyOfSubject(ports, subject);
  const cases = await casesOfSubject(ports, subject);
  const inForce = cases.filter((one) => one.standing !== undefined && !one.supersededBy);
  const lead = cases.find(isUndecided) ?? inForce.at(-1) ?? cases.at(-1);
  if (lead === undefined) throw new DomainError('subject-unknown');
  return {
    key,
    lead: await seeCase(ports, lead),
    others: cases.filter(({ caseId }) => caseId !== lead.caseId),
    subject,
  };
}

/** Throws where the customer would not be one. */
function requireCorrect(
  { lead }: SeenCustomer,
  changes: Corrections,
  requireShape?: Rectification['requireShape'],
): void {
  const subject = mergePatch(lead.content.subject, changes) as CaseSubject;
  requireShape?.(subject);
  requireSubject(subject, lead.record.subjectType, '/changes');
}

/** Throws `subject-invalid` for a document that is not the customer's. */
async function requireEvidence(
  { tables }: CasePorts,
  { subjectId, tenantId }: SubjectRecord,
  documentId: string | undefined,
): Promise<void> {
  if (documentId === undefined) return;
  const found = await tables.find(caseDocumentTable, { documentId, tenantId });
  if (found?.subjectId === subjectId) return;
  const detail = 'expected the id of a document of this customer';
  const violations = [{ code: 'unknown', detail, pointer: '/evidence_document_id' }];
  throw new DomainError('subject-invalid', { detail, violations });
}

const formerOf = ({ lead }: SeenCustomer, member: string): unknown =>
  lead.content.subject[member as keyof CaseSubject] ?? null;

const same = (one: unknown, other: unknown): boolean =>
  canonicalJson((one ?? null) as never) === canonicalJson((other ?? null) as never);

function isOther(seen: SeenCustomer, member: string, changes: Corrections): boolean {
  const former = formerOf(seen, member);
  return !same(former, mergePatch(former ?? undefined, changes[member]));
}

const only = (changes: Corrections, names: readonly string[]): Corrections =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => names.includes(name)));

/** Those that do not wait yet. Throws `person-required`, `state-conflict`. */
function newChanges(
  ports: CasePorts,
  seen: SeenCustomer,
  of: {
    readonly ask: RectifyAsk;
    readonly given: Rectification;
    readonly names: readonly string[];
  },
): readonly SubjectChange[] {
  const { ask, given, names } = of;
  const { changes: before = [] } = seen.subject;
  if (names.length > 0 && !ask.actor.startsWith('person:'))
    throw new DomainError('person-required');
  const fresh = names.filter((name) => {
    const known = before.find(({ member }) => member === name);
    if (known === undefined) return true;
    const { value } = openChange(ports, seen, known);
    if (known.askedBy === ask.actor && same(value, given.changes[name])) return false;
    throw new DomainError('state-conflict', { detail: `another change of ${name} waits` });
  });
  if (before.length + fresh.length > CHANGES_WAITING_MAX) {
    const detail = `expected at most ${CHANGES_WAITING_MAX} changes that wait`;
    throw new DomainError('state-conflict', { detail });
  }
  const askedAt = ports.clock.now();
  const { evidenceDocumentId, reason } = given;
  return fresh.map((member) => {
    const changeId = uuidV7(askedAt, ports.random);
    const asked: AskedChange = { reason, value: given.changes[member] ?? null };
    return {
      askedAt,
      askedBy: ask.actor,
      changeId,
      member,
      sealed: sealForSubject(ports.random, seen.key, purposeOf(changeId), asked),
      ...(evidenceDocumentId !== undefined && { evidenceDocumentId }),
    };
  });
}

const purposeOf = (changeId: string): string => `kyc-subject-change-v1/${changeId}`;

const openChange = (
  { random }: Pick<CasePorts, 'random'>,
  { key }: SeenCustomer,
  { changeId, sealed }: SubjectChange,
): AskedChange => openForSubject(random, key, purposeOf(changeId), sealed) as AskedChange;

function nextSubject(
  { changes: _, ...subject }: SubjectRecord,
  changes: readonly SubjectChange[],
): SubjectRecord {
  const version = subject.version + 1;
  return { ...subject, ...(changes.length > 0 && { changes }), version };
}

type SubjectEntry = Pick<Parameters<typeof kycEntry>[1], 'action' | 'members' | 'open'>;

const rectifiedEntry = (
  seen: SeenCustomer,
  of: {
    readonly asked?: SubjectChange;
    readonly comment?: string;
    readonly corrections: Corrections;
    readonly reason: string;
  },
): SubjectEntry => {
  const { asked, comment, corrections, reason } = of;
  const members = Object.keys(corrections).sort();
  const former = Object.fromEntries(members.map((name) => [name, formerOf(seen, name)]));
  return {
    action: 'kyc.subject.rectified',
    members: {
      members,
      ...(asked !== undefined && { asked_by: asked.askedBy, change_id: asked.changeId }),
      ...(asked?.evidenceDocumentId !== undefined && {
        evidence_document_id: asked.evidenceDocumentId,
      }),
    },
    open: {
      former: former as never,
      reason,
      ...(comment !== undefined && comment !== '' && { comment }),
    },
  };
};

const askedEntry = (asked: readonly SubjectChange[], reason: string): SubjectEntry => ({
  action: 'kyc.subject.change_asked',
  members: {
    change_ids: asked.map(({ changeId }) => changeId),
    members: asked.map(({ member }) => member),
  },
  open: { reason },
});

const declinedEntry = (
  { askedBy, changeId, member }: SubjectChange,
  comment: string,
): SubjectEntry => ({
  action: 'kyc.subject.change_declined',
  members: { asked_by: askedBy, change_id: changeId, member },
  open: { reason: comment },
});

interface CustomerCommit {
  readonly corrections: Corrections;
  readonly entries: readonly SubjectEntry[];
  readonly kept: (() => IdempotencyRecord) | undefined;
  readonly seen: SeenCustomer;
  readonly subject: SubjectRecord;
}

/** One commit: the customer and, where something is corrected, all cases. */
async function commitCustomer(
  ports: CasePorts,
  ask: RectifyAsk,
  { corrections, entries, kept, seen, subject }: CustomerCommit,
): Promise<void> {
  const { actor, ip } = ask;
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
  const others = othersOf(ports, ask, { corrections, seen });
  const beside = () => ({
    changes: [...own.changes, ...others.changes],
    events: [...own.events, ...others.events],
  });
  const step = await leadStep(ports, seen.lead, { ask, corrections });
  const by = { actor, ...(ip !== undefined && { ip }), ...(kept && { answer: { kept } }) };
  await commitStep(ports, by, { seen: seen.lead, step: { ...step, beside } });
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
  { ask, corrections }: { readonly ask: RectifyAsk; readonly corrections: Corrections },
): Promise<CaseStep> {
  const entry = changedEntry(corrections);
  const next = corrected(content, corrections, { actor: ask.actor, at: ports.clock.now() });
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
  ask: RectifyAsk,
  { corrections, seen }: { readonly corrections: Corrections; readonly seen: SeenCustomer },
): Required<Pick<Commit, 'changes' | 'events'>> {
  const changes: Commit['changes'][number][] = [];
  const events: Commit['events'][number][] = [];
  const at = ports.clock.now();
  for (const before of seen.others.filter(({ erasedAt }) => erasedAt === undefined)) {
    const content = openContent(ports.random, seen.key, before);
    const next = corrected(content, corrections, { actor: ask.actor, at });
    const change: CaseChange = {
      sealed: sealContent(ports.random, seen.key, before, next),
      updatedAt: at,
    };
    const record = nextCase(before, change);
    changes.push(putCase(before, record));
    events.push(
      kycEntry(ports, {
        ...changedEntry(corrections),
        actor: ask.actor,
        at,
        ip: ask.ip,
        kind: 'case',
        record,
        target: caseTarget(record),
      }),
    );
  }
  return { changes, events };
}
