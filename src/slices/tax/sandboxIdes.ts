/**
 * The IDES of a sandbox: a folder that a worker deposits packages in, and an authority of ours that
 * answers each as the IRS would: it opens the package with its key, checks the signature, and sends
 * a notification under its own. So everything between a report and its acceptance is what a live
 * institution has. It takes what it finds; an account whose number has `FAULT-` and a code of the
 * IRS in it is found wrong by that code.
 */
import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EpochMs, toTimestamp } from '#platform/clock';
import type { Random } from '#platform/random';
import { bytesIn } from '#platform/zipReading';
import { zipped } from '#platform/zipStream';
import type { ChannelPorts, OpenedChannel } from './channels.ts';
import { checkEnvelope } from './checkEnvelope.ts';
import { SYSTEM } from './declarationSteps.ts';
import type { DepositChannel } from './deposit.ts';
import { DSIG } from './envelope.ts';
import { recordsIn } from './filedXml.ts';
import type { TaxChannel } from './filingTables.ts';
import { FILE_CODES, RECORD_CODES } from './notificationCodes.ts';
import { encrypted, newSecret, wrapSecret } from './packageCipher.ts';
import { writeMetadata } from './packageMetadata.ts';
import { keyName, metadataName, packageName, payloadName, reportName } from './packageNames.ts';
import { openPayload, readOuter } from './readPackage.ts';
import { receiveNotification } from './receiveNotification.ts';
import { OBJECT_ID, signedReport } from './signReport.ts';

const BASE = 'urn:fatca:fatcanotificationbase';
const ERROR = 'urn:fatca:fatcafileerrornotification';
const VALID = 'urn:fatca:fatcavalidfilenotification';
const FAULT = /FAULT-(N[A-Z]{2}|80[0-9]{2})/;
const ANSWER_YEAR = /ReportingPeriod>([0-9]{4})-/;
const TRANSMISSION_CHARS = 32;

