/**
 * A customer has what is wrong about them put right (GDPR 16), in every case at once. Contact data
 * is changed as it is given. Who they are waits for another registered person, sealed under the
 * customer's key; then the case in force is checked anew: lists, policy and people see the same
 * customer. What stood there before is left in the open part of the entry alone, which goes with
 * the customer.
 */
import { type Actor, type IdempotencyRecord, overwrite } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import type { CaseSubject } from './caseContent.ts';
import { commitCustomer } from './commitCustomer.ts';
import { isIdentity } from './identityChange.ts';
import { mergePatch } from './mergePatch.ts';
import type { CasePorts } from './ports.ts';
import { formerOf, type SeenCustomer, seeCustomer } from './seenCustomer.ts';
import {
  askedEntry,
  type Corrections,
  declinedEntry,
  newChanges,
  nextSubject,
  openChange,
  rectifiedEntry,
  same,
} from './subjectChanges.ts';
import { requireSubject } from './subjectRules.ts';
import { caseDocumentTable, type SubjectChange, type SubjectRecord } from './tables.ts';

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
    const asked = newChanges(ports, seen, {
      actor: ask.actor,
      corrections: given.changes,
      evidenceDocumentId,
      names: names.filter(isIdentity),
      reason,
    });
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
  return overwrite(async () => {
    if (!ask.actor.startsWith('person:')) throw new DomainError('person-required');
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

function isOther(seen: SeenCustomer, member: string, changes: Corrections): boolean {
  const former = formerOf(seen, member);
  return !same(former, mergePatch(former ?? undefined, changes[member]));
}

const only = (changes: Corrections, names: readonly string[]): Corrections =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => names.includes(name)));
