/** A report on its way: validated, filed, and what the authority has said. */
import { DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  type AuthorityAnswer,
  actorOf,
  endSubmission,
  readPackage,
  requestValidation,
  requireEtag,
  returnReport,
  type SeenReport,
  type StrAsk,
  type StrDeskPorts,
  type StrPlace,
  seeReport,
  submitReport,
  validateReport,
} from '#slices/str';
import { SIGNING_PROBLEMS } from '../../../api/givenSignatures.ts';
import { instantOf } from '../../../api/instants.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import {
  answerChange,
  CHANGING,
  ONE_PATH,
  ONE_PROBLEMS,
  placeOf,
  READING,
  type StrRouteOptions,
  viewReport,
} from './routeOptions.ts';
import {
  type Acknowledge,
  AcknowledgeBody,
  LinkResult,
  PackageQuery,
  type Refuse,
  RefuseBody,
  type Return,
  ReturnBody,
  type Validate,
  ValidateBody,
} from './schemas.ts';

const DUAL = [...SIGNING_PROBLEMS, 'person-required'] as const;
const PROFILE = ['str-profile-invalid', 'str-profile-unknown'] as const;
const RECEIPT_BYTES_MAX = 1024 * 1024;

export const filingOperations = (options: StrRouteOptions): Operation[] => [
  request(options),
  validate(options),
  giveBack(options),
  submit(options),
  acknowledge(options),
  refuse(options),
  linkToPackage(options),
  getPackage(options),
];

const request = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: 0,
  id: 'requestStrValidation',
  path: `${ONE_PATH}/request-validation`,
  roles: roles.draft,
  problems: [...ONE_PROBLEMS, ...PROFILE, 'role-insufficient', 'str-incomplete'],
  summary: 'Hand a report to the data protection officers; all that it lacks is told',
  handle: (context) => answerChange(options, context, { change: requestValidation }),
});

const validate = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  id: 'validateStr',
  path: `${ONE_PATH}/validate`,
  roles: roles.validate,
  problems: [...ONE_PROBLEMS, ...DUAL, 'str-checklist-incomplete'],
  summary: 'Sign what a report says, as a data protection officer who wrote nothing of it',
  description:
    'What is signed are the bytes of every second signature: `resource` is `str:<str_id>`, ' +
    '`field` `validation`, `new_value` the content hash. Any change afterwards voids it.',
  body: ValidateBody,
  example: {
    checklist: { necessity: true, retention: true, special_categories: 'none' },
    signature: `${'A'.repeat(86)}==`,
    timestamp: '2026-01-31T06:00:00.000Z',
  },
  handle: (context) => {
    const { checklist, comment, signature, special_categories_reason, timestamp } =
      context.body as Validate;
    return answerChange(options, context, {
      change: (ports, ask) =>
        validateReport(ports, {
          ...ask,
          checklist,
          signature,
          timestamp,
          ...(comment !== undefined && { comment }),
          ...(special_categories_reason !== undefined && { reason: special_categories_reason }),
        }),
    });
  },
});

const giveBack = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  id: 'returnStr',
  path: `${ONE_PATH}/return`,
  roles: roles.validate,
  problems: [...ONE_PROBLEMS, 'dual-control-roles', 'dual-control-same-person', 'person-required'],
  summary: 'Return a report to its author, with what is wrong with it',
  body: ReturnBody,
  example: { comment: 'The third counterparty is not needed' },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) =>
        returnReport(ports, { ...ask, comment: (context.body as Return).comment }),
    }),
});

const submit = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: 0,
  id: 'submitStr',
  path: `${ONE_PATH}/submit`,
  roles: roles.file,
  problems: [
    ...ONE_PROBLEMS,
    ...PROFILE,
    'body-too-large',
    'dual-control-same-person',
    'str-channel-off',
    'str-incomplete',
    'str-profile-unsuitable',
    'str-validation-stale',
  ],
  summary: 'File a validated report: its package is made, sealed, and sent by the tenant’s channel',
  handle: async (context) => {
    const reply = await answerChange(options, context, { change: submitReport });
    options.wake(context.tenantId);
    return reply;
  },
});

const acknowledge = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: RECEIPT_BYTES_MAX,
  id: 'acknowledgeStr',
  path: `${ONE_PATH}/acknowledge`,
  roles: roles.file,
  problems: ONE_PROBLEMS,
  summary: 'Write down that the authority has taken a report',
  body: AcknowledgeBody,
  example: {
    fiu_reference: 'FIU-2026-000123',
    receipt: { base64: 'PHJlY2VpcHQvPg==', file_name: 'receipt.xml' },
  },
  handle: (context) => {
    const { at, fiu_reference, receipt } = context.body as Acknowledge;
    return ended(options, context, {
      fiuReference: fiu_reference,
      kind: 'acknowledged',
      ...(at !== undefined && { at: instantOf(at, '/at') }),
      ...(receipt !== undefined && {
        receipt: { base64: receipt.base64, fileName: receipt.file_name },
      }),
    });
  },
});

