/**
 * A report as XML: its head with the institution, a record for each account or pool, and its end.
 * What stands where follows the schemas; identifiers come from outside.
 */
import type { PAYMENT_TYPES, ReportedAccount } from './account.ts';
import { DIALECTS, type Dialect, type ReportSchema } from './dialects.ts';
import { type Corrected, type FiledType, TYPE_DIGITS } from './filedRecords.ts';
import { organisationParts, partyXml } from './partyXml.ts';
import type { ReportingFiContent } from './reportingFiContent.ts';
import { OF_SPONSORS } from './reportingFiContent.ts';
import { close, leaf, node, open, openRoot, type Xml } from './xmlWriter.ts';

/** What the head of a message says. */
export interface ReportHead {
  readonly schema: ReportSchema;
  readonly giin: string;
  readonly fi: ReportingFiContent;
  readonly filerCategory?: string;
  readonly period: string;
  readonly receivingCountry: string;
  readonly messageRefId: string;
  /** `YYYY-MM-DDThh:mm:ss`, in UTC. */
  readonly timestamp: string;
  readonly isTest: boolean;
  readonly isNil: boolean;
  /** Records of it correct others. */
  readonly isCorrection?: boolean;
  /** What a record is, by what it is of. */
  readonly specOf: (of: string) => RecordSpec;
}

/** Which version of a record it is. */
export interface RecordSpec {
  readonly type: FiledType;
  readonly docRefId: string;
  readonly corrected?: Corrected;
}

/** Accounts of one pool. */
export interface PoolTotal {
  readonly type: string;
  readonly count: number;
  readonly balance: string;
  readonly currency: string;
}

const FIXED_NAME = 'OECD207';

const docSpec = (head: ReportHead, dialect: Dialect, what: string): Xml =>
  specXml(head, dialect, head.specOf(what));

/** The DocSpec of a record; in a sandbox its type is one of tests. */
export const specXml = (
  { isTest }: Pick<ReportHead, 'isTest'>,
  { of, regime }: Dialect,
  { corrected, docRefId, type }: RecordSpec,
): Xml => {
  const digits = `${isTest ? '1' : ''}${TYPE_DIGITS[type]}`;
  return node(`${of.main}:DocSpec`, [
    leaf(`${of.doc}:DocTypeIndic`, `${regime === 'FATCA' ? 'FATCA' : 'OECD'}${digits}`),
    leaf(`${of.doc}:DocRefId`, docRefId),
    leaf(`${of.doc}:CorrMessageRefId`, corrected?.messageRefId),
    leaf(`${of.doc}:CorrDocRefId`, corrected?.docRefId),
  ]);
};

/** From the root to where records begin. */
export function headXml(head: ReportHead): Xml {
  const dialect = DIALECTS[head.schema];
  const { body, namespaces, of, root, version } = dialect;
  return [
    openRoot(`${of.main}:${root}`, namespaces, { version }),
    messageSpec(head, dialect),
    ...(isBodiless(head) ? [] : [open(`${of.main}:${body}`), institution(head, dialect)]),
    ...(isBodiless(head) ? [] : [open(`${of.main}:ReportingGroup`), sponsor(head, dialect)]),
  ].join('');
}

/** From where records end to the end of the message. */
export function tailXml(head: ReportHead): Xml {
  const { body, of, root } = DIALECTS[head.schema];
  const ends = [close(`${of.main}:ReportingGroup`), close(`${of.main}:${body}`)];
  return [...(isBodiless(head) ? [] : ends), close(`${of.main}:${root}`)].join('');
}

/** Under CRS a message without accounts says so in its head alone. */
const isBodiless = ({ isNil, schema }: ReportHead): boolean => isNil && schema !== 'fatca-2.0';

