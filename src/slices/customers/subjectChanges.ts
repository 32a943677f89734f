/**
 * Changes of who a customer is that wait for a second person, each sealed under the customer's key,
 * and the entries that say what was asked and what has become of it.
 */
import type { Actor } from '#core/audit';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { uuidV7 } from '#platform/random';
import { openForSubject, sealForSubject } from './caseContent.ts';
import type { kycEntry } from './caseRecord.ts';
import { CHANGES_WAITING_MAX } from './limits.ts';
import type { CasePorts } from './ports.ts';
import { formerOf, type SeenCustomer } from './seenCustomer.ts';
import type { SubjectChange, SubjectRecord } from './tables.ts';

/** Members with their values as they are to become; null takes one away. */
export type Corrections = Readonly<Record<string, unknown>>;

/** What lies sealed in a change that waits. */
interface AskedChange {
  readonly value: unknown;
  readonly reason: string;
}

/** What somebody wants changed of who a customer is. */
interface WantedChanges {
  readonly actor: Actor;
  readonly corrections: Corrections;
  readonly names: readonly string[];
  readonly reason: string;
  readonly evidenceDocumentId: string | undefined;
}

/** As values of members: what is absent is null. */
export const same = (one: unknown, other: unknown): boolean =>
  canonicalJson((one ?? null) as never) === canonicalJson((other ?? null) as never);

/** Those of `names` that do not wait yet. Throws `person-required`, `state-conflict`. */
export function newChanges(
  ports: CasePorts,
  seen: SeenCustomer,
  of: WantedChanges,
): readonly SubjectChange[] {
  const { actor, corrections, evidenceDocumentId, names, reason } = of;
  const { changes: before = [] } = seen.subject;
  if (names.length > 0 && !actor.startsWith('person:')) throw new DomainError('person-required');
  const fresh = names.filter((name) => {
    const known = before.find(({ member }) => member === name);
    if (known === undefined) return true;
    const { value } = openChange(ports, seen, known);
    if (known.askedBy === actor && same(value, corrections[name])) return false;
    throw new DomainError('state-conflict', { detail: `another change of ${name} waits` });
  });
  if (before.length + fresh.length > CHANGES_WAITING_MAX) {
    const detail = `expected at most ${CHANGES_WAITING_MAX} changes that wait`;
    throw new DomainError('state-conflict', { detail });
  }
  const askedAt = ports.clock.now();
  return fresh.map((member) => {
    const changeId = uuidV7(askedAt, ports.random);
    const asked: AskedChange = { reason, value: corrections[member] ?? null };
    return {
      askedAt,
      askedBy: actor,
      changeId,
      member,
      sealed: sealForSubject(ports.random, seen.key, purposeOf(changeId), asked),
      ...(evidenceDocumentId !== undefined && { evidenceDocumentId }),
    };
  });
}

const purposeOf = (changeId: string): string => `kyc-subject-change-v1/${changeId}`;

/** What was asked, and why. */
export const openChange = (
  { random }: Pick<CasePorts, 'random'>,
  { key }: SeenCustomer,
  { changeId, sealed }: SubjectChange,
): AskedChange => openForSubject(random, key, purposeOf(changeId), sealed) as AskedChange;

/** The customer with these that wait. */
export function nextSubject(
  { changes: _, ...subject }: SubjectRecord,
  changes: readonly SubjectChange[],
): SubjectRecord {
  const version = subject.version + 1;
  return { ...subject, ...(changes.length > 0 && { changes }), version };
}

/** What an entry about a customer says. */
export type SubjectEntry = Pick<Parameters<typeof kycEntry>[1], 'action' | 'members' | 'open'>;

/** What was put right; what stood there before is in its open part alone. */
export const rectifiedEntry = (
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

/** Which members are asked for, without their values. */
export const askedEntry = (asked: readonly SubjectChange[], reason: string): SubjectEntry => ({
  action: 'kyc.subject.change_asked',
  members: {
    change_ids: asked.map(({ changeId }) => changeId),
    members: asked.map(({ member }) => member),
  },
  open: { reason },
});

/** Which member stays as it is. */
export const declinedEntry = (
  { askedBy, changeId, member }: SubjectChange,
  comment: string,
): SubjectEntry => ({
  action: 'kyc.subject.change_declined',
  members: { asked_by: askedBy, change_id: changeId, member },
  open: { reason: comment },
});
