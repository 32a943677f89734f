/**
 * Signatures at the command line: made where the signer’s private key is, of what was shown as
 * JSON, and handed in as files. Making one needs no installation.
 */
import { approvalMessage, type GivenSignature } from '#core/identity';
import { type Clock, toTimestamp } from '#platform/clock';
import { signerFromText } from '#platform/crypto';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { type Given, UsageError } from './command.ts';
import { readDocument, readSmallFile } from './files.ts';

const DEPTH_MAX = 32;

/** What is signed, as `signing` of a draft shows it. */
export interface ShownSigning {
  readonly author: string;
  readonly field: string;
  readonly new_value: unknown;
  readonly resource: string;
}

/** Throws a UsageError for what is no JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return parseStrictJson(await readSmallFile(file), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new UsageError(`${file}: expected JSON: ${error.message}`);
  }
}

/** A signature as a command that signs printed it. */
export async function readSignature(file: string): Promise<GivenSignature> {
  const value = await readJsonFile(file);
  const found = value as Partial<Record<keyof GivenSignature, unknown>> | null;
  const { signature, signer, timestamp } = found ?? {};
  const isWhole = [signature, signer, timestamp].every((one) => typeof one === 'string');
  if (isWhole) return { signature, signer, timestamp } as GivenSignature;
  throw new UsageError(`${file}: expected signature, signer and timestamp`);
}

/** Signs in the name of `--signer`, with the key of `--key`, now. */
export async function signShown(
  { clock }: { readonly clock: Pick<Clock, 'now'> },
  given: Given,
  { author, field, new_value: newValue, resource }: ShownSigning,
): Promise<Required<GivenSignature>> {
  const file = given.value('key');
  const key = signerFromText(await readDocument(file), file);
  const timestamp = toTimestamp(clock.now());
  const signer = given.value('signer');
  const signers = { approver: signer, author, timestamp };
  const message = approvalMessage({ field, newValue, resource }, signers);
  return { signature: Buffer.from(key.sign(message)).toString('base64'), signer, timestamp };
}

/** As it is printed, behind lines that say what was signed. */
export const signatureLines = ({
  signature,
  signer,
  timestamp,
}: Required<GivenSignature>): readonly string[] => [
  `signer    ${signer}`,
  `timestamp ${timestamp}`,
  `signature ${signature}`,
];
