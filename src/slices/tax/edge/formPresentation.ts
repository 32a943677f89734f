/** Forms of holders as they are shown. */
import { toTimestamp } from '#platform/clock';
import type { StoredForm, TaxForm } from '#slices/tax';

export const presentFormRow = (form: TaxForm) => ({
  form_id: form.formId,
  type: form.type,
  subject_ref: form.subjectRef,
  entity_ref: form.entityRef ?? null,
  status: form.status,
  revision: form.revision ?? null,
  signed_at: form.signedOn ?? null,
  received_at: form.receivedOn,
  valid_until: form.validUntil ?? null,
  cure_due: form.change?.cureDue ?? form.cureDue ?? null,
  holder_due: form.change?.holderDue ?? null,
  change: form.change?.reason ?? null,
  supersedes: form.supersedes ?? null,
  created_at: toTimestamp(form.createdAt),
  created_by: form.createdBy,
});

/** With all that stands on it. */
export const presentForm = ({ content, record }: StoredForm) => {
  const { findings, form, giin_check: giinCheck, notes, tins } = content;
  return {
    ...presentFormRow(record),
    fields: form.fields,
    signer: form.signer ?? null,
    signature_method: form.signature_method ?? null,
    documentary_evidence: form.documentary_evidence ?? false,
    explanation: form.explanation ?? null,
    findings,
    tins,
    giin_check: giinCheck ?? null,
    notes,
  };
};
