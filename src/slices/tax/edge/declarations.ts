/** Declarations over HTTP: made, generated, read and cancelled. */
import { DomainError } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  cancelDeclaration,
  createDeclaration,
  type DeclarationAsk,
  FI_BYTES_MAX,
  findDeclaration,
  listDeclarations,
  orderGeneration,
  type TaxDeclaration,
} from '#slices/tax';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { type AskRouteOptions, askOf } from './asker.ts';
import {
  CancelBody,
  DeclarationBody,
  type DeclarationGiven,
  DeclarationResult,
  DeclarationsQuery,
  DeclarationsResult,
  type RecordGiven,
} from './declarationSchemas.ts';
import { presentDeclaration, presentDeclarationRow } from './presentation.ts';

/** What the operations are made of. */
export interface DeclarationRouteOptions extends AskRouteOptions {
  readonly wake: (id: string) => void;
}

const PATH = '/v1/tcr/declarations';
const ONE_PATH = `${PATH}/{declaration_id}`;
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
  bodyBytesMax: FI_BYTES_MAX,
  idempotency: 'required',
  method: 'POST',
  scope: 'tcr:write',
} as const;
const CHANGED = { 200: { description: 'The declaration', schema: DeclarationResult } } as const;

export const declarationOperations = (options: DeclarationRouteOptions): Operation[] => [
  creating(options),
  listing(options),
  getting(options),
  generating(options),
  cancelling(options),
];

const creating = (options: DeclarationRouteOptions): Operation => ({
  ...CHANGING,
  id: 'createDeclaration',
  path: PATH,
  roles: roles.declare,
  problems: [
    'corrects-not-correctable',
    'corrects-required',
    'declaration-exists',
    'declaration-invalid',
    'period-invalid',
    'reporting-fi-unknown',
    'state-altered',
  ],
  summary: 'Make a declaration; its XML is generated at once unless `generate` is false',
  description:
    'It stays a draft where something is found that forbids it; its findings say what and where.',
  body: DeclarationBody,
  example: {
    filer_category: 'FATCA601',
    reporting_fi_giin: '98Q96B.00000.LE.250',
    reporting_period: '2025',
    type: 'FATCA1',
  },
  responses: { 201: { description: 'The declaration', schema: DeclarationResult } },
  async handle(context) {
    const ports = options.ports();
    const given = context.body as DeclarationGiven;
    const { filer_category: filerCategory, generate, nil_report: nilReport, schema } = given;
    const { corrects, records } = given;
    const { auto_submit_ides: autoSubmit, receiving_country: receivingCountry } = given;
    requireFiler(context, autoSubmit);
    const { idempotency, reply } = kept<TaxDeclaration>(ports, context, {
      present: presentDeclaration,
      status: 201,
    });
    const ask = {
      ...(await askOf(options, context)),
      giin: given.reporting_fi_giin,
      isTest: context.principal.environment === 'sandbox',
      period: given.reporting_period,
      type: given.type,
      ...(autoSubmit !== undefined && { autoSubmit }),
      ...(corrects !== undefined && { corrects }),
      ...(filerCategory !== undefined && { filerCategory }),
      ...(generate !== undefined && { generate }),
      ...(nilReport !== undefined && { nilReport }),
      ...(receivingCountry !== undefined && { receivingCountry }),
      ...(records !== undefined && { records: records.map(nameOf) }),
      ...(schema !== undefined && { schema }),
    };
    const made = await createDeclaration(ports, ask, idempotency.idempotency);
    options.wake(made.declarationId);
    return reply(made);
  },
});

const nameOf = ({ account_ref: account, doc_ref_id: record }: RecordGiven): string =>
  account ?? record ?? '';

/** The person who has it generated submits it. Throws `role-insufficient`, `scope-insufficient`. */
function requireFiler({ principal }: OperationContext, autoSubmit: boolean | undefined): void {
  if (autoSubmit !== true) return;
  const mayFile = principal.roles.some((role) => roles.file.some((one) => one === role));
  if (!mayFile) throw new DomainError('role-insufficient');
  const isScoped = principal.scopes?.includes('tcr:submit') ?? true;
  if (!isScoped) throw new DomainError('scope-insufficient');
}

