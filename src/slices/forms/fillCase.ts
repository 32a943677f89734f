/** What a form that is whole makes of its case: members of the subject, consents, documents. */
import type { Asker, EventDraft } from '#core/audit';
import { toTimestamp } from '#platform/clock';
import {
  type CasePorts,
  type CaseRecord,
  type CaseStep,
  type CaseSubject,
  type Consent,
  type ConsentPurpose,
  caseTarget,
  consentOf,
  kycEntry,
  originsOf,
  requireSubject,
  type SeenCase,
} from '#slices/customers';
import { canonicalField } from './canonicalFields.ts';
import { type FormField, type FormSchema, fieldsIn } from './definition.ts';
import { invalidSubmission, type SubmittedValues } from './submission.ts';
import type { FormSubmission } from './tables.ts';

/** A form in hand, with its case. */
export interface FilledForm {
  readonly ask: Asker;
  readonly schema: FormSchema;
  readonly seen: SeenCase;
  readonly submission: FormSubmission;
  readonly values: SubmittedValues;
}

/** A step of the case, and the entries of the consents that it brings. */
export type FilledStep = CaseStep & {
  readonly consentEntries: (next: CaseRecord) => readonly EventDraft[];
};

/** Throws `submission-invalid` for documents that the case does not have, and `subject-invalid`. */
export function fillCase(ports: CasePorts, filled: FilledForm): FilledStep {
  const { schema, seen, submission, values } = filled;
  const { content, record } = seen;
  const fields = fieldsIn(schema).filter(({ id }) => Object.hasOwn(values, id));
  refuseUnknownDocuments(fields, filled);
  const members = membersOf(fields, values, content.subject);
  const subject: CaseSubject = { ...content.subject, ...members };
  requireSubject(subject, record.subjectType);
  const consents = consentsOf(ports, filled, fields);
  const origins = originsOf(members, {
    at: submission.receivedAt,
    ref: submission.submissionId,
    source: 'form',
  });
  return {
    change: {
      consents: [...record.consents, ...consents],
      form: {
        formId: submission.formId,
        submissionId: submission.submissionId,
        version: submission.formVersion,
      },
      ...(submission.sessionId !== undefined && { sessionId: submission.sessionId }),
    },
    consentEntries: (next) => consents.map((one) => consentEntry(ports, filled, { next, one })),
    content: { ...content, provenance: { ...content.provenance, ...origins }, subject },
    entry: {
      action: 'kyc.case.changed',
      members: {
        members: Object.keys(members).sort(),
        submission_id: submission.submissionId,
      },
    },
    isInput: true,
  };
}

function refuseUnknownDocuments(
  fields: readonly FormField[],
  { seen: { record }, values }: FilledForm,
): void {
  const missing = fields.filter(
    ({ id, kind, type }) =>
      type === 'document' &&
      !record.documents.some((one) => one.documentId === values[id] && one.kind === kind),
  );
  if (missing.length === 0) return;
  const detail = 'expected a document of the case, of the kind that the field asks for';
  throw invalidSubmission(
    missing.map(({ id }) => ({ code: 'document', detail, pointer: `/data/${id}` })),
  );
}

/** Top members of the subject that the form fills; an address keeps what it has beside. */
function membersOf(
  fields: readonly FormField[],
  values: SubmittedValues,
  subject: CaseSubject,
): Readonly<Record<string, unknown>> {
  const made: Record<string, unknown> = {};
  for (const { canonical, id } of fields) {
    const target = canonical === undefined ? null : (canonicalField(canonical)?.target ?? null);
    if (target === null) continue;
    const [top = '', inner] = target.split('.');
    if (inner === undefined) made[top] = values[id];
    else {
      const former = made[top] ?? subject[top as 'address'] ?? {};
      made[top] = { ...(former as object), [inner]: values[id] };
    }
  }
  return made;
}

function consentsOf(
  ports: CasePorts,
  { ask, seen: { record }, submission }: FilledForm,
  fields: readonly FormField[],
): readonly Consent[] {
  const made: Consent[] = [];
  for (const { purpose, text_version: textVersion, type } of fields) {
    if (type !== 'consent' || purpose === undefined || textVersion === undefined) continue;
    const before = { consents: [...record.consents, ...made] };
    const given = {
      given: true,
      locale: submission.locale,
      method: 'checkbox',
      purpose: purpose as ConsentPurpose,
      textVersion,
    } as const;
    made.push(consentOf(ports, before, given, ask.actor));
  }
  return made;
}

/** Each consent has an entry of its own, which names the case as the commit leaves it. */
const consentEntry = (
  ports: CasePorts,
  { ask: { actor, ip }, submission }: FilledForm,
  { next, one }: { readonly next: CaseRecord; readonly one: Consent },
): EventDraft =>
  kycEntry(ports, {
    action: 'kyc.consent.given',
    actor,
    at: next.updatedAt,
    ip,
    kind: 'case',
    members: {
      consent_id: one.consentId,
      given_at: toTimestamp(one.givenAt),
      method: one.method,
      purpose: one.purpose,
      submission_id: submission.submissionId,
      text_sha256: null,
      text_version: one.textVersion,
    },
    record: next,
    target: caseTarget(next),
  });
