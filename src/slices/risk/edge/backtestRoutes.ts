/** Backtests of risk policies over HTTP: asked for, and their reports. */
import { Type } from 'typebox';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { LOCALES, type Locale } from '#platform/locales';
import {
  BACKTEST_PERIOD_MS,
  findRiskBacktest,
  type Population,
  type RiskBacktest,
  readRiskReport,
  requestRiskBacktest,
} from '#slices/risk';
import { instantOf } from '../../../api/instants.ts';
import { askedBy, kept } from '../../../api/keptAnswer.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import type { RiskParts } from './parts.ts';
import { backtestTimes } from './presentation.ts';
import {
  CHANGE_PROBLEMS,
  COMMON,
  POLICY_PATH,
  placeOf,
  READING,
  type RiskRouteOptions,
} from './routeOptions.ts';
import { BacktestBody, BacktestReportSchema, BacktestSchema } from './stageSchemas.ts';

const BODY_BYTES_MAX = 64 * 1024;

export const backtestOperations = (options: RiskRouteOptions): Operation[] => [
  request(options),
  report(options),
  pdf(options),
];

const request = (options: RiskRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: BODY_BYTES_MAX,
  id: 'backtestRiskPolicy',
  idempotency: 'required',
  method: 'POST',
  path: `${POLICY_PATH}/backtest`,
  problems: [...CHANGE_PROBLEMS, 'policy-invalid', 'policy-unknown'],
  roles: roles.draft,
  scope: 'risk:write',
  summary: 'Try a policy upon past evaluations, in a worker; one at a time for each policy',
  body: BacktestBody,
  example: { population: { from: '2025-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' } },
  responses: { 202: { description: 'Where its report will be', schema: BacktestSchema } },
  async handle(context) {
    const ports = options.ports();
    const { idempotency, reply } = kept<RiskBacktest>(ports, context, {
      present: ({ btrId, status }) => ({ btrId, status }),
      status: 202,
    });
    const population = populationOf(context.body, ports.clock.now());
    const ask = { ...askedBy(context), ...placeOf(context), ...idempotency };
    const made = await requestRiskBacktest(ports, ask, population);
    options.wake(context.tenantId);
    return reply(made);
  },
});

/** Throws `body-invalid` where the time is none. */
function populationOf(body: unknown, now: EpochMs): Population {
  const { population } = (body ?? {}) as {
    readonly population?: {
      readonly from: string;
      readonly segments?: readonly string[];
      readonly to: string;
    };
  };
  if (population === undefined) return { from: (now - BACKTEST_PERIOD_MS) as EpochMs, to: now };
  const from = instantOf(population.from, '/population/from');
  const to = instantOf(population.to, '/population/to');
  const { segments } = population;
  if (from < to) return { from, to, ...(segments !== undefined && { segments }) };
  const violations = [
    { code: 'range', detail: 'expected from before to', pointer: '/population/from' },
  ];
  throw new DomainError('body-invalid', { violations });
}

const report = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskBacktestReport',
  path: `${POLICY_PATH}/backtest-reports/{btr_id}`,
  problems: ['backtest-unknown', 'blob-damaged', 'policy-unknown', 'state-altered'],
  summary: 'The report of a backtest, signed; while it is worked on, its state',
  responses: { 200: { description: 'The report', schema: BacktestReportSchema } },
  async handle(context) {
    const ports = options.ports();
    const btrId = context.params.btr_id ?? '';
    const backtest = await findRiskBacktest(ports, { ...placeOf(context), btrId });
    const { failure, reportSha256, status } = backtest;
    const found = reportSha256 === undefined ? {} : await readRiskReport(ports, reportSha256);
    const reported = await reportedFor(context, ports, backtest);
    return {
      body: {
        btr_id: btrId,
        ...found,
        ...reported,
        status,
        ...backtestTimes(backtest),
        ...(failure !== undefined && { failure }),
        ...(reportSha256 !== undefined && { report_sha256: reportSha256 }),
      },
      status: 200,
    };
  },
});

/** The report of clients who were reported to the authority: for whom such reports exist. */
async function reportedFor(
  { principal }: Pick<OperationContext, 'principal'>,
  ports: RiskParts,
  { reportedSha256 }: RiskBacktest,
): Promise<object> {
  const mayKnow = principal.roles.some((role) =>
    (roles.reported as readonly string[]).includes(role),
  );
  if (!mayKnow || reportedSha256 === undefined) return {};
  return { reported: await readRiskReport(ports, reportedSha256) };
}

const PdfQuery = Type.Object(
  { lang: Type.Optional(Type.Union(LOCALES.map((one) => Type.Literal(one)))) },
  { additionalProperties: false },
);

const pdf = (options: RiskRouteOptions): Operation => ({
  ...READING,
  id: 'getRiskBacktestPdf',
  path: `${POLICY_PATH}/backtest-reports/{btr_id}/pdf`,
  problems: ['backtest-unknown', 'blob-damaged', 'not-found', 'policy-unknown', 'state-altered'],
  summary:
    'The report of a backtest as a PDF, with its matrix drawn; the signed report is attached',
  description: 'Its SHA-256 is in the entry `risk.backtest.ended`.',
  query: PdfQuery,
  responses: {
    200: { description: 'The pages', files: ['application/pdf'] },
  },
  async handle(context) {
    const ports = options.ports();
    const btrId = context.params.btr_id ?? '';
    const { lang = 'en' } = context.query as { readonly lang?: Locale };
    const { pdfs } = await findRiskBacktest(ports, { ...placeOf(context), btrId });
    const address = pdfs?.[lang];
    const bytes = address === undefined ? undefined : await ports.blobs.get(address);
    if (address === undefined || bytes === undefined) throw new DomainError('not-found');
    if (sha256Hex(bytes) !== address) throw new DomainError('blob-damaged');
    return {
      body: Buffer.from(bytes),
      headers: [
        ['content-type', 'application/pdf'],
        ['content-disposition', `attachment; filename="backtest-${btrId}-${lang}.pdf"`],
        ['etag', `"${address}"`],
      ],
      status: 200,
    };
  },
});
