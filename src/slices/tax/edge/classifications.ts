/** Holders as they are classified, read and cured over HTTP. */
import { entry } from '#core/audit';
import { chainOf } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  CLASSIFICATION_BYTES_MAX,
  type ClassificationStatus,
  type Classified,
  type ClassifySubject,
  classifySubject,
  cureIndicium,
  findClassification,
  listClassifications,
  readClassificationContent,
  type TaxPorts,
  targetOf,
} from '#slices/tax';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { type AskRouteOptions, askOf } from './asker.ts';
import { presentClassified, presentRow } from './presentation.ts';
import {
  type ClassificationGiven,
  ClassificationResultSchema,
  ClassificationsPage,
  ClassificationsQuery,
  CureBody,
  type CureGiven,
} from './schemas.ts';
import { ClassificationBody } from './subjectSchemas.ts';

const PATH = '/v1/tcr/classifications';
const ONE_PATH = `${PATH}/{classification_id}`;

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
  bodyBytesMax: CLASSIFICATION_BYTES_MAX,
  idempotency: 'required',
  method: 'POST',
  responses: { 201: { description: 'The classification', schema: ClassificationResultSchema } },
  scope: 'tcr:write',
} as const satisfies Partial<Operation>;

export const classificationOperations = (options: AskRouteOptions): Operation[] => [
  classifying(options),
  list(options),
  get(options),
  cure(options),
];

const answer = (ports: TaxPorts, context: OperationContext) =>
  kept<Classified>(ports, context, { present: presentClassified, status: 201 });

const classifying = (options: AskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'classifyHolder',
  path: PATH,
  roles: roles.classify,
  problems: ['blob-damaged', 'classification-invalid', 'state-altered'],
  summary: 'What a holder is for FATCA and CRS, with every rule that was looked at',
  description:
    'By decision tables that are total and of which the first rule that fits decides. A later ' +
    'classification of the same `subject_ref` takes the place of the one before.',
  body: ClassificationBody,
  example: {
    account: { balance_usd: '120000.00', opened: 'preexisting', product: 'depository' },
    institution: {
      country: 'FR',
      iga_model: 'model_1',
      reportable_jurisdictions: ['DE', 'IT'],
    },
    subject: {
      addresses: [{ country: 'FR', kind: 'residence' }],
      birth_country: 'US',
      kind: 'individual',
    },
    subject_ref: 'customer-4711',
  },
  async handle(context) {
    const ports = options.ports();
    const { subject_ref: subjectRef, ...inputs } = context.body as ClassificationGiven;
    const { idempotency, reply } = answer(ports, context);
    const ask = { ...(await askOf(options, context)), inputs, subjectRef } as ClassifySubject;
    return reply(await classifySubject(ports, ask, idempotency.idempotency));
  },
});

const list = (options: AskRouteOptions): Operation => ({
  ...READING,
  id: 'listClassifications',
  path: PATH,
  summary: 'Classifications, latest first, with those that were superseded',
  query: ClassificationsQuery,
  responses: { 200: { description: 'A page', schema: ClassificationsPage } },
  async handle({ query, tenantId }) {
    const {
      cursor,
      limit = PAGE_LIMIT_DEFAULT,
      status,
      subject_ref: subjectRef,
    } = query as {
      readonly cursor?: string;
      readonly limit?: number;
      readonly status?: ClassificationStatus;
      readonly subject_ref?: string;
    };
    const filters = { status, subject_ref: subjectRef };
    const scope = { filters, list: 'listClassifications', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { next, records } = await listClassifications(options.ports(), {
      limit,
      tenantId,
      ...(position !== undefined && { after: position.id }),
      ...(status !== undefined && { status }),
      ...(subjectRef !== undefined && { subjectRef }),
    });
    const behind =
      next === undefined ? null : options.cursors.encode(scope, { id: next, key: next });
    return { body: { data: records.map(presentRow), next_cursor: behind }, status: 200 };
  },
});

const get = (options: AskRouteOptions): Operation => ({
  ...READING,
  id: 'getClassification',
  path: ONE_PATH,
  problems: ['blob-damaged', 'classification-unknown', 'state-altered'],
  summary: 'A classification with all that it was made from; that it was read is an entry',
  responses: { 200: { description: 'The classification', schema: ClassificationResultSchema } },
  async handle(context) {
    const ports = options.ports();
    const { params, tenantId } = context;
    const classificationId = params.classification_id ?? '';
    const record = await findClassification(ports, { classificationId, tenantId });
    const content = await readClassificationContent(ports, record);
    const { actor, ip } = await askOf(options, context);
    const viewed = entry(ports, {
      action: 'tcr.classification.viewed',
      actor,
      target: targetOf(record),
      ...(ip !== undefined && { ip }),
    });
    await ports.commit(chainOf(tenantId), { bus: [], changes: [], events: [viewed] });
    return { body: presentClassified({ content, record }), status: 200 };
  },
});

const cure = (options: AskRouteOptions): Operation => ({
  ...CHANGING,
  id: 'cureIndicium',
  path: `${ONE_PATH}/cure`,
  roles: roles.cure,
  problems: [
    'blob-damaged',
    'classification-invalid',
    'classification-unknown',
    'state-altered',
    'state-conflict',
  ],
  summary: 'Lay evidence against an indicium; the holder is classified anew with it',
  body: CureBody,
  example: {
    country: 'US',
    documents: ['self_certification', 'non_us_passport', 'loss_of_nationality_certificate'],
    indicium: 'US_BIRTHPLACE',
    self_certification: { is_reasonable: true, residences: ['FR'] },
  },
  async handle(context) {
    const ports = options.ports();
    const given = context.body as CureGiven;
    const { idempotency, reply } = answer(ports, context);
    const { explanation, self_certification: selfCertification } = given;
    const ask = {
      ...(await askOf(options, context)),
      classificationId: context.params.classification_id ?? '',
      country: given.country,
      documents: given.documents,
      indicium: given.indicium,
      ...(explanation !== undefined && { explanation }),
      ...(selfCertification !== undefined && { selfCertification }),
    };
    return reply(await cureIndicium(ports, ask, idempotency.idempotency));
  },
});
