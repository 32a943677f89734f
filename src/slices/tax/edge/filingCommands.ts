/** Reports on their way at the command line: channel, submission, receipt and answer. */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type ChannelPlace, IRS, noteReceipt, saveChannel, submitDeclaration } from '#slices/tax';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { openInput, readDocument } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';
import { gathered, receiveAnswer } from './answers.ts';
import { FOLDER, PORT, readPlace } from './depositCommands.ts';
import { taxPortsOf } from './parts.ts';
import { presentDeclaration, presentStored, presentSubmission } from './presentation.ts';

const TENANT = { name: 'tenant', value: 'ID', required: true, help: "the tenant's id" } as const;
const DECLARATION = {
  name: 'DECLARATION',
  help: 'its id, as `tax declarations` lists it',
} as const;

function placeOf(given: Given): ChannelPlace {
  const [folder, sftp] = [given.optional('folder'), given.optional('sftp')];
  const kinds = [folder !== undefined, sftp !== undefined, given.isSet('manual')];
  if (kinds.filter(Boolean).length !== 1) {
    throw new UsageError('expected one of --folder, --sftp and --manual');
  }
  if (folder !== undefined) return { folder, kind: 'folder' };
  if (sftp === undefined) return { kind: 'manual' };
  const hostKey = given.optional('host-key');
  if (hostKey === undefined) throw new UsageError('--sftp needs --host-key and --ssh-key');
  return {
    ...readPlace(sftp),
    folder: given.optional('directory') ?? FOLDER,
    hostKey,
    kind: 'sftp',
  };
}

async function approverOf(given: Given) {
  const [id, file] = [given.optional('approver'), given.optional('approver-certificate')];
  if (id === undefined && file === undefined) return {};
  if (id === undefined || file === undefined) {
    throw new UsageError('--approver and --approver-certificate belong together');
  }
  return { approver: { certificatePem: await readDocument(file), id } };
}

export const filingCommands: readonly SliceCommand[] = [
  {
    words: 'tax channel set',
    summary: 'Configure how an institution files: its keys, who receives, and the place',
    options: [
      TENANT,
      { name: 'giin', value: 'GIIN', required: true, help: 'of the institution' },
      { name: 'key', value: 'FILE', required: true, help: 'its RSA key, PEM, no passphrase' },
      { name: 'certificate', value: 'FILE', required: true, help: 'for that key, in PEM' },
      { name: 'receiver', value: 'ID', help: `who opens packages; ${IRS} if it is not said` },
      { name: 'receiver-certificate', value: 'FILE', required: true, help: 'of the receiver' },
      { name: 'approver', value: 'ID', help: 'the authority that approves (Model 1 option 2)' },
      { name: 'approver-certificate', value: 'FILE', help: 'of that authority' },
      {
        name: 'answer-certificate',
        value: 'FILE',
        repeatable: true,
        help: 'of who signs answers; the receiver’s if it is not said',
      },
      { name: 'manual', help: 'packages are carried by hand' },
      { name: 'folder', value: 'FOLDER', help: 'a folder of this machine' },
      { name: 'sftp', value: 'PLACE', help: `user@host:port; port ${PORT} if it is not said` },
      { name: 'host-key', value: 'PRINT', help: 'of the host, SHA256:…' },
      { name: 'ssh-key', value: 'FILE', help: 'the private key of the user, no passphrase' },
      { name: 'directory', value: 'PATH', help: `at the host; ${FOLDER} if it is not said` },
    ],
    example:
      'tax channel set --tenant 0190… --giin 98Q96B.00000.LE.250 --key own.pem ' +
      '--certificate own.crt --receiver-certificate irs.crt --manual',
    async run({ actor, open, output }, given) {
      const receiverPem = await readDocument(given.value('receiver-certificate'));
      const answers = await Promise.all(given.all('answer-certificate').map(readDocument));
      const sshFile = given.optional('ssh-key');
      const ask = {
        ...(await approverOf(given)),
        actor,
        answerPems: answers.length > 0 ? answers : [receiverPem],
        certificatePem: await readDocument(given.value('certificate')),
        giin: given.value('giin'),
        keyPem: await readDocument(given.value('key')),
        place: placeOf(given),
        receiver: { certificatePem: receiverPem, id: given.optional('receiver') ?? IRS },
        tenantId: given.value('tenant') as TenantId,
        ...(sshFile !== undefined && { sshKey: await readDocument(sshFile) }),
      };
      const { giin, place } = await saveChannel(taxPortsOf(await open()), ask);
      output.result({ giin, kind: place.kind }, `${giin}: ${place.kind}`);
      return EXIT.done;
    },
  },
  {
    words: 'tax submit',
    summary: 'File a declaration by the channel of its institution, which workers do',
    options: [TENANT],
    positionals: [DECLARATION],
    example: 'tax submit --tenant 0190… 019a…',
    async run({ actor, open, output }, given) {
      const process = await open();
      const next = await submitDeclaration(taxPortsOf(process), {
        actor,
        declarationId: given.positionals[0] ?? '',
        tenantId: given.value('tenant') as TenantId,
      });
      await process.wake('tax', next.declarationId);
      output.result(presentSubmission(next), `${next.reference}: ${next.status}`);
      return EXIT.done;
    },
  },
  {
    words: 'tax receipt',
    summary: 'Say that a message was deposited by hand',
    options: [
      TENANT,
      { name: 'file', value: 'NAME', required: true, help: 'its sender_file_id' },
      { name: 'transmission', value: 'ID', required: true, help: 'as IDES has it' },
      { name: 'at', value: 'TIME', required: true, help: 'when, as 2026-03-31T10:00:00Z' },
    ],
    positionals: [DECLARATION],
    example:
      'tax receipt --tenant 0190… --file 20260331T….zip --transmission 152F… ' +
      '--at 2026-03-31T10:00:00Z 019a…',
    async run({ actor, open, output }, given) {
      const receivedAt = Date.parse(given.value('at'));
      if (Number.isNaN(receivedAt)) throw new UsageError('--at expects a time of RFC 3339');
      const next = await noteReceipt(taxPortsOf(await open()), {
        actor,
        declarationId: given.positionals[0] ?? '',
        receivedAt: receivedAt as EpochMs,
        senderFileId: given.value('file'),
        tenantId: given.value('tenant') as TenantId,
        transmissionId: given.value('transmission'),
      });
      output.result(presentDeclaration(next), `${next.reference}: ${next.status}`);
      return EXIT.done;
    },
  },
  {
    words: 'tax notification take',
    summary: 'Receive an answer of an authority for a tenant: opened, checked, and applied',
    options: [TENANT],
    positionals: [
      { name: 'ANSWER', help: 'the ZIP as IDES has it, or a CRS status message in XML' },
    ],
    example: 'tax notification take --tenant 0190… 840FX44u….zip',
    async run({ actor, open, output }, given) {
      const bytes = await gathered((await openInput(given.positionals[0] ?? '')).chunks);
      const ask = { actor, bytes, tenantId: given.value('tenant') as TenantId };
      const taken = await receiveAnswer(taxPortsOf(await open()), ask);
      const because = taken.because === undefined ? '' : `: ${taken.because}`;
      output.result(presentStored(taken), `${taken.code} ${taken.result}${because}`);
      return EXIT.done;
    },
  },
];
