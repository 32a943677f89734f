/** How requests and flags are shown, over HTTP and by the command line. */
import { type EpochMs, toTimestamp } from '#platform/clock';
import {
  effectiveDue,
  type PrivacyRequest,
  type SubjectFlag,
  type VaultAnswer,
} from '#slices/privacy';

/** Its ETag: a record changes by revisions alone. */
export const etagOf = (version: number): string => `"v${version}"`;

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

/** `now`: whether it is overdue. */
export function presentRequest(request: PrivacyRequest, now: EpochMs) {
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
    etag: etagOf(request.version),
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
