/** Accounts out of a body: each is taken, or refused by its place, pointer and code. */
import type { IdempotencyRecord } from '#core/audit';
import { DomainError } from '#core/kernel';
import type { ReportedAccount } from './account.ts';
import { findBook } from './accountBooks.ts';
import { requireFree, requirePeriod } from './accountFiles.ts';
import { checkAccount } from './checkAccount.ts';
import { ClassifiedAccounts } from './classifiedAccounts.ts';
import type { TaxAsk } from './classifySubject.ts';
import type { TaxPorts } from './ports.ts';
import { findReportingFi } from './reportingFi.ts';
import { UNKNOWN_CLASSIFICATION } from './takeAccountFile.ts';
import { SEGMENT_ACCOUNTS_MAX, takeAccounts } from './takeAccounts.ts';

/** Accounts of one body. */
export const ACCOUNTS_TOGETHER_MAX = 1_000;
/** Faults that an answer tells; all are counted. */
export const TOLD_FAULTS_MAX = 100;

/** Whose accounts. */
export interface UpsertAccounts extends TaxAsk {
  readonly giin: string;
  readonly period: string;
  readonly accounts: readonly unknown[];
}

/** Why an account of a body was not taken. */
export interface AccountFault {
  readonly index: number;
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** What became of them. */
export interface UpsertedAccounts {
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly AccountFault[];
}

/** Throws `reporting-fi-unknown`, `period-invalid`, `import-running`, `state-altered`. */
export async function upsertAccounts(
  ports: TaxPorts,
  ask: UpsertAccounts,
  idempotency?: (done: UpsertedAccounts) => IdempotencyRecord,
): Promise<UpsertedAccounts> {
  const { giin, period, tenantId } = ask;
  requirePeriod(period, ports.clock.now());
  await findReportingFi(ports, ask);
  requireFree(await findBook(ports, { giin, period, tenantId }));
  const { accounts, errors, rejected } = await sorted(ports, ask);
  const done = { accepted: accounts.length, errors: errors.slice(0, TOLD_FAULTS_MAX), rejected };
  if (accounts.length === 0) throw refusedAll(errors);
  for (let from = 0; from < accounts.length; from += SEGMENT_ACCOUNTS_MAX) {
    const isLast = from + SEGMENT_ACCOUNTS_MAX >= accounts.length;
    // Where the process dies between two commits, the same call again takes all of them.
    await takeAccounts(ports, {
      ...ask,
      accounts: accounts.slice(from, from + SEGMENT_ACCOUNTS_MAX),
      ...(isLast && idempotency !== undefined && { idempotency: () => idempotency(done) }),
    });
  }
  return done;
}

async function sorted(
  ports: TaxPorts,
  { accounts: given, tenantId }: UpsertAccounts,
): Promise<{
  readonly accounts: readonly ReportedAccount[];
  readonly errors: readonly AccountFault[];
  readonly rejected: number;
}> {
  const classified = new ClassifiedAccounts(ports, tenantId);
  const accounts: ReportedAccount[] = [];
  const errors: AccountFault[] = [];
  for (const [index, value] of given.entries()) {
    const found = checkAccount(value);
    if ('violations' in found) {
      errors.push(...found.violations.map((one) => ({ ...one, index })));
      continue;
    }
    const classed = await classified.of(found.account);
    if ('account' in classed) accounts.push(classed.account);
    else errors.push({ ...UNKNOWN_CLASSIFICATION, index });
  }
  return { accounts, errors, rejected: given.length - accounts.length };
}

const refusedAll = (errors: readonly AccountFault[]): DomainError =>
  new DomainError('accounts-invalid', {
    violations: errors.slice(0, TOLD_FAULTS_MAX).map(({ index, pointer, ...fault }) => ({
      ...fault,
      pointer: `/accounts/${index}${pointer}`,
    })),
  });