function messageSpec(head: ReportHead, { of, regime }: Dialect): Xml {
  const s = of.spec;
  const { fi, giin } = head;
  return node(`${of.main}:MessageSpec`, [
    leaf(`${s}:SendingCompanyIN`, fi.sender_giin ?? giin),
    leaf(`${s}:TransmittingCountry`, fi.country),
    leaf(`${s}:ReceivingCountry`, head.receivingCountry),
    leaf(`${s}:MessageType`, regime),
    leaf(`${s}:Contact`, fi.contact),
    leaf(`${s}:MessageRefId`, head.messageRefId),
    regime === 'CRS' ? leaf(`${s}:MessageTypeIndic`, indicOf(head)) : '',
    leaf(`${s}:ReportingPeriod`, `${head.period}-12-31`),
    leaf(`${s}:Timestamp`, head.timestamp),
  ]);
}

const indicOf = ({ isCorrection = false, isNil }: ReportHead): string => {
  if (isNil) return 'CRS703';
  return isCorrection ? 'CRS702' : 'CRS701';
};

function institution(head: ReportHead, dialect: Dialect): Xml {
  const { fi, filerCategory, giin } = head;
  const isOfFi = filerCategory !== undefined && !OF_SPONSORS.has(filerCategory);
  return node(`${dialect.of.main}:ReportingFI`, [
    ...organisationParts(dialect, {
      addresses: [fi.address],
      countries: [fi.country],
      names: [{ name: fi.name, type: FIXED_NAME }],
      numbers: [
        { country: 'US', value: giin, ...(dialect.regime === 'CRS' && { type: 'GIIN' }) },
        ...(dialect.regime === 'CRS' ? (fi.numbers ?? []) : []),
      ],
    }),
    ...(isOfFi ? [leaf(`${dialect.of.main}:FilerCategory`, filerCategory)] : []),
    docSpec(head, dialect, 'fi'),
  ]);
}

/** Under FATCA alone; CRS has none (60008). */
function sponsor(head: ReportHead, dialect: Dialect): Xml {
  const { fi, filerCategory } = head;
  if (dialect.regime === 'CRS' || fi.sponsor === undefined) return '';
  const isOfSponsor = filerCategory !== undefined && OF_SPONSORS.has(filerCategory);
  return node(`${dialect.of.main}:Sponsor`, [
    ...organisationParts(dialect, {
      addresses: [fi.sponsor.address],
      countries: [fi.sponsor.country],
      names: [{ name: fi.sponsor.name, type: FIXED_NAME }],
      numbers: [{ country: 'US', value: fi.sponsor.giin }],
    }),
    ...(isOfSponsor ? [leaf(`${dialect.of.main}:FilerCategory`, filerCategory)] : []),
    docSpec(head, dialect, 'sponsor'),
  ]);
}

/** The one record of a nil report; CRS says it in the head. */
export function nilXml(head: ReportHead): Xml {
  const dialect = DIALECTS[head.schema];
  if (isBodiless(head)) return '';
  const m = dialect.of.main;
  return node(`${m}:NilReport`, [
    docSpec(head, dialect, 'nil'),
    leaf(`${m}:NoAccountToReport`, 'yes'),
  ]);
}

/** The record of a pool. */
export function poolXml(head: ReportHead, { balance, count, currency, type }: PoolTotal): Xml {
  const dialect = DIALECTS[head.schema];
  const m = dialect.of.main;
  return node(`${m}:PoolReport`, [
    docSpec(head, dialect, `pool:${type}`),
    leaf(`${m}:AccountCount`, count),
    leaf(`${m}:AccountPoolReportType`, type),
    leaf(`${m}:PoolBalance`, balance, { currCode: currency }),
  ]);
}

/** The record of an account. */
export function accountXml(head: ReportHead, account: ReportedAccount): Xml {
  const dialect = DIALECTS[head.schema];
  const spec = docSpec(head, dialect, `account:${account.account_ref}`);
  return dialect.regime === 'FATCA'
    ? fatcaAccount(dialect, spec, account)
    : crsAccount(dialect, spec, account);
}

const PAYMENT_CODES: Readonly<Record<(typeof PAYMENT_TYPES)[number], string>> = {
  dividends: '501',
  gross_proceeds: '503',
  interest: '502',
  other: '504',
};

