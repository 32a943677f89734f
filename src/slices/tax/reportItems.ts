/**
 * The records of a report, out of the accounts of a book or out of what is on file, and what is
 * wrong with how many they are.
 */
import { reportabilityOf } from './account.ts';
import type { DeclarationMessage, TaxDeclaration } from './declarationTables.ts';
import type { PoolTotals } from './poolTotals.ts';
import type { TaxPorts } from './ports.ts';
import { accountFor } from './reportedPersons.ts';
import type { ReportingFiContent } from './reportingFiContent.ts';
import { itemOf, type ReportItem } from './reportMessages.ts';
import type { ReportPlan } from './reportPlan.ts';
import type { ReportFinding } from './reportRules.ts';
import type { PoolTotal, ReportHead } from './reportXml.ts';
import type { AccountBook } from './tables.ts';
import { walkAccounts } from './walkAccounts.ts';

/** Whether the authority has a message, or is about to. */
export const isOnFile = ({ filing }: DeclarationMessage): boolean =>
  filing?.state === 'accepted' || filing?.state === 'deposited';

/** What was met on the way. */
export interface Counted {
  accounts: number;
  /** Accounts of which it is unknown what they are under this regime: they are in no report. */
  unclassified: number;
}

/** What a report is made of. */
export interface ItemSource {
  readonly before: TaxDeclaration;
  readonly book: AccountBook | undefined;
  readonly counted: Counted;
  readonly fi: ReportingFiContent;
  /** That of any message: records are compared without what tells their version. */
  readonly head: ReportHead;
  readonly plan: ReportPlan;
  readonly pools: PoolTotals;
}

/** Accounts that go into this report; those of pools are added up beside them. */
export async function* reportItems(
  ports: TaxPorts,
  { before, book, counted, fi, head, plan, pools }: ItemSource,
): AsyncGenerator<readonly ReportItem[]> {
  if (book === undefined) return;
  const { receivingCountry, regime } = before;
  const isExchange = regime === 'CRS' && fi.profile === 'oecd-exchange';
  const receiver = { isExchange, receivingCountry, regime };
  for await (const held of walkAccounts(ports, book)) {
    const some = held
      .map(({ account }) => account)
      .filter((account) => {
        if (account[regime === 'FATCA' ? 'fatca' : 'crs'] === undefined) counted.unclassified += 1;
        if (!reportabilityOf(account, regime).reportable) return false;
        if (before.regime === 'FATCA') return !pools.add(account);
        const where = account.crs?.reportable_jurisdictions ?? [];
        // An undocumented account is for the institution's own authority, which asks on.
        return !isExchange || where.includes(before.receivingCountry);
      })
      .map((account) => accountFor(account, receiver))
      .filter((account) => plan.takes(account, head));
    counted.accounts += some.length;
    yield some.map(itemOf);
  }
}

/** Records that are taken back. */
export async function* takenBack(
  { counted, plan }: ItemSource,
  idMaker: (what: string) => string,
): AsyncGenerator<readonly ReportItem[]> {
  for await (const some of plan.voided((docRefId) => idMaker(`void:${docRefId}`))) {
    counted.accounts += some.length;
    yield some;
  }
}

/** What is wrong with how much there is. */
export function countFindings(
  declaration: TaxDeclaration,
  counted: Readonly<Counted>,
  { plan, pools }: { readonly plan: ReportPlan; readonly pools: readonly PoolTotal[] },
): readonly ReportFinding[] {
  return [
    ...plan.findings,
    ...plan.missingFindings(),
    ...(declaration.nilReport ? plan.nilFindings() : []),
    ...unclassifiedFindings(declaration, counted),
    ...(plan.isCorrection
      ? emptyCorrection(counted, pools)
      : emptyFindings(declaration, counted, pools)),
  ];
}

/** A nil report states that there is nothing to report: of these accounts nobody knows it. */
function unclassifiedFindings(
  { nilReport, regime }: TaxDeclaration,
  { unclassified }: Readonly<Counted>,
): readonly ReportFinding[] {
  if (unclassified === 0) return [];
  const code = `${regime.toLowerCase()}-unclassified`;
  const detail = `expected every account to be classified, got ${unclassified} that are not`;
  return [{ code, detail, pointer: '', severity: nilReport ? 'error' : 'warning' }];
}

function emptyCorrection(
  { accounts }: Readonly<Counted>,
  pools: readonly PoolTotal[],
): readonly ReportFinding[] {
  if (accounts > 0 || pools.length > 0) return [];
  const detail = 'expected a record on file that can be corrected so';
  return [{ code: 'corrects-not-correctable', detail, pointer: '/corrects', severity: 'error' }];
}

function emptyFindings(
  { nilReport, regime }: TaxDeclaration,
  { accounts }: Readonly<Counted>,
  pools: readonly PoolTotal[],
): readonly ReportFinding[] {
  const isEmpty = accounts === 0 && pools.length === 0;
  if (nilReport && !isEmpty) {
    const code = `${regime.toLowerCase()}-nil`;
    const detail = 'expected no account to report: this is a nil report';
    return [{ code, detail, pointer: '/nil_report', severity: 'error' }];
  }
  if (nilReport || !isEmpty) return [];
  const detail = 'expected an account to report; without one, make a nil report';
  return [{ code: 'no-reportable-accounts', detail, pointer: '/nil_report', severity: 'error' }];
}

/** Which accounts stand in which message is known only while they are the same accounts. */
export function changedFindings(
  { accountsDigest, messages }: TaxDeclaration,
  digest: string | undefined,
): readonly ReportFinding[] {
  if (accountsDigest === digest || !messages.some(isOnFile)) return [];
  const detail = 'expected the accounts of before: other messages of this declaration are on file';
  return [{ code: 'accounts-changed', detail, pointer: '', severity: 'error' }];
}