const listing = (options: DeclarationRouteOptions): Operation => ({
  ...READING,
  id: 'listDeclarations',
  path: PATH,
  summary: 'Declarations, latest first, by year of the period and state',
  query: DeclarationsQuery,
  responses: { 200: { description: 'A page', schema: DeclarationsResult } },
  async handle({ query, tenantId }) {
    const given = query as {
      readonly cursor?: string;
      readonly limit?: number;
      readonly nil_report?: boolean;
      readonly regime?: TaxDeclaration['regime'];
      readonly status?: TaxDeclaration['status'];
      readonly type?: string;
      readonly year?: string;
    };
    const { cursor, limit = PAGE_LIMIT_DEFAULT, nil_report: nilReport, ...filters } = given;
    const scope = {
      filters: { ...filters, nil: nilReport?.toString() },
      list: 'listDeclarations',
      tenantId,
    };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { next, records } = await listDeclarations(options.ports(), {
      ...filters,
      limit,
      tenantId,
      ...(nilReport !== undefined && { nilReport }),
      ...(position !== undefined && { after: position.id }),
    });
    const behind =
      next === undefined ? null : options.cursors.encode(scope, { id: next, key: next });
    return { body: { data: records.map(presentDeclarationRow), next_cursor: behind }, status: 200 };
  },
});

const placeOf = ({ params, tenantId }: OperationContext) => ({
  declarationId: params.declaration_id ?? '',
  tenantId,
});

const getting = (options: DeclarationRouteOptions): Operation => ({
  ...READING,
  id: 'getDeclaration',
  path: ONE_PATH,
  problems: ['declaration-unknown', 'state-altered'],
  summary: 'A declaration with its messages and its timeline',
  responses: CHANGED,
  handle: async (context) => ({
    body: presentDeclaration(await findDeclaration(options.ports(), placeOf(context))),
    status: 200,
  }),
});

const generating = (options: DeclarationRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: 0,
  id: 'generateDeclaration',
  path: `${ONE_PATH}/generate`,
  roles: roles.declare,
  problems: ['declaration-unknown', 'state-altered', 'state-conflict'],
  summary: 'Generate the XML of a draft, or of one that was generated, from the accounts of now',
  responses: CHANGED,
  async handle(context) {
    const ports = options.ports();
    const ask: DeclarationAsk = { ...(await askOf(options, context)), ...placeOf(context) };
    const { autoSubmit } = await findDeclaration(ports, ask);
    requireFiler(context, autoSubmit);
    const { idempotency, reply } = kept<TaxDeclaration>(ports, context, {
      present: presentDeclaration,
      status: 200,
    });
    const next = await orderGeneration(ports, ask, idempotency.idempotency);
    options.wake(next.declarationId);
    return reply(next);
  },
});

/** States in which it is cancelled without another declaration. */
const NOT_FILED: ReadonlySet<TaxDeclaration['status']> = new Set([
  'draft',
  'generated',
  'rejected',
]);

const cancelling = (options: DeclarationRouteOptions): Operation => ({
  ...CHANGING,
  id: 'cancelDeclaration',
  path: `${ONE_PATH}/cancel`,
  roles: roles.cancel,
  problems: ['corrects-not-correctable', 'declaration-unknown', 'state-altered', 'state-conflict'],
  summary: 'Cancel a declaration',
  description:
    'At once where nothing of it is on file; of an accepted one all records are voided by a ' +
    'declaration of its own, `voided_by`, and it is over once that one is accepted.',
  body: CancelBody,
  example: { reason: 'The accounts of a branch were missing.' },
  responses: CHANGED,
  async handle(context) {
    const ports = options.ports();
    const { reason } = context.body as { readonly reason: string };
    const ask = { ...(await askOf(options, context)), ...placeOf(context), reason };
    // What takes back a declaration is submitted by itself.
    const { status } = await findDeclaration(ports, ask);
    requireFiler(context, !NOT_FILED.has(status));
    const { idempotency, reply } = kept<TaxDeclaration>(ports, context, {
      present: presentDeclaration,
      status: 200,
    });
    const next = await cancelDeclaration(ports, ask, idempotency.idempotency);
    options.wake(next.declarationId);
    return reply(next);
  },
});
