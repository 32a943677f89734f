/** What a case still waits for, by its workflow: consents, documents, members of the subject. */
import type { EpochMs } from '#platform/clock';
import type { CaseSubject } from './caseContent.ts';
import { nameOf } from './subjectRules.ts';
import type { CaseRecord, Consent, Missing } from './tables.ts';
import type { ConsentPurpose } from './words.ts';
import type { WorkflowContent } from './workflowContent.ts';

/** The consent in force: the last one of its purpose, unless it was withdrawn or is over. */
export function consentInForce(
  consents: readonly Consent[],
  purpose: ConsentPurpose,
  now: EpochMs,
): Consent | undefined {
  const last = consents.findLast((one) => one.purpose === purpose);
  const isOver = last?.expiresAt !== undefined && last.expiresAt <= now;
  return last?.given === true && !isOver ? last : undefined;
}

/** Sorted by kind and name, so that the same case always says the same. */
export function missingOf(
  record: Pick<CaseRecord, 'consents' | 'decision' | 'documents' | 'status'>,
  of: {
    readonly subject: CaseSubject;
    readonly workflow: WorkflowContent;
    readonly now: EpochMs;
  },
): readonly Missing[] {
  const { now, subject, workflow } = of;
  const consents = workflow.required_consents
    .filter((purpose) => consentInForce(record.consents, purpose, now) === undefined)
    .map((name) => ({ kind: 'consent', name }) as const);
  const kept = record.documents.filter(({ supersededBy }) => supersededBy === undefined);
  const documents = workflow.required_documents
    .filter((kinds) => !kept.some(({ kind }) => kinds.includes(kind)))
    .map((kinds) => ({ kind: 'document', name: kinds.join('|') }) as const);
  // A name is always asked for: without one there is no comparison with lists.
  const named = nameOf(subject) === undefined ? ['full_name'] : [];
  const wanted = workflow.required_fields.filter((path) => valueAt(subject, path) === undefined);
  const fields = [...new Set([...named, ...wanted])].map(
    (name) => ({ kind: 'field', name }) as const,
  );
  return [...consents, ...documents, ...askedFor(record), ...fields];
}

/** Documents that were asked for again, and have not come since. */
function askedFor({
  decision,
  documents,
  status,
}: Pick<CaseRecord, 'decision' | 'documents' | 'status'>): readonly Missing[] {
  if (status !== 'awaiting_customer' || decision?.decision !== 'request_documents') return [];
  const since = decision.decidedAt;
  return (decision.documents ?? [])
    .filter((kind) => !documents.some((one) => one.kind === kind && one.uploadedAt > since))
    .map((name) => ({ kind: 'document', name }));
}

/** `address.line1` of a subject. */
function valueAt(subject: CaseSubject, path: string): unknown {
  let value: unknown = subject;
  for (const name of path.split('.')) {
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  }
  return value;
}
