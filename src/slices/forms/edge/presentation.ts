/** Forms and versions as they are shown, over HTTP and by the command line. */
import { presentSignature, signedAuthorOf } from '#core/identity';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import {
  type FormRecord,
  type FormSubmission,
  type FormVersion,
  liveSignatures,
  publicationSubject,
  versionEtag,
} from '#slices/forms';

const time = (at: EpochMs | undefined) => (at === undefined ? null : toTimestamp(at));

export const presentForm = (form: FormRecord, usage: number) => ({
  active_version: form.activeVersion ?? null,
  active_version_id: form.activeVersionId ?? null,
  code: form.code,
  created_at: toTimestamp(form.createdAt),
  created_by: form.createdBy,
  form_id: form.formId,
  languages: form.languages,
  name: form.name,
  updated_at: toTimestamp(form.updatedAt),
  usage_30d: usage,
});

/** `isWhole`: with the definition itself. */
export const presentVersion = (version: FormVersion, now: EpochMs, isWhole = true) => ({
  added_fields: version.addedFields,
  approvals: liveSignatures(version, now).map(presentSignature),
  archived_at: time(version.archivedAt),
  author: version.author,
  based_on: version.basedOnLabel ?? null,
  changed_fields: version.changedFields,
  created_at: toTimestamp(version.createdAt),
  etag: versionEtag(version),
  form_id: version.formId,
  hash: version.hash,
  languages: version.languages,
  published_at: time(version.publishedAt),
  removed_fields: version.removedFields,
  signed_until: version.status === 'Draft' ? lapseOf(version, now) : null,
  signing: version.status === 'Draft' ? presentSigning(version) : null,
  status: version.status,
  updated_at: toTimestamp(version.updatedAt),
  updated_by: version.updatedBy,
  version: version.label,
  version_id: version.versionId,
  ...(isWhole && { schema: presentSchema(version) }),
});

const lapseOf = (version: FormVersion, now: EpochMs) =>
  liveSignatures(version, now).length === 0 ? null : time(version.signedUntil);

const presentSchema = ({ data, schema }: FormVersion) => ({ data, steps: schema.steps });

/** The members of the signed bytes that are known before somebody signs. */
function presentSigning(version: FormVersion) {
  const { field, newValue, resource } = publicationSubject(version);
  return { author: signedAuthorOf(version), field, new_value: newValue, resource };
}

/** What is signed by the service of a definition that is filled in. */
const definitionMessage = (hash: string): Uint8Array =>
  Buffer.from(`form-definition-v1\0${hash}`, 'utf8');

/** What a client that renders the form needs. */
export const presentActive = (
  { code }: Pick<FormRecord, 'code'>,
  version: FormVersion,
  signer: Signer,
) => ({
  code,
  form_id: version.formId,
  hash: version.hash,
  languages: version.languages,
  published_at: time(version.publishedAt),
  schema: presentSchema(version),
  signature: {
    key_id: signer.keyId,
    value: Buffer.from(signer.sign(definitionMessage(version.hash))).toString('base64'),
  },
  version: version.label,
  version_id: version.versionId,
});

/** Without its values. */
export const presentSubmission = (record: FormSubmission) => ({
  case_id: record.caseId,
  channel: record.channel,
  complete: record.complete,
  form_id: record.formId,
  hash: record.hash,
  ignored_fields: record.ignoredFields,
  locale: record.locale,
  received_at: toTimestamp(record.receivedAt),
  received_by: record.receivedBy,
  session_id: record.sessionId ?? null,
  submission_id: record.submissionId,
  version: record.formVersion,
});
