/** Forms of holders and their self-certifications over HTTP. */
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  addForm,
  FORM_BYTES_MAX,
  type FormPosition,
  findForm,
  formTarget,
  listForms,
  noteChange,
  readFormContent,
  revokeForm,
  type StoredForm,
  type TaxPorts,
} from '#slices/tax';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { type AskRouteOptions, askOf } from './asker.ts';
import { FORM_EXAMPLE, W8BEN_EXAMPLE } from './formExamples.ts';
import { presentForm, presentFormRow } from './formPresentation.ts';
import {
  ChangeBody,
  type ChangeGiven,
  FormBody,
  FormResult,
  type FormsGiven,
  FormsPageSchema,
  FormsQuery,
  LINES,
  RevokeBody,
  type RevokeGiven,
} from './formSchemas.ts';

const PATH = '/v1/tcr/forms';
const ONE_PATH = `${PATH}/{form_id}`;

const COMMON = { limits: 'general', tag: 'TCR' } as const;
const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'tcr:read',
} as const;
const CHANGING = {
  ...COMMON,
  bodyBytesMax: FORM_BYTES_MAX,
  idempotency: 'required',
  method: 'POST',
  roles: roles.classify,
  scope: 'tcr:write',
} as const satisfies Partial<Operation>;
const ANSWER = { description: 'The form', example: FORM_EXAMPLE, schema: FormResult };

export const formOperations = (options: AskRouteOptions): Operation[] => [
  adding(options),
  list(options),
  get(options),
  changing(options),
  revoking(options),
];

const answer = (ports: TaxPorts, context: OperationContext, status: 200 | 201) =>
  kept<StoredForm>(ports, context, { present: presentForm, status });

const idOf = ({ params }: OperationContext): string => params.form_id ?? '';

const adding = (options: AskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'addTaxForm',
  path: PATH,
  problems: ['blob-damaged', 'form-fields-invalid', 'giin-invalid', 'state-altered', 'tin-invalid'],
  summary: 'Hand in a form of the IRS or a self-certification of a holder; it is checked',
  description:
    'One that lacks nothing is `valid`: it takes the place of the former of its kind, and the ' +
    'holder is classified with it in the same commit. One with a finding of severity `error` is ' +
    `\`incomplete\`, and counts for nothing. ${LINES}`,
  body: FormBody,
  example: W8BEN_EXAMPLE,
  responses: { 201: ANSWER },
  async handle(context) {
    const ports = options.ports();
    const { idempotency, reply } = answer(ports, context, 201);
    const ask = { ...(await askOf(options, context)), form: context.body };
    return reply(await addForm(ports, ask, idempotency.idempotency));
  },
});

const list = (options: AskRouteOptions): Operation => ({
  ...READING,
  id: 'listTaxForms',
  path: PATH,
  summary: 'Forms of holders, latest first, without what stands on them',
  query: FormsQuery,
  responses: { 200: { description: 'A page', schema: FormsPageSchema } },
  async handle({ query, tenantId }) {
    const given = query as FormsGiven;
    const {
      cursor,
      expiring_before,
      limit = PAGE_LIMIT_DEFAULT,
      status,
      subject_ref,
      type,
    } = given;
    const filters = { expiring_before, status, subject_ref, type };
    const scope = { filters, list: 'listTaxForms', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { next, records } = await listForms(options.ports(), {
      limit,
      tenantId,
      ...(position !== undefined && {
        after: { formId: position.id, validUntil: String(position.key) },
      }),
      ...(expiring_before !== undefined && { expiringBefore: expiring_before }),
      ...(status !== undefined && { status }),
      ...(subject_ref !== undefined && { subjectRef: subject_ref }),
      ...(type !== undefined && { type }),
    });
    const behind = next === undefined ? null : options.cursors.encode(scope, placeOf(next));
    return { body: { data: records.map(presentFormRow), next_cursor: behind }, status: 200 };
  },
});

const placeOf = ({ formId, validUntil = '' }: FormPosition) => ({ id: formId, key: validUntil });

const get = (options: AskRouteOptions): Operation => ({
  ...READING,
  id: 'getTaxForm',
  path: ONE_PATH,
  problems: ['blob-damaged', 'state-altered', 'tax-form-unknown'],
  summary: 'A form with all that stands on it; that it was read is an entry',
  responses: { 200: ANSWER },
  async handle(context) {
    const ports = options.ports();
    const { tenantId } = context;
    const record = await findForm(ports, { formId: idOf(context), tenantId });
    const content = await readFormContent(ports, record);
    const { actor, ip } = await askOf(options, context);
    const viewed = entry(ports, {
      action: 'tcr.form.viewed',
      actor,
      target: formTarget(record),
      ...(ip !== undefined && { ip }),
    });
    await ports.commit(chainOf(tenantId), { bus: [], changes: [], events: [viewed] });
    return { body: presentForm({ content, record }), status: 200 };
  },
});

const OF_STATES = [
  'blob-damaged',
  'form-fields-invalid',
  'state-altered',
  'state-conflict',
  'tax-form-unknown',
] as const;

const changing = (options: AskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'noteChangeOfCircumstances',
  path: `${ONE_PATH}/change-of-circumstances`,
  problems: OF_STATES,
  summary: 'Note that a form is incorrect; a new one is awaited for ninety days',
  description:
    'The holder is classified anew, as `pending_cure` until `cure_due`; after it, by indicia.',
  body: ChangeBody,
  example: { explanation: 'Letters come back from Lyon: moved to Boston', reason: 'address' },
  responses: {
    200: {
      ...ANSWER,
      example: {
        ...FORM_EXAMPLE,
        change: 'address',
        cure_due: '2026-08-30',
        holder_due: '2026-07-01',
        status: 'invalidated_by_change',
      },
    },
  },
  async handle(context) {
    const ports = options.ports();
    const { explanation, noticed_on: noticedOn, reason } = context.body as ChangeGiven;
    const { idempotency, reply } = answer(ports, context, 200);
    const ask = {
      ...(await askOf(options, context)),
      formId: idOf(context),
      reason,
      ...(explanation !== undefined && { explanation }),
      ...(noticedOn !== undefined && { noticedOn }),
    };
    return reply(await noteChange(ports, ask, idempotency.idempotency));
  },
});

const revoking = (options: AskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'revokeTaxForm',
  path: `${ONE_PATH}/revoke`,
  problems: OF_STATES,
  summary: 'Revoke a form: the holder is classified without it at once',
  body: RevokeBody,
  example: { reason: 'It was signed by somebody without the power to' },
  responses: { 200: { ...ANSWER, example: { ...FORM_EXAMPLE, status: 'revoked' } } },
  async handle(context) {
    const ports = options.ports();
    const { reason } = context.body as RevokeGiven;
    const { idempotency, reply } = answer(ports, context, 200);
    const ask = { ...(await askOf(options, context)), formId: idOf(context), reason };
    return reply(await revokeForm(ports, ask, idempotency.idempotency));
  },
});