/** What such an authority is. */
export interface SandboxIdes {
  readonly id: string;
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** Whom it answers. */
export interface SandboxSender {
  readonly id: string;
  readonly certificate: X509Certificate;
}

type AnswerPorts = { readonly now: EpochMs; readonly random: Random };

/** The package that answers a package. Throws as `openPayload` and `checkEnvelope` do. */
export async function answerAsIdes(
  { now, random }: AnswerPorts,
  bytes: Uint8Array,
  { ides, sender, senderFileId }: SandboxExchange,
): Promise<Buffer> {
  const outer = await readOuter(bytesIn(bytes));
  const document = await openPayload(outer, {
    key: ides.key,
    spool: async (pieces) => bytesIn(await gathered(pieces)),
  });
  const texts: string[] = [];
  const onSigned = (piece: string) => void texts.push(piece);
  await checkEnvelope(document, { onSigned, trusted: [sender.certificate] });
  const report = texts.join('');
  const said = await notificationOf(report, { ides, now, random, sender, senderFileId });
  const secret = newSecret(random);
  const signed = signedReport(() => oneOf(said), factsOf(said), ides);
  const inner = zipped([{ content: signed, path: reportName(ides.id) }]);
  const metadata = writeMetadata({
    createdAt: now,
    kind: 'NTF',
    receiver: sender.id,
    sender: ides.id,
    senderFileId: packageName(ides.id, now),
    taxYear: Number(ANSWER_YEAR.exec(report)?.[1] ?? 0),
  });
  return gathered(
    zipped([
      { content: encrypted(inner, secret), path: payloadName(ides.id) },
      { content: [metadata], path: metadataName(ides.id) },
      { content: [wrapSecret(secret, sender.certificate.publicKey)], path: keyName(sender.id) },
    ]),
  );
}

/** Two who know each other's certificates, and the name of what one has sent. */
export interface SandboxExchange {
  readonly ides: SandboxIdes;
  readonly sender: SandboxSender;
  readonly senderFileId: string;
}

async function* oneOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** What stands in canonical form needs no second reading. */
function factsOf(payload: string): { readonly digest: Buffer; readonly sha256: string } {
  const object = `<Object xmlns="${DSIG}" Id="${OBJECT_ID}">${payload}</Object>`;
  return {
    digest: createHash('sha256').update(object).digest(),
    sha256: createHash('sha256').update(payload).digest('hex'),
  };
}

interface RecordFault {
  readonly code: string;
  readonly docRefId: string;
}

/** The text between a mark and the next tag; empty where the mark is absent. */
const textAfter = (mark: string, xml: string): string =>
  xml.split(mark, 2)[1]?.split('<', 1)[0] ?? '';

/** The notification, of the schema 2.4 of the IRS. */
async function notificationOf(report: string, of: SandboxExchange & AnswerPorts): Promise<string> {
  const faults: RecordFault[] = [];
  let fileCode: string | undefined;
  let records = 0;
  for await (const { docRefId, kind, xml } of recordsIn(oneOf(report), 'fatca-2.0')) {
    if (kind === 'ReportingFI' || kind === 'Sponsor') continue;
    records += 1;
    const code = FAULT.exec(textAfter(':AccountNumber', xml))?.[1];
    if (code === undefined) continue;
    if (code in RECORD_CODES) faults.push({ code, docRefId });
    else if (FILE_CODES[code]?.effect === 'rejected') fileCode ??= code;
  }
  return fileCode === undefined
    ? validFile(report, of, { faults, records })
    : fileError(fileCode, of);
}

const element = (name: string, text: string): string => `<${name}>${text}</${name}>`;
/** What is within has its namespace from it. */
const group = (name: string, inner: string): string =>
  `<${name} xmlns="${BASE}">${inner}</${name}>`;
const said = (xml: string, name: string): string => textAfter(`:${name}>`, xml);

const header = (code: string, { ides, now, random, sender }: SandboxExchange & AnswerPorts) =>
  group(
    'FATCANotificationHeaderGrp',
    [
      element('FATCANotificationCreateTs', toTimestamp(now)),
      element('FATCANotificationRefId', idOf(random)),
      element('FATCANotificationCd', code),
      element('FATCAEntitySenderId', ides.id),
      element('FATCAEntityReceiverId', sender.id),
    ].join(''),
  );

const original = ({ now, random, senderFileId }: SandboxExchange & AnswerPorts) =>
  group(
    'OriginalFileMetadataGrp',
    [
      element('IDESTransmissionId', idOf(random)),
      element('IDESSendingTs', toTimestamp(now)),
      element('SenderFileId', senderFileId),
    ].join(''),
  );

const idOf = (random: Random): string =>
  Buffer.from(random.bytes(TRANSMISSION_CHARS / 2)).toString('hex');

const CONTENT = group('NotificationContentTxt', 'An answer of the sandbox.');
const ACTION = [
  element('ActionRequestedTxt', 'See docs/tax.md.'),
  element('ActionRequestedDueDateTxt', 'None.'),
].join('');

const fileError = (code: string, of: SandboxExchange & AnswerPorts): string =>
  [
    `<e:FATCAFileErrorNotification xmlns:e="${ERROR}" version="2.4">`,
    ...[header(code, of), original(of), CONTENT, group('ActionRequestedGrp', ACTION)],
    '</e:FATCAFileErrorNotification>',
  ].join('');

function validFile(
  report: string,
  of: SandboxExchange & AnswerPorts,
  found: { readonly faults: readonly RecordFault[]; readonly records: number },
): string {
  const message = [
    element('MessageRefId', said(report, 'MessageRefId')),
    element('TransmittingCountryCd', said(report, 'TransmittingCountry')),
    element('ReceivingCountryCd', said(report, 'ReceivingCountry')),
    element('MessageTypeCd', 'FATCA'),
    element('ReportingPeriodDt', said(report, 'ReportingPeriod')),
  ].join('');
  const processing = [
    element('FileTypeCd', 'NEW'),
    element('FinancialInstitutionCnt', '1'),
    element('RecordCnt', String(found.records)),
  ].join('');
  return [
    `<v:FATCAValidFileNotification xmlns:v="${VALID}" version="2.4">`,
    ...[header('NVF', of), original(of), group('OriginalFileMessageSpecGrp', message), CONTENT],
    group('OriginalFileProcessingDataGrp', processing),
    recordErrors(found.faults, of),
    '</v:FATCAValidFileNotification>',
  ].join('');
}

function recordErrors(faults: readonly RecordFault[], { sender }: SandboxExchange): string {
  if (faults.length === 0) return '';
  const details = faults.map(({ code, docRefId }) =>
    [
      '<v:FATCARecordErrorDetailGrp>',
      group('FATCAReportTypeCd', 'ACCOUNT_REPORT'),
      group('DocTypeIndicCd', 'FATCA11'),
      group('DocRefId', docRefId),
      group('RecordLevelErrorCd', code),
      group(
        'FieldErrorGrp',
        element('FieldNm', 'AccountNumber') + element('FieldErrorTxt', 'A planted fault.'),
      ),
      group('ActionRequestedGrp', ACTION),
      '</v:FATCARecordErrorDetailGrp>',
    ].join(''),
  );
  const giin = group('ReportingFIGIIN', sender.id);
  return [
    '<v:FATCARecordErrorGrp>',
    group('RecordErrorInfoHeaderTxt', 'Planted faults.'),
    `<v:FATCARecordErrorFIGrp>${giin}${details.join('')}</v:FATCARecordErrorFIGrp>`,
    group('PotentialEffectTxt', 'None.'),
    '</v:FATCARecordErrorGrp>',
  ].join('');
}

/**
 * A deposit into the folder of a sandbox. Whoever renames a package there hands it over: it is
 * answered before it has its name, so that a worker that dies in between finds it unrenamed.
 */
export function sandboxWay(
  ports: ChannelPorts,
  { channel, ides, receiver, signer }: OpenedChannel,
  way: DepositChannel,
): DepositChannel {
  const { folder } = folderOf(channel);
  return {
    ...way,
    async rename(from, to) {
      if (ides === undefined) throw new Error('a sandbox has the key of its IDES');
      const bytes = await readFile(join(folder, from));
      const { metadata } = await readOuter(bytesIn(bytes));
      const answer = await answerAsIdes({ now: ports.clock.now(), random: ports.random }, bytes, {
        ides: { ...receiver, key: ides },
        sender: { certificate: signer.certificate, id: metadata.sender },
        senderFileId: to,
      });
      await receiveNotification(ports, {
        actor: SYSTEM,
        bytes: answer,
        tenantId: channel.tenantId,
      });
      await way.rename(from, to);
    },
    async write(name, pieces) {
      await mkdir(folder, { mode: 0o700, recursive: true });
      await way.write(name, pieces);
    },
  };
}

function folderOf({ place }: TaxChannel): { readonly folder: string } {
  if (place.kind === 'sandbox') return place;
  throw new Error('a sandbox has a folder');
}
