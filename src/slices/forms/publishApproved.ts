/**
 * The second signature of a draft, given at `/v1/approvals` (decision 8.6): the last editor asks
 * once the first one stands, another person signs the very bytes of `POST …/publish`, and the draft
 * becomes active with the end of the request, in one commit.
 */
import { entry } from '#core/audit';
import type { AppliedChange, ApprovedBy, CountedSignature, ShownChange } from '#core/identity';
import { chainOf, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { requireUnlocked } from '#slices/policies';
import type { FormWithVersion, VersionPlace } from './formRecord.ts';
import type { FormPorts } from './ports.ts';
import {
  type AwaitedVersion,
  awaitedVersion,
  countedSignatures,
  formSigners,
  publicationOf,
  publicationSubject,
} from './publishForm.ts';

/** A draft that one person has signed. */
export type SignedOnce = AwaitedVersion & {
  readonly first: CountedSignature;
};

/** Throws as `awaitedVersion`; `state-conflict` where nobody has signed it, or it was edited. */
export async function signedOnce(
  ports: FormPorts,
  place: VersionPlace & { readonly newValue: unknown },
): Promise<SignedOnce> {
  await requireUnlocked(ports, place.tenantId);
  const awaited = await awaitedVersion(ports, place);
  const { newValue } = publicationSubject(awaited.draft);
  if (canonicalJson(newValue as never) !== canonicalJson(place.newValue as never)) {
    throw new DomainError('state-conflict', { detail: 'the draft was edited since' });
  }
  const persons = await ports.listPersons(place.tenantId);
  const [first] = countedSignatures(awaited.draft, { now: ports.clock.now(), persons });
  if (first !== undefined) return { ...awaited, first };
  const detail = 'nobody has signed it: the first signature is given at POST …/publish';
  throw new DomainError('state-conflict', { detail });
}

/** Old and new for whoever signs. */
export const shownPublication = ({ active, draft, first, form }: SignedOnce): ShownChange => ({
  about: {
    added_fields: draft.addedFields,
    changed_fields: draft.changedFields,
    code: form.code,
    removed_fields: draft.removedFields,
    signed_by: first.signature.signer,
  },
  new: publicationSubject(draft).newValue,
  old: active === undefined ? null : publicationSubject(active).newValue,
});

/** Makes it active. Throws as `signedOnce`, and `dual-control-…` for the second person. */
export async function publishApproved(
  ports: FormPorts,
  of: VersionPlace & {
    readonly newValue: unknown;
    readonly by: ApprovedBy;
    readonly answerOf: (made: FormWithVersion) => AppliedChange;
  },
): Promise<FormWithVersion> {
  const { answerOf, by } = of;
  const { first, ...awaited } = await signedOnce(ports, of);
  const { approver, consume } = by.approval;
  const second = formSigners.secondOf(first.person, by.approval);
  const now = ports.clock.now();
  const { commit, made } = publicationOf({ ...awaited, now }, [first.signature, second]);
  const { alongside, idempotency } = by;
  await ports.commit(chainOf(of.tenantId), {
    bus: [...commit.bus, ...(alongside?.bus ?? [])],
    changes: [consume, ...commit.changes, ...(alongside?.changes ?? [])],
    events: [
      entry(ports, {
        action: commit.action,
        actor: `person:${approver.id}`,
        at: now,
        members: { ...commit.members, records: commit.held.map((one) => ({ ...one })) },
        open: { comment: by.reason },
        severity: commit.severity,
        target: commit.target,
        ...(by.ip !== undefined && { ip: by.ip }),
      }),
      ...(alongside?.events ?? []),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(answerOf(made)) }),
  });
  return made;
}
