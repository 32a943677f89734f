/** How requests and flags are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Rectified, SubjectChange } from '#slices/customers';
import {
  effectiveDue,
  type LegalHold,
  type PrivacyRequest,
  type SubjectFlag,
  type VaultAnswer,
  withoutPerson,
} from '#slices/privacy';

/** Its ETag: a record changes by revisions alone. */
export const etagOf = (version: number): string => `"v${version}"`;

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/**
 * The ETag of a request. One whose erasure was approved is changed by nobody any more, and what
 * the work still does to its record is nobody's to see.
 */
export const requestEtag = ({ erasure, version }: PrivacyRequest): string =>
  erasure === undefined ? etagOf(version) : '"answered"';

/**
 * An approved erasure is answered, and names nobody, from its approval on: whether the work is
 * done, or waits for something, makes no difference to what is shown.
 */
function shown(request: PrivacyRequest): PrivacyRequest {
  const { decision, erasure } = request;
  if (erasure === undefined) return request;
  return {
    ...withoutPerson(request, erasure.pseudonym),
    ...(decision !== undefined && { endedAt: decision.at }),
    status: 'completed',
  };
}

/** `now`: whether it is overdue. */
export function presentRequest(stored: PrivacyRequest, now: EpochMs) {
  const request = shown(stored);
  const { decision, extension, identity, requester } = request;
  return {
    request_id: request.requestId,
    action: request.action,
    status: request.status,
    subject: {
      subject_id: request.subjectId ?? null,
      external_ref: request.subjectRef ?? null,
      case_id: request.caseId ?? null,
    },
    requester: { relation: requester.relation, contact: requester.contact ?? null },
    identity: {
      method: identity.method,
      evidence: identity.evidence ?? null,
      verified: identity.verified?.isProven ?? null,
      verified_by: identity.verified?.by ?? null,
      verified_at: time(identity.verified?.at),
    },
    locale: request.locale,
    note: request.note ?? null,
    created_by: request.createdBy,
    received_at: toTimestamp(request.receivedAt),
    due_at: toTimestamp(request.dueAt),
    extended_to: time(request.extendedTo),
    extension_reason: extension?.reason ?? null,
    overdue: request.endedAt === undefined && now > effectiveDue(request),
    ended_at: time(request.endedAt),
    decided_by: decision?.by ?? null,
    refusal:
      decision?.ground === undefined
        ? null
        : { ground: decision.ground, text: decision.text ?? null },
    archive: presentArchive(request),
    plan: presentPlan(request),
    erasure: presentErasure(request),
    etag: requestEtag(request),
  };
}

function presentArchive({ archive, archiveUntil }: PrivacyRequest) {
  if (archive === undefined) return null;
  return {
    bytes: archive.bytes,
    files: archive.files,
    sha256: archive.sha256,
    built_at: toTimestamp(archive.builtAt),
    available_until: time(archiveUntil),
    passphrase_told: archive.passphraseToldAt !== undefined,
  };
}

function presentPlan({ plan }: PrivacyRequest) {
  if (plan === undefined) return null;
  return {
    made_at: toTimestamp(plan.madeAt),
    retention_years: plan.retentionYears,
    stores: plan.rows.map(({ action, rows, store, until, why }) => ({
      store,
      action,
      rows,
      until: time(until),
      why,
    })),
  };
}

function presentErasure({ erasure }: PrivacyRequest) {
  if (erasure === undefined) return null;
  return { pseudonym: erasure.pseudonym, kept_until: time(erasure.keptUntil) };
}

/** What interface.md and decision 6.7 promise at once. */
export const presentReceived = ({
  action,
  dueAt,
  receivedAt,
  requestId,
  status,
}: PrivacyRequest) => ({
  request_id: requestId,
  action,
  status,
  received_at: toTimestamp(receivedAt),
  due_at: toTimestamp(dueAt),
});

/** A subject without a row has asked for nothing. */
export const presentFlags = (subjectRef: string, flag: SubjectFlag | undefined) => ({
  subject: {
    external_ref: subjectRef,
    processing_restricted: flag?.processingRestricted ?? false,
    opposed: flag?.opposed ?? false,
  },
  changed_at: time(flag?.changedAt),
  changed_by: flag?.changedBy ?? null,
  reason: flag?.reason ?? null,
  etag: etagOf(flag?.version ?? 0),
});

/** What was corrected, and what waits for a second person. */
export const presentRectified = ({ applied, waiting }: Pick<Rectified, 'applied' | 'waiting'>) => ({
  applied: [...applied],
  pending: waiting.map(presentChange),
});

/** A correction that waits, without its value. */
export const presentChange = (
  change: Pick<SubjectChange, 'askedAt' | 'askedBy' | 'changeId' | 'evidenceDocumentId' | 'member'>,
) => ({
  change_id: change.changeId,
  member: change.member,
  status: 'waiting' as const,
  asked_by: change.askedBy,
  asked_at: toTimestamp(change.askedAt),
  evidence_document_id: change.evidenceDocumentId ?? null,
});

/** A subject without a row has no hold. */
export const presentHold = (
  subjectRef: string,
  { hold, isInForce }: { readonly hold?: LegalHold | undefined; readonly isInForce: boolean },
) => ({
  external_ref: subjectRef,
  in_force: isInForce,
  state: hold?.state ?? null,
  reason: hold?.reason ?? null,
  until: time(hold?.until),
  asked_by: hold?.askedBy ?? null,
  asked_at: time(hold?.askedAt),
  placed_by: hold?.placedBy ?? null,
  extension: presentExtension(hold?.extension),
  lift_asked_by: hold?.liftAskedBy ?? null,
  lift_reason: hold?.liftReason ?? null,
  lifted_by: hold?.liftedBy ?? null,
  changed_at: time(hold?.changedAt),
});

const presentExtension = (extension: LegalHold['extension']) =>
  extension === undefined
    ? null
    : {
        asked_by: extension.askedBy,
        reason: extension.reason,
        until: toTimestamp(extension.until),
      };

/** Identifiers alone: keys that lie beside them are for who restores what is kept. */
export const presentVault = (
  pseudonym: string,
  { askedBy, content }: Extract<VaultAnswer, { readonly isOpen: true }>,
) => ({
  pseudonym,
  asked_by: askedBy,
  subject: {
    external_ref: content.subject.subjectRef ?? null,
    subject_id: content.subject.subjectId ?? null,
    case_ids: [...(content.subject.caseIds ?? [])],
  },
  identity: Object.fromEntries(
    Object.entries(content.custody).map(([store, held]) => [
      store,
      (held as { readonly identity?: unknown }).identity ?? null,
    ]),
  ),
});
