/**
 * What a customer has filled in: saved as a draft, or taken whole. A form that is whole fills the
 * case: values that have a member of the case, consents, and the name of the submission, in one
 * commit with its event. The server decides by its own evaluation; what a client says is not asked.
 */
import { type Actor, type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import {
  chainOf,
  DomainError,
  type TableChange,
  type TenantId,
  type Violation,
} from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import {
  type CasePorts,
  type CaseRecord,
  changeCase,
  isUndecided,
  type SeenCase,
  seeCase,
} from '#slices/customers';
import { type Evaluation, evaluateForm, type FieldError, type MatchesOf } from './evaluateForm.ts';
import { DRAFT_FAULTS } from './fieldValue.ts';
import { fillCase } from './fillCase.ts';
import {
  activeVersion,
  type FormPlace,
  requireForm,
  requireVersion,
  unknownForm,
} from './formRecord.ts';
import type { FormPorts } from './ports.ts';
import { type FindSubmission, submissionDigest, submissionTarget } from './signedSubmissions.ts';
import { invalidSubmission, openValues, sealValues } from './submission.ts';
import {
  type FormRecord,
  type FormSubmission,
  type FormVersion,
  type SubmissionChannel,
  submissionTable,
} from './tables.ts';

/** What submissions are taken with. */
export interface SubmissionPorts extends FormPorts {
  readonly cases: CasePorts;
  readonly findSubmission: FindSubmission;
  readonly isCountry: (code: string) => boolean;
  readonly matchesOf: MatchesOf;
}

/** What a caller sends. */
export interface GivenSubmission {
  readonly caseId: string;
  /** The label that was filled in; absent: the active one. */
  readonly version?: string;
  readonly locale: string;
  readonly complete: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Who sends it. */
export interface SubmitAsk extends FormPlace {
  readonly actor: Actor;
  readonly channel: SubmissionChannel;
  /** The version that the session pinned; absent: the active one. */
  readonly pinned?: string;
  readonly ip?: string;
  readonly sessionId?: string;
  readonly idempotency?: (made: FormSubmission) => IdempotencyRecord;
}

/**
 * Throws `form-unknown`, `form-version-archived`, `case-unknown`, `subject-erased`,
 * `submission-invalid` with every field, and `state-conflict` where the case is decided.
 */
export async function submitForm(
  ports: SubmissionPorts,
  ask: SubmitAsk,
  given: GivenSubmission,
): Promise<FormSubmission> {
  const form = await requireForm(ports, ask);
  const version = await filledVersion(ports, form, ask.pinned);
  if (given.version !== undefined && given.version !== version.label) {
    const detail = `expected version ${version.label}, got another one`;
    throw new DomainError('form-version-archived', { detail });
  }
  const evaluated = evaluateForm(version, given.data, {
    isCountry: ports.isCountry,
    matchesOf: ports.matchesOf,
    today: toTimestamp(ports.clock.now()).slice(0, 10),
  });
  refuseFaults(evaluated.errors, given.complete);
  const filled: Filled = { ask, evaluated, form, given, version };
  return given.complete ? complete(ports, filled) : saveDraft(ports, filled);
}

/** The version that is filled in. Throws `form-unknown`. */
export async function filledVersion(
  ports: Pick<FormPorts, 'signed' | 'tables'>,
  form: FormRecord,
  pinned: string | undefined,
): Promise<FormVersion> {
  const { formId, tenantId } = form;
  if (pinned !== undefined) return requireVersion(ports, { formId, tenantId, versionId: pinned });
  const version = await activeVersion(ports, form);
  if (version === undefined) throw unknownForm('active version of the form');
  return version;
}

interface Filled {
  readonly ask: SubmitAsk;
  readonly evaluated: Evaluation;
  readonly form: FormRecord;
  readonly given: GivenSubmission;
  readonly version: FormVersion;
}

/** A draft is asked for the types alone. */
function refuseFaults(errors: readonly FieldError[], isComplete: boolean): void {
  const faults = isComplete ? errors : errors.filter(({ code }) => DRAFT_FAULTS.has(code));
  if (faults.length > 0) throw invalidSubmission(faults.map(violationOf));
}

const violationOf = ({ code, field }: FieldError): Violation => ({
  code,
  detail: `the value of this field: ${code}`,
  pointer: `/data/${field}`,
});

/** The record that a commit writes: the next state of the draft, or a new one. */
async function recordOf(
  ports: SubmissionPorts,
  { ask, evaluated, form, given, version }: Filled,
  { key, record }: Pick<SeenCase, 'key' | 'record'>,
): Promise<{ readonly change: TableChange; readonly made: FormSubmission }> {
  const { caseId, subjectId, tenantId } = record;
  const draft = await draftOf(ports, { caseId, formId: form.formId, tenantId });
  const receivedAt = ports.clock.now();
  const submissionId = draft?.submissionId ?? uuidV7(receivedAt, ports.random);
  const values = evaluated.data;
  const made: FormSubmission = {
    caseId,
    channel: ask.channel,
    complete: given.complete,
    formId: form.formId,
    formVersion: version.label,
    hash: version.hash,
    ignoredFields: evaluated.ignored,
    locale: given.locale,
    receivedAt,
    receivedBy: ask.actor,
    sealed: sealValues(ports.random, key, { submissionId, values }),
    subjectId,
    submissionId,
    tenantId,
    version: (draft?.version ?? 0) + 1,
    versionId: version.versionId,
    ...(ask.sessionId !== undefined && { sessionId: ask.sessionId }),
  };
  return { change: submissionTable.put(made, draft?.version ?? 0), made };
}

/** The draft of a form in a case, as it was signed; undefined: there is none. */
export async function draftOf(
  { findSubmission, tables }: Pick<SubmissionPorts, 'findSubmission' | 'tables'>,
  of: { readonly tenantId: TenantId; readonly caseId: string; readonly formId: string },
): Promise<FormSubmission | undefined> {
  const row = await tables.findUnique(submissionTable, 'draft', { ...of, isDraft: true });
  return row && findSubmission(row);
}

const entryOf = (
  ports: Pick<SubmissionPorts, 'clock' | 'random'>,
  { ask, form }: Pick<Filled, 'ask' | 'form'>,
  made: FormSubmission,
): EventDraft =>
  entry(ports, {
    action: made.complete ? 'form.submission.received' : 'form.submission.saved',
    actor: ask.actor,
    at: made.receivedAt,
    members: {
      case_id: made.caseId,
      complete: made.complete,
      content_hash: made.hash,
      form_code: form.code,
      form_id: made.formId,
      ignored_fields: made.ignoredFields.slice(0, 200),
      record_digest: submissionDigest(made),
      session_id: made.sessionId ?? null,
      submission_id: made.submissionId,
      version: made.formVersion,
    },
    target: submissionTarget(made),
    ...(ask.ip !== undefined && { ip: ask.ip }),
  });

async function saveDraft(ports: SubmissionPorts, filled: Filled): Promise<FormSubmission> {
  const { ask, given } = filled;
  const { idempotency, tenantId } = ask;
  return overwrite(async () => {
    const seen = await seeCase(ports.cases, { caseId: given.caseId, tenantId });
    requireOpenCase(seen.record);
    const { change, made } = await recordOf(ports, filled, seen);
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [change],
      events: [entryOf(ports, filled, made)],
      ...(idempotency !== undefined && { idempotency: () => idempotency(made) }),
    });
    return made;
  });
}