const refuse = (options: StrRouteOptions): Operation => ({
  ...CHANGING,
  bodyBytesMax: RECEIPT_BYTES_MAX,
  id: 'refuseStr',
  path: `${ONE_PATH}/refuse`,
  roles: roles.file,
  problems: ONE_PROBLEMS,
  summary: 'Write down that the authority has refused a report, and why',
  description: 'It can be changed, validated and submitted again, under a reference of its own.',
  body: RefuseBody,
  example: {
    reasons: [{ code: 'R-12', detail: 'The branch is missing' }],
    receipt: { base64: 'PHJlY2VpcHQvPg==', file_name: 'receipt.xml' },
  },
  handle: (context) => {
    const { fiu_reference, reasons, receipt } = context.body as Refuse;
    return ended(options, context, {
      kind: 'refused',
      reasons,
      ...(fiu_reference !== undefined && { fiuReference: fiu_reference }),
      ...(receipt !== undefined && {
        receipt: { base64: receipt.base64, fileName: receipt.file_name },
      }),
    });
  },
});

const ended = (options: StrRouteOptions, context: OperationContext, answer: AuthorityAnswer) =>
  answerChange(options, context, { change: (ports, ask) => writeDown(ports, ask, answer) });

/** What an officer says of the submission that waits for an answer. */
export async function writeDown(
  ports: StrDeskPorts,
  ask: StrAsk & StrPlace,
  answer: AuthorityAnswer,
) {
  const { reader } = await seeReport(ports, ask);
  const { idempotency, ip, isExpected } = ask;
  const read = async () => {
    const { report } = await seeReport(ports, ask);
    requireEtag(report, isExpected);
    return report;
  };
  return endSubmission(ports, read, {
    actor: actorOf(reader),
    answer,
    ip,
    ...(idempotency !== undefined && { idempotency }),
  });
}

const linkToPackage = (options: StrRouteOptions): Operation => {
  const { conditions: _, responses: __, ...linking } = CHANGING;
  return {
    ...linking,
    bodyBytesMax: 0,
    scope: 'str:read',
    id: 'linkStrPackage',
    path: `${ONE_PATH}/package`,
    roles: roles.file,
    problems: ONE_PROBLEMS,
    summary: 'A link to the last package, for this caller and five minutes',
    responses: { 200: { description: 'The link', schema: LinkResult } },
    async handle(context) {
      const ports = options.desk();
      const seen = await viewReport(ports, context, 'package');
      const { number, packageSha256 } = lastSubmission(seen);
      const { strId, tenantId } = placeOf(context);
      const caller = context.principal.id;
      const { expiresAt, token } = options.links().make([tenantId, caller, strId, number]);
      return {
        body: {
          expires_at: toTimestamp(expiresAt),
          package_sha256: packageSha256,
          url: `/v1/aml/str/${strId}/package?link=${number}.${token}`,
        },
        status: 200,
      };
    },
  };
};

function lastSubmission({ report }: SeenReport) {
  const last = report.submissions.at(-1);
  if (last !== undefined) return last;
  throw new DomainError('state-conflict', { detail: 'the report was not submitted yet' });
}

const getPackage = (options: StrRouteOptions): Operation => ({
  ...READING,
  id: 'getStrPackage',
  path: `${ONE_PATH}/package`,
  roles: roles.package,
  problems: [...ONE_PROBLEMS, 'str-link-expired'],
  query: PackageQuery,
  summary: 'The package, by a link that was made for the caller',
  responses: { 200: { description: 'XML and attachments', files: ['application/zip'] } },
  async handle(context) {
    const ports = options.desk();
    const seen = await viewReport(ports, context, 'package');
    const { strId, tenantId } = placeOf(context);
    const { link } = context.query as { readonly link: string };
    const caller = context.principal.id;
    const number = numberIn(options, link, [tenantId, caller, strId]);
    const submission = seen.report.submissions.find((one) => one.number === number);
    const bytes = await readPackage(ports, seen.report, submission ?? lastSubmission(seen));
    return {
      body: bytes,
      headers: [
        ['content-type', 'application/zip'],
        ['content-disposition', `attachment; filename="report-${number}.zip"`],
      ],
      status: 200,
    };
  },
});

/** The number of the submission that a link is to. Throws `str-link-expired`. */
function numberIn(
  { links }: Pick<StrRouteOptions, 'links'>,
  link: string,
  of: readonly string[],
): number {
  const [first = '', ...rest] = link.split('.');
  const number = Number(first);
  if (links().isGood(rest.join('.'), [...of, number])) return number;
  throw new DomainError('str-link-expired');
}
