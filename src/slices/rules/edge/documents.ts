/** Files of the command line: transactions. */
import { DomainError } from '#core/kernel';
import { readMessage, type Transaction } from '#slices/monitoring';
import { readSmallFile } from '../../../cli/files.ts';
import { bodyViolations } from '../dryRun.ts';

/** Throws `body-invalid` with every violation. */
export async function readTransactionFile(
  file: string,
  zone: string,
): Promise<readonly Transaction[]> {
  const own = { ownBics: new Set<string>(), ownIbans: [], zone };
  const read = readMessage('json_service', await readSmallFile(file), own);
  if (read.refusals.length === 0) return read.transactions.map(({ transaction }) => transaction);
  const violations = bodyViolations(read.refusals);
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('body-invalid', { detail: `${file}: ${detail}`, violations });
}