function requireOpenCase(record: CaseRecord): void {
  if (isUndecided(record)) return;
  const detail = `expected a case that is not decided, got ${record.status}`;
  throw new DomainError('state-conflict', { detail });
}

async function complete(ports: SubmissionPorts, filled: Filled): Promise<FormSubmission> {
  const { ask, form, given, version } = filled;
  const { idempotency, tenantId } = ask;
  let made: FormSubmission | undefined;
  const caseAsk = {
    actor: ask.actor,
    caseId: given.caseId,
    tenantId,
    ...(idempotency !== undefined && {
      answer: { kept: () => idempotency(requireMade(made)) },
    }),
    ...(ask.ip !== undefined && { ip: ask.ip }),
  };
  await changeCase(ports.cases, caseAsk, async (seen) => {
    requireOpenCase(seen.record);
    await requireFirst(ports, ask);
    const { change, made: record } = await recordOf(ports, filled, seen);
    made = record;
    const step = fillCase(ports.cases, {
      ask,
      schema: version.schema,
      seen,
      submission: record,
      values: filled.evaluated.data,
    });
    return {
      ...step,
      beside: (next) => ({
        bus: [receivedEvent(form, record)],
        changes: [change],
        events: [...step.consentEntries(next), entryOf(ports, filled, record)],
      }),
    };
  });
  return requireMade(made);
}

/** A session sends one whole form. Throws `state-conflict`. */
async function requireFirst(
  { tables }: Pick<SubmissionPorts, 'tables'>,
  { sessionId, tenantId }: SubmitAsk,
): Promise<void> {
  if (sessionId === undefined) return;
  const key = { isComplete: true, sessionId, tenantId };
  if ((await tables.findUnique(submissionTable, 'bySession', key)) === undefined) return;
  const detail = 'expected a session that has not sent its form yet';
  throw new DomainError('state-conflict', { detail });
}

function requireMade(made: FormSubmission | undefined): FormSubmission {
  if (made !== undefined) return made;
  throw new DomainError('internal', { detail: 'a submission had no commit' });
}

const receivedEvent = (form: FormRecord, made: FormSubmission) =>
  ({
    partition: made.tenantId,
    payload: {
      case_id: made.caseId,
      form_code: form.code,
      form_id: made.formId,
      session_id: made.sessionId ?? null,
      submission_id: made.submissionId,
      version: made.formVersion,
    },
    topic: 'form.submission.received',
  }) as const;

/** The values of a submission. Throws `subject-erased`, `blob-damaged`. */
export async function submittedValues(ports: SubmissionPorts, record: FormSubmission) {
  const { caseId, tenantId } = record;
  const { key } = await seeCase(ports.cases, { caseId, tenantId });
  if (record.sealed === '') throw new DomainError('subject-erased');
  return openValues(ports.random, key, record);
}
