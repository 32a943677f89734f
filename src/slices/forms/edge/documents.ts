/** Signatures as they come: in a body, or in files of the command line. */
import { DomainError } from '#core/kernel';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import type { GivenSignature } from '#slices/forms';
import { UsageError } from '../../../cli/command.ts';
import { readSmallFile } from '../../../cli/files.ts';
import type { Publish } from './schemas.ts';

const DEPTH_MAX = 32;

/** One of the caller, or those of two persons. Throws `body-invalid`. */
export function signaturesOf(given: Publish): readonly GivenSignature[] {
  const { signature, signatures, timestamp } = given;
  const isOne = signature !== undefined && timestamp !== undefined;
  if (signatures !== undefined && signature === undefined && timestamp === undefined) {
    return signatures;
  }
  if (isOne && signatures === undefined) return [{ signature, timestamp }];
  const detail = 'expected either signature and timestamp, or signatures';
  const violations = [{ code: 'missing', detail, pointer: '/signature' }];
  throw new DomainError('body-invalid', { detail, violations });
}

export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return parseStrictJson(await readSmallFile(file), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new UsageError(`${file}: expected JSON: ${error.message}`);
  }
}

export async function readSignature(file: string): Promise<GivenSignature> {
  const found = (await readJsonFile(file)) as Partial<Record<string, unknown>> | null;
  const { signature, signer, timestamp } = found ?? {};
  const isWhole = [signature, signer, timestamp].every((one) => typeof one === 'string');
  if (isWhole) return { signature, signer, timestamp } as GivenSignature;
  throw new UsageError(`${file}: expected signature, signer and timestamp`);
}