const payments = (m: string, regime: string, { payments: all = [] }: ReportedAccount): Xml[] =>
  all.map(({ amount, currency, type }) =>
    node(`${m}:Payment`, [
      leaf(`${m}:Type`, `${regime}${PAYMENT_CODES[type]}`),
      leaf(`${m}:PaymentAmnt`, amount, { currCode: currency }),
    ]),
  );

const balance = (m: string, { balance: of }: ReportedAccount): Xml =>
  leaf(`${m}:AccountBalance`, of.amount, { currCode: of.currency });

const yes = (flag: boolean | undefined): string | undefined => (flag === true ? 'true' : undefined);

/** Numbers of e-money are not known to FATCA. */
const FATCA_NUMBERS: ReadonlySet<string | undefined> = new Set([
  'OECD601',
  'OECD602',
  'OECD603',
  'OECD604',
  'OECD605',
]);

function fatcaAccount(dialect: Dialect, spec: Xml, account: ReportedAccount): Xml {
  const m = dialect.of.main;
  const { account_number_type: type, controlling_persons: persons = [], holder } = account;
  return node(`${m}:AccountReport`, [
    spec,
    leaf(`${m}:AccountNumber`, account.account_number, {
      AcctNumberType: FATCA_NUMBERS.has(type) ? type : undefined,
    }),
    leaf(`${m}:AccountClosed`, yes(account.closed)),
    node(`${m}:AccountHolder`, [
      partyXml(dialect, holder),
      holder.kind === 'organisation' ? leaf(`${m}:AcctHolderType`, account.fatca?.holder_type) : '',
    ]),
    ...persons.map(({ party }) => node(`${m}:SubstantialOwner`, [partyXml(dialect, party)])),
    balance(m, account),
    ...payments(m, 'FATCA', account),
  ]);
}

const certified = (hasOne: boolean | undefined, codes: readonly [string, string]) =>
  hasOne === undefined ? undefined : codes[hasOne ? 0 : 1];

function crsAccount(dialect: Dialect, spec: Xml, account: ReportedAccount): Xml {
  const m = dialect.of.main;
  const isThird = dialect.schema === 'crs-3.0';
  const { controlling_persons: persons = [], holder, joint_holders: joint } = account;
  return node(`${m}:AccountReport`, [
    spec,
    leaf(`${m}:AccountNumber`, account.account_number, {
      AcctNumberType: account.account_number_type,
      ClosedAccount: yes(account.closed),
      DormantAccount: yes(account.dormant),
      UndocumentedAccount: yes(account.undocumented),
    }),
    node(`${m}:AccountHolder`, [
      ...(isThird ? (account.equity_interest_types ?? []) : []).map((type) =>
        leaf(`${m}:EquityInterestType`, type),
      ),
      isThird ? leaf(`${m}:SelfCert`, certified(account.self_cert, ['CRS901', 'CRS902'])) : '',
      partyXml(dialect, holder),
      holder.kind === 'organisation' ? leaf(`${m}:AcctHolderType`, account.crs?.holder_type) : '',
    ]),
    ...persons.map(({ party, roles = [], self_cert: cert }) =>
      node(`${m}:ControllingPerson`, [
        partyXml(dialect, party),
        // Version 2.0 has one of them.
        ...(isThird ? roles : roles.slice(0, 1)).map((role) => leaf(`${m}:CtrlgPersonType`, role)),
        isThird ? leaf(`${m}:SelfCert`, certified(cert, ['CRS1001', 'CRS1002'])) : '',
      ]),
    ),
    balance(m, account),
    ...payments(m, 'CRS', account),
    isThird ? leaf(`${m}:DDProcedure`, account.dd_procedure) : '',
    isThird ? leaf(`${m}:AccountType`, account.account_type) : '',
    isThird && joint !== undefined ? node(`${m}:JointAccount`, [leaf(`${m}:Number`, joint)]) : '',
  ]);
}
