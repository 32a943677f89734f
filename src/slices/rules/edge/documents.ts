/** Files of the command line: a rule, transactions, a signature. */
import { DomainError } from '#core/kernel';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { readMessage, type Transaction } from '#slices/monitoring';
import type { GivenSignature } from '#slices/rules';
import { UsageError } from '../../../cli/command.ts';
import { readSmallFile } from '../../../cli/files.ts';
import { bodyViolations } from '../dryRun.ts';

const DEPTH_MAX = 32;

export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return parseStrictJson(await readSmallFile(file), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new UsageError(`${file}: expected JSON: ${error.message}`);
  }
}

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

export async function readSignature(file: string): Promise<GivenSignature> {
  const value = await readJsonFile(file);
  const found = value as Partial<Record<keyof GivenSignature, unknown>> | null;
  const { signature, signer, timestamp } = found ?? {};
  const isWhole = [signature, signer, timestamp].every((one) => typeof one === 'string');
  if (isWhole) return { signature, signer, timestamp } as GivenSignature;
  throw new UsageError(`${file}: expected signature, signer and timestamp`);
}
