/** Institutions that report, over HTTP. */
import { allRecords, DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  FI_BYTES_MAX,
  lookUpReportingFi,
  type ReportingFi,
  reportingFiTable,
  saveReportingFi,
  type TaxPorts,
} from '#slices/tax';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { type AskRouteOptions, askOf } from './asker.ts';
import { FiBody, FiResult, FisPage } from './reportingSchemas.ts';

const PATH = '/v1/tcr/reporting-fis';
const ONE_PATH = `${PATH}/{giin}`;

const COMMON = { limits: 'general', tag: 'TCR' } as const;
const READING = {
  ...COMMON,
  bodyBytesMax: 0,
  idempotency: 'none',
  method: 'GET',
  roles: roles.read,
  scope: 'tcr:read',
} as const;

export const reportingFiOperations = (options: AskRouteOptions): Operation[] => [
  {
    ...COMMON,
    id: 'stateReportingFi',
    method: 'PUT',
    path: ONE_PATH,
    roles: roles.institutions,
    scope: 'tcr:write',
    idempotency: 'required',
    bodyBytesMax: FI_BYTES_MAX,
    problems: ['giin-invalid', 'reporting-fi-invalid', 'state-altered'],
    summary: 'State an institution that reports, by its GIIN',
    description: 'Whole: what it does not name is not known of it from then on.',
    body: FiBody,
    example: {
      address: { city: 'Tunis', country: 'TN', street: 'Avenue Habib Bourguiba 1' },
      country: 'TN',
      iga_model: 'model_1',
      name: 'Banque Exemple',
      profile: 'oecd-exchange',
      reportable_jurisdictions: ['DE', 'FR'],
      sponsor: {
        address: { city: 'Tunis', country: 'TN' },
        country: 'TN',
        giin: '98Q96C.00000.SP.788',
        name: 'Groupe Exemple',
      },
    },
    responses: { 200: { description: 'The institution', schema: FiResult } },
    async handle(context) {
      const ports = options.ports();
      const { idempotency, reply } = kept<ReportingFi>(ports, context, { present, status: 200 });
      const ask = {
        ...(await askOf(options, context)),
        content: context.body,
        giin: context.params.giin ?? '',
      };
      return reply(await saveReportingFi(ports, ask, idempotency.idempotency));
    },
  },
  {
    ...READING,
    id: 'getReportingFi',
    path: ONE_PATH,
    problems: ['not-found', 'state-altered'],
    summary: 'An institution that reports',
    responses: { 200: { description: 'The institution', schema: FiResult } },
    async handle({ params, tenantId }) {
      const found = await lookUpReportingFi(options.ports(), { giin: params.giin ?? '', tenantId });
      if (found === undefined) {
        throw new DomainError('not-found', { detail: 'no institution of that GIIN was stated' });
      }
      return { body: present(found), status: 200 };
    },
  },
  {
    ...READING,
    id: 'listReportingFis',
    path: PATH,
    summary: 'All institutions that report, by GIIN',
    responses: { 200: { description: 'The institutions', schema: FisPage } },
    handle: async ({ tenantId }) => ({
      body: { data: (await allOf(options.ports(), tenantId)).map(present) },
      status: 200,
    }),
  },
];

const allOf = ({ tables }: TaxPorts, tenantId: ReportingFi['tenantId']) =>
  allRecords(tables, reportingFiTable, { equal: { tenantId }, index: 'key' });

const present = ({ content, createdAt, giin, updatedAt, updatedBy }: ReportingFi) => ({
  giin,
  ...content,
  created_at: toTimestamp(createdAt),
  updated_at: toTimestamp(updatedAt),
  updated_by: updatedBy,
});
