/** What the operations of cases share: ports, the place of a case, and answers. */
import { DomainError } from '#core/kernel';
import type { SecretBox } from '#platform/secretBox';
import {
  type CaseAsk,
  type CaseRecord,
  type CommittedCase,
  type CreateAsk,
  etagOf,
  WITHOUT_SUBJECT,
} from '#slices/customers';
import type { CursorCodec } from '../../../api/cursor.ts';
import { ifMatch } from '../../../api/etags.ts';
import type { Operation, OperationContext, OperationReply } from '../../../api/operation.ts';
import type { Slots } from '../../../api/slots.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { actorOf, type CaseParts } from './parts.ts';
import { presentCase } from './presentation.ts';

/** What the operations of cases are made of. */
export interface CaseRouteOptions {
  readonly ports: () => CaseParts;
  readonly cursors: CursorCodec;
  readonly secrets: () => SecretBox;
  readonly slots: Slots;
}

export const PATH = '/v1/kyc/cases';
export const ONE_PATH = `${PATH}/{case_id}`;

export const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'cases:read',
  tag: 'KYC',
} as const;

const STEP_BYTES_MAX = 64 * 1024;
const PURPOSE = 'kyc-idempotent-answer';

/** Answers hold a person's data: they are kept sealed. */
export const changing = ({ secrets }: Pick<CaseRouteOptions, 'secrets'>) =>
  ({
    bodyBytesMax: STEP_BYTES_MAX,
    conditions: 'version',
    idempotency: 'required',
    limits: 'general',
    method: 'POST',
    roles: roles.work,
    scope: 'cases:write',
    tag: 'KYC',
    unsealed: (stored: string): string => secrets().open(stored, PURPOSE),
  }) as const satisfies Partial<Operation>;

/** Problems that every operation on one case may give. */
export const ONE_PROBLEMS = [
  'blob-damaged',
  'case-unknown',
  'state-altered',
  'subject-erased',
] as const;
/** Those of every change. */
export const CHANGE_PROBLEMS = [...ONE_PROBLEMS, 'state-conflict', 'workflow-unknown'] as const;

/** The case that the path names. */
export const placeOf = ({ params, tenantId }: Pick<OperationContext, 'params' | 'tenantId'>) => ({
  caseId: params.case_id ?? '',
  tenantId,
});

/** What a caller is answered, of what was committed. */
type Present = (committed: CommittedCase) => object;

/**
 * Makes a change and answers with what it made, kept under the caller's key. `present` absent: the
 * whole record.
 */
export async function answerChange(
  options: CaseRouteOptions,
  context: OperationContext,
  of: {
    readonly change: (ports: CaseParts, ask: CaseAsk & CreateAsk) => Promise<CaseRecord>;
    readonly status?: number | ((record: CaseRecord) => number);
    readonly present?: Present;
    readonly headers?: (record: CaseRecord) => readonly (readonly [string, string])[];
  },
): Promise<OperationReply> {
  const ports = options.ports();
  const { ip, principal, tenantId } = context;
  const { actor } = await actorOf(ports, principal);
  const present = of.present ?? (await wholeOf(ports, context));
  const statusOf = (record: CaseRecord): number =>
    typeof of.status === 'function' ? of.status(record) : (of.status ?? 200);
  let text: string | undefined;
  const kept = (committed: CommittedCase) => {
    text = JSON.stringify(present(committed));
    if (context.idempotency === undefined) return undefined;
    const body = options.secrets().seal(text, PURPOSE);
    const status = statusOf(committed.record);
    return storedAnswer(context.idempotency, { body, status }, ports.clock);
  };
  const isExpected = ifMatch(context.request.header('if-match'));
  const record = await of.change(ports, {
    ...placeOf(context),
    actor,
    answer: { kept },
    tenantId,
    ...(ip !== '' && { ip }),
    ...(isExpected !== undefined && { isExpected }),
  });
  if (text === undefined) throw new DomainError('internal', { detail: 'a change had no commit' });
  const headers = of.headers?.(record) ?? [];
  return { body: text, headers: [['etag', etagOf(record)], ...headers], status: statusOf(record) };
}

/** Shows the whole record, as far as it is for the caller. */
export async function wholeOf(ports: CaseParts, context: OperationContext): Promise<Present> {
  const { principal } = context;
  const isShown = principal.roles.some(
    (role) => role !== WITHOUT_SUBJECT && (roles.read as readonly string[]).includes(role),
  );
  const flags = async (externalRef: string) =>
    ports.flagsOf({ externalRef, tenantId: context.tenantId });
  const known = await caseRefOf(ports, context).then((ref) =>
    ref === undefined ? { opposed: false, processing_restricted: false } : flags(ref),
  );
  return ({ content, record }) =>
    presentCase(record, { content: isShown ? content : undefined, flags: known });
}

/** The reference of the case that the path or the body names. */
async function caseRefOf(ports: CaseParts, context: OperationContext): Promise<string | undefined> {
  const place = placeOf(context);
  if (place.caseId !== '') return (await ports.signed.findCase(place))?.externalRef;
  return (context.body as { readonly external_ref?: string } | undefined)?.external_ref;
}
