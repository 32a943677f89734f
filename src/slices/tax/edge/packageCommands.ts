/**
 * `tax package`, `tax verify`: packages for IDES made and checked where the keys are. They need no
 * installation, no configuration and no network.
 */
import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import { DomainError } from '#core/kernel';
import { factsOf } from '#platform/certificates';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { type CheckedEnvelope, type EnvelopeCheck, IRS, preparePackage } from '#slices/tax';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { openInput, writeWhole } from '../../../cli/files.ts';
import { printable } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { certificateAt, KEY, keyAt, openSigned, TRUSTED } from './packageFiles.ts';

async function* read(file: string): AsyncGenerator<Uint8Array> {
  yield* (await openInput(file)).chunks;
}

/** Both or none. */
async function approverOf(given: Given) {
  const id = given.optional('approver');
  const file = given.optional('approver-certificate');
  if (id === undefined && file === undefined) return undefined;
  if (id === undefined || file === undefined) {
    throw new UsageError('--approver and --approver-certificate belong together');
  }
  return { certificate: await certificateAt(file), id };
}

/** Writes what was signed to `out`, which is there only if the signature holds. */
async function checkInto(
  out: string | undefined,
  check: (onSigned: EnvelopeCheck['onSigned']) => Promise<CheckedEnvelope>,
): Promise<CheckedEnvelope> {
  if (out === undefined) return check(() => undefined);
  const { readable, writable } = new TransformStream<string, string>();
  const writer = writable.getWriter();
  const checked = check((text) => writer.write(text));
  const ended = checked.then(
    () => writer.close(),
    (error: unknown) => writer.abort(error),
  );
  await writeWhole(out, readable as AsyncIterable<string>);
  await ended;
  return checked;
}

const packageCommand: SliceCommand = {
  words: 'tax package',
  summary: 'Sign, compress and encrypt a FATCA report for IDES: writes the package into a folder',
  options: [
    { name: 'xml', value: 'FILE', required: true, help: 'the report, FATCA XML 2.0' },
    KEY,
    { name: 'certificate', value: 'FILE', required: true, help: 'of the sender, for that key' },
    { name: 'receiver', value: 'ID', help: `who opens it; ${IRS} if it is not said` },
    { name: 'receiver-certificate', value: 'FILE', required: true, help: 'as IDES publishes it' },
    { name: 'approver', value: 'ID', help: 'the authority that approves it (Model 1 option 2)' },
    { name: 'approver-certificate', value: 'FILE', help: 'of that authority' },
    { name: 'out', value: 'FOLDER', required: true, help: 'where the package is written' },
  ],
  example:
    'tax package --xml report.xml --key own.pem --certificate own.crt ' +
    '--receiver-certificate irs.crt --out outbox',
  async run({ clock, output }, given) {
    const { name, pieces, report } = await preparePackage({
      approver: await approverOf(given),
      now: clock.now(),
      random: systemRandom,
      receiver: {
        certificate: await certificateAt(given.value('receiver-certificate')),
        id: given.optional('receiver') ?? IRS,
      },
      report: () => read(given.value('xml')),
      signer: {
        certificate: await certificateAt(given.value('certificate')),
        key: await keyAt(given.value('key')),
      },
    });
    const file = join(given.value('out'), name);
    const sha256 = createHash('sha256');
    const bytes = await writeWhole(file, hashed(pieces, sha256));
    const digest = sha256.digest('hex');
    output.result(
      {
        bytes,
        file,
        message_ref_id: report.messageRefId,
        report_bytes: report.bytes,
        report_sha256: report.sha256,
        sender: report.sender,
        sender_file_id: name,
        sha256: digest,
        tax_year: report.taxYear,
      },
      `${file}: ${bytes} bytes, sha256 ${digest}`,
    );
    return EXIT.done;
  },
};

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

const verifyCommand: SliceCommand = {
  words: 'tax verify',
  summary: 'Open a package of IDES and check who signed it: exit 1 where anything does not hold',
  options: [
    KEY,
    TRUSTED,
    { name: 'out', value: 'FILE', help: 'writes what was signed, in canonical form' },
  ],
  positionals: [{ name: 'PACKAGE', help: 'the ZIP, as IDES has it' }],
  example: 'tax verify --key own.pem --certificate sender.crt 20260331T093000000Z_….zip',
  async run({ output }, given) {
    try {
      const { checked, metadata, receivers } = await openSigned(
        given,
        given.positionals[0] ?? '',
        (check) => checkInto(given.optional('out'), check),
      );
      const { notAfterMs, subject } = factsOf(checked.certificate);
      output.result(
        {
          canonicalization: checked.canonicalization,
          certificate: { not_after: toTimestamp(notAfterMs as EpochMs), subject },
          is_valid: true,
          kind: metadata.kind,
          receivers,
          sender: metadata.sender,
          sender_file_id: metadata.senderFileId,
        },
        `${printable(metadata.senderFileId)}: signed by ${printable(subject)}`,
      );
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof DomainError) || !IS_BAD.has(error.code)) throw error;
      output.result(
        { code: error.code, detail: error.message, is_valid: false },
        `${error.code}: ${error.message}`,
      );
      return EXIT.bad;
    }
  },
};

/** What a package is found to be, beside what stops the command itself. */
const IS_BAD: ReadonlySet<string> = new Set([
  'package-signature-invalid',
  'package-undecryptable',
  'package-unreadable',
]);

export const packageCommands: readonly SliceCommand[] = [packageCommand, verifyCommand];
