/** Accounts of institutions over HTTP: taken in bodies, and listed. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  ACCOUNTS_TOGETHER_MAX,
  type ListAccounts,
  listAccounts,
  type ReportedAccount,
  type ReportRegime,
  reportabilityOf,
  type UpsertedAccounts,
  upsertAccounts,
} from '#slices/tax';
import { kept } from '../../../api/keptAnswer.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { type AskRouteOptions, askOf } from './asker.ts';
import {
  AccountsBody,
  type AccountsGiven,
  AccountsQuery,
  AccountsResult,
  AccountsTaken,
} from './reportingSchemas.ts';

const PATH = '/v1/tcr/accounts';
/** Bytes of a body of accounts: a thousand of a kilobyte. */
const ACCOUNTS_BYTES_MAX = 1024 * 1024;
/** Accounts that cost as much as one call. */
const ACCOUNTS_PER_TOKEN = 100;
const COMMON = { limits: 'general', path: PATH, tag: 'TCR' } as const;

export const accountOperations = (options: AskRouteOptions): Operation[] => [
  taking(options),
  listing(options),
];

const taking = (options: AskRouteOptions): Operation => ({
  ...COMMON,
  id: 'takeAccounts',
  method: 'POST',
  roles: roles.accounts,
  scope: 'tcr:write',
  idempotency: 'required',
  bodyBytesMax: ACCOUNTS_BYTES_MAX,
  tokensOf: (body) => 1 + Math.floor((body as AccountsGiven).accounts.length / ACCOUNTS_PER_TOKEN),
  problems: [
    'accounts-invalid',
    'blob-damaged',
    'import-running',
    'period-invalid',
    'reporting-fi-unknown',
    'state-altered',
  ],
  summary: `Take up to ${ACCOUNTS_TOGETHER_MAX} accounts of a period`,
  description:
    'One of a reference that is there takes its place. Each account says what it is under FATCA ' +
    'and CRS, or names the classification that says so; one of which neither is known goes into ' +
    'no report.',
  body: AccountsBody,
  example: {
    accounts: [
      {
        account_number: 'DE89370400440532013000',
        account_number_type: 'OECD601',
        account_ref: 'A-1',
        balance: { amount: '1500.00', currency: 'EUR' },
        crs: { reportable_jurisdictions: ['DE'] },
        fatca: { reportable: false },
        holder: {
          addresses: [{ city: 'Berlin', country: 'DE' }],
          kind: 'individual',
          names: [{ first: 'Erika', last: 'Mustermann' }],
          residence_countries: ['DE'],
        },
        self_cert: true,
      },
    ],
    reporting_fi_giin: '98Q96B.00000.LE.250',
    reporting_period: '2025',
  },
  responses: { 200: { description: 'What became of each', schema: AccountsTaken } },
  async handle(context) {
    const ports = options.ports();
    const given = context.body as AccountsGiven;
    const { idempotency, reply } = kept<UpsertedAccounts>(ports, context, {
      present: (done) => done,
      status: 200,
    });
    const ask = {
      ...(await askOf(options, context)),
      accounts: given.accounts,
      giin: given.reporting_fi_giin,
      period: given.reporting_period,
    };
    return reply(await upsertAccounts(ports, ask, idempotency.idempotency));
  },
});

const listing = (options: AskRouteOptions): Operation => ({
  ...COMMON,
  id: 'listAccounts',
  method: 'GET',
  roles: roles.readAccounts,
  scope: 'tcr:read',
  idempotency: 'none',
  bodyBytesMax: 0,
  problems: ['blob-damaged', 'state-altered'],
  summary: 'Accounts of a period, with whether and why each goes into a report',
  query: AccountsQuery,
  responses: { 200: { description: 'A page', schema: AccountsResult } },
  async handle({ query, tenantId }) {
    const {
      cursor,
      limit = PAGE_LIMIT_DEFAULT,
      regime = 'FATCA',
      reportable,
      reporting_fi_giin: giin,
      reporting_period: period,
    } = query as unknown as {
      readonly cursor?: string;
      readonly limit?: number;
      readonly regime?: ReportRegime;
      readonly reportable?: boolean;
      readonly reporting_fi_giin: string;
      readonly reporting_period: string;
    };
    const filters = { giin, period, regime, reportable: reportable?.toString() };
    const scope = { filters, list: 'listAccounts', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { accounts, next } = await listAccounts(options.ports(), {
      giin,
      limit,
      period,
      regime,
      tenantId,
      ...(reportable !== undefined && { reportable }),
      ...(position !== undefined && { after: placeOf(position.id) }),
    });
    const key = next && `${next.segmentNo}.${next.position}`;
    return {
      body: {
        data: accounts.map((account) => present(account, regime)),
        next_cursor: key === undefined ? null : options.cursors.encode(scope, { id: key, key }),
      },
      status: 200,
    };
  },
});

function placeOf(key: string): NonNullable<ListAccounts['after']> {
  const [segmentNo = 0, position = 0] = key.split('.').map(Number);
  return { position, segmentNo };
}

const present = (account: ReportedAccount, regime: ReportRegime) => ({
  account,
  ...reportabilityOf(account, regime),
});
