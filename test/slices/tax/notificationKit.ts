/** Notifications as the IRS writes them: by its schema 2.4, in exclusive canonical form. */
import { SENDER } from './packageKit.ts';

const BASE = 'urn:fatca:fatcanotificationbase';
const ERROR = 'urn:fatca:fatcafileerrornotification';
const VALID = 'urn:fatca:fatcavalidfilenotification';
export const SENDER_FILE = `20260331T093000123Z_${SENDER}.zip`;

/** A group of the base schema; what is within it has its namespace from it. */
const group = (name: string, inner: string): string =>
  `<${name} xmlns="${BASE}">${inner}</${name}>`;
const element = (name: string, text: string): string => `<${name}>${text}</${name}>`;

const header = (code: string): string =>
  group(
    'FATCANotificationHeaderGrp',
    [
      element('FATCANotificationCreateTs', '2026-04-01T10:00:00Z'),
      element('FATCANotificationRefId', '4711'),
      element('FATCANotificationCd', code),
      element('FATCAEntitySenderId', '000000.00000.TA.840'),
      element('FATCAEntityReceiverId', SENDER),
    ].join(''),
  );

export const TRANSMISSION = '152F+84k1YOeIAIRbt5BPPjkj7BlgoUX';

const file = (senderFile: string): string =>
  group(
    'OriginalFileMetadataGrp',
    [
      element('IDESTransmissionId', TRANSMISSION),
      element('IDESSendingTs', '2026-03-31T10:00:00.000Z'),
      element('SenderFileId', senderFile),
    ].join(''),
  );

const content = group('NotificationContentTxt', 'What the IRS says &amp; why.');
const action = [
  element('ActionRequestedTxt', 'Do it.'),
  element('ActionRequestedDueDateTxt', 'Soon.'),
].join('');

/** Of a file that was not taken. */
export const fileError = (code: string, senderFile = SENDER_FILE): string =>
  [
    `<e:FATCAFileErrorNotification xmlns:e="${ERROR}" version="2.4">`,
    ...[header(code), file(senderFile), content, group('ActionRequestedGrp', action)],
    '</e:FATCAFileErrorNotification>',
  ].join('');

export interface RecordFault {
  readonly code: string;
  readonly docRefId: string;
  readonly fields?: readonly string[];
}

function detail({ code, docRefId, fields = [] }: RecordFault): string {
  const errors = fields.map((name) =>
    group('FieldErrorGrp', `${element('FieldNm', name)}${element('FieldErrorTxt', 'Wrong.')}`),
  );
  return [
    '<v:FATCARecordErrorDetailGrp>',
    group('FATCAReportTypeCd', 'ACCOUNT_REPORT'),
    group('DocTypeIndicCd', 'FATCA1'),
    group('DocRefId', docRefId),
    group('RecordLevelErrorCd', code),
    ...errors,
    group('ActionRequestedGrp', action),
    '</v:FATCARecordErrorDetailGrp>',
  ].join('');
}

function faultsOf(groups: readonly (readonly RecordFault[])[]): string {
  if (groups.length === 0) return '';
  const inner = groups.map((faults) => {
    const giin = group('ReportingFIGIIN', SENDER);
    const details = faults.map(detail).join('');
    return `<v:FATCARecordErrorFIGrp>${giin}${details}</v:FATCARecordErrorFIGrp>`;
  });
  const [head, tail] = ['RecordErrorInfoHeaderTxt', 'PotentialEffectTxt'].map((name) =>
    group(name, 'x'),
  );
  return `<v:FATCARecordErrorGrp>${head}${inner.join('')}${tail}</v:FATCARecordErrorGrp>`;
}

/** Of a file that was taken, with records that have errors. */
export function validFile({
  code = 'NVF',
  fileType = 'NEW',
  groups = [] as readonly (readonly RecordFault[])[],
  messageRefId = `${SENDER}.2025.1`,
  records = 166,
  senderFile = SENDER_FILE,
} = {}): string {
  const message = [
    element('MessageRefId', messageRefId),
    element('TransmittingCountryCd', 'FR'),
    element('ReceivingCountryCd', 'US'),
    element('MessageTypeCd', 'FATCA'),
    element('ReportingPeriodDt', '2025-12-31'),
  ].join('');
  const processing = [
    element('FileTypeCd', fileType),
    element('FinancialInstitutionCnt', '1'),
    element('RecordCnt', String(records)),
  ].join('');
  return [
    `<v:FATCAValidFileNotification xmlns:v="${VALID}" version="2.4">`,
    ...[header(code), file(senderFile), group('OriginalFileMessageSpecGrp', message), content],
    group('OriginalFileProcessingDataGrp', processing),
    faultsOf(groups),
    '</v:FATCAValidFileNotification>',
  ].join('');
}

/** Of a CRS authority, in the form of the OECD. */
export const crsStatus = (messageRefId: string, word: string, errors = '') =>
  Buffer.from(
    [
      '<CRSStatusMessage_OECD xmlns="urn:oecd:ties:csm:v2" version="2.0"><MessageSpec>',
      '<TransmittingCountry>DE</TransmittingCountry><ReceivingCountry>FR</ReceivingCountry>',
      '<MessageType>CRSMessageStatus</MessageType>',
      `<MessageRefId>S${messageRefId}${word}</MessageRefId>`,
      '<Timestamp>2026-04-01T10:00:00Z</Timestamp></MessageSpec><CrsStatusMessage>',
      `<OriginalMessage><OriginalMessageRefID>${messageRefId}</OriginalMessageRefID>`,
      `</OriginalMessage><ValidationErrors>${errors}</ValidationErrors><ValidationResult>`,
      `<Status>${word}</Status><ValidatedBy>Made up</ValidatedBy></ValidationResult>`,
      '</CrsStatusMessage></CRSStatusMessage_OECD>',
    ].join(''),
  );
