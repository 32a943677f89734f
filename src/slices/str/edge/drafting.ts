/** Reports as they are drafted, read and changed. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  changeReport,
  createReport,
  DRAFT_BYTES_MAX,
  type GivenContent,
  listReports,
  nextReference,
  previewReport,
  readContent,
  readerOf,
  type StrStatus,
} from '#slices/str';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { ChangeBody, DraftBody, EXAMPLE_SUBJECT } from './contentSchemas.ts';
import { presentPreview, presentReport, presentRow } from './presentation.ts';
import {
  answerChange,
  CHANGING,
  ONE_PATH,
  ONE_PROBLEMS,
  PATH,
  READING,
  type StrRouteOptions,
  viewReport,
} from './routeOptions.ts';
import { Changed, PreviewResult, ReportResult, ReportsPage, ReportsQuery } from './schemas.ts';

const CONTENT_PROBLEMS = [
  'str-content-invalid',
  'str-profile-invalid',
  'str-profile-unknown',
] as const;

export const draftingOperations = (options: StrRouteOptions): Operation[] => [
  draft(options),
  list(options),
  get(options),
  change(options),
  preview(options),
];

const draft = (options: StrRouteOptions): Operation => {
  const { conditions: _, ...creating } = CHANGING;
  return {
    ...creating,
    bodyBytesMax: DRAFT_BYTES_MAX,
    id: 'createStr',
    path: PATH,
    roles: roles.draft,
    problems: [
      ...CONTENT_PROBLEMS,
      'alert-unknown',
      'blob-damaged',
      'evidence-altered',
      'not-found',
      'results-altered',
      'state-altered',
      'transaction-unknown',
    ],
    summary: 'Draft a report to the authority',
    description:
      'From nothing, from an alert, or from transactions of the log. Nothing of what it says ' +
      'comes back. Until it is filed it exists for its author, compliance officers and the MLRO, ' +
      'and for data protection officers while it waits for one; from then on for compliance ' +
      'officers, administrators and auditors alone. Everybody else gets the answer of an ' +
      'unknown id.',
    body: DraftBody,
    example: {
      narrative: 'Cash was paid in at four branches within two days, always below the threshold.',
      report_code: 'STR',
      subject: EXAMPLE_SUBJECT,
    },
    responses: { 201: { description: 'The draft', schema: Changed } },
    handle: (context) =>
      answerChange(options, context, {
        change: (ports, ask) => createReport(ports, ask, context.body as GivenContent),
        status: 201,
      }),
  };
};

const list = (options: StrRouteOptions): Operation => ({
  ...READING,
  id: 'listStr',
  path: PATH,
  summary: 'Reports that exist for the caller, latest first',
  query: ReportsQuery,
  responses: { 200: { description: 'A page of reports', schema: ReportsPage } },
  async handle({ principal, query, tenantId }) {
    const {
      cursor,
      limit = PAGE_LIMIT_DEFAULT,
      status,
    } = query as {
      readonly cursor?: string;
      readonly limit?: number;
      readonly status?: StrStatus;
    };
    const ports = options.desk();
    const scope = { filters: { status }, list: 'listStr', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const reader = readerOf(principal, await ports.listPersons(tenantId));
    const { next, reports } = await listReports(ports, {
      limit,
      reader,
      tenantId,
      ...(position !== undefined && { after: position.id }),
      ...(status !== undefined && { status }),
    });
    const behind =
      next === undefined ? null : options.cursors.encode(scope, { id: next, key: next });
    return { body: { data: reports.map(presentRow), next_cursor: behind }, status: 200 };
  },
});

const get = (options: StrRouteOptions): Operation => ({
  ...READING,
  id: 'getStr',
  path: ONE_PATH,
  problems: ONE_PROBLEMS,
  summary: 'A report with all that it says; that it was read is an entry',
  responses: { 200: { description: 'The report', schema: ReportResult } },
  async handle(context) {
    const ports = options.desk();
    const seen = await viewReport(ports, context, 'report');
    const body = await presentReport(ports, seen);
    return { body, headers: [['etag', body.etag]], status: 200 };
  },
});

const change = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: DRAFT_BYTES_MAX,
  id: 'changeStr',
  method: 'PATCH',
  path: ONE_PATH,
  roles: roles.draft,
  problems: [...ONE_PROBLEMS, ...CONTENT_PROBLEMS, 'role-insufficient'],
  summary: 'Change what a report says; a validation that it has is void after it',
  description: 'Members that are given are replaced whole; `clear` names those that go.',
  body: ChangeBody,
  example: { indicators: ['structuring'], subject: EXAMPLE_SUBJECT },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) => changeReport(ports, ask, context.body as GivenContent),
    }),
});

const preview = (options: StrRouteOptions): Operation => ({
  ...READING,
  id: 'previewStr',
  path: `${ONE_PATH}/preview`,
  problems: [...ONE_PROBLEMS, 'str-profile-invalid', 'str-profile-unknown'],
  summary: 'The XML as it would be now, and all that keeps it from being filed',
  responses: { 200: { description: 'The preview', schema: PreviewResult } },
  async handle(context) {
    const ports = options.desk();
    const { report } = await viewReport(ports, context, 'preview');
    const content = await readContent(ports, report);
    const found = await previewReport(ports, {
      at: ports.clock.now(),
      content,
      references: nextReference(report, content),
      report,
    });
    return { body: presentPreview(found), status: 200 };
  },
});
