/**
 * The metadata of a package (FATCA IDES Sender File Metadata 1.1): who sends what to whom. It is
 * not signed and not encrypted, so it says where a package belongs and proves nothing.
 */
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { XmlDamaged, XmlReader } from '#platform/xml/readXml';
import { METADATA_BYTES_MAX } from './limits.ts';

const NAMESPACE = 'urn:fatca:idessenderfilemetadata';
const ROOT = 'FATCAIDESSenderFileMetadata';
const ENTITY = /^[A-NP-Z0-9]{6}\.[A-NP-Z0-9]{5}\.[A-NP-Z]{2}\.[0-9]{3}$/;
/** The IRS's own packager of 2017 wrote digits alone. */
const DIGITS = '[0-9]{17}';
const ISO_8601 =
  '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}:?[0-9]{2})';
const CREATED = new RegExp(`^(${DIGITS}|${ISO_8601})$`);

/** Elements in the order of the schema, each with what it must look like. */
const ELEMENTS = {
  FATCAEntitySenderId: ENTITY,
  FATCAEntityReceiverId: ENTITY,
  FATCAEntCommunicationTypeCd: /^(NTF|RPT|CAR|REG)$/,
  SenderFileId: /^[^\n]{0,200}$/,
  FileFormatCd: /^(XML|TXT|PDF|RTF|JPG)?$/,
  BinaryEncodingSchemeCd: /^(NONE|BASE64)?$/,
  FileCreateTs: CREATED,
  TaxYear: /^[1-9][0-9]{3}$/,
  FileRevisionInd: /^(true|false|0|1)$/,
  OriginalIDESTransmissionId: /^(.{32})?$/,
  SenderContactEmailAddressTxt: /^[^\n]{0,200}$/,
} as const;
type ElementName = keyof typeof ELEMENTS;
const NAMES = Object.keys(ELEMENTS) as readonly ElementName[];

/** What is read of one; a member that was not there is ''. */
export interface PackageMetadata {
  readonly sender: string;
  readonly receiver: string;
  /** RPT for reports, NTF for notifications. */
  readonly kind: string;
  readonly senderFileId: string;
  readonly createdAt: string;
  readonly taxYear: string;
  /** The transmission that a notification answers. */
  readonly originalTransmissionId: string;
}

/** The metadata of a package; entities are GIINs, so nothing has to be escaped. */
export function writeMetadata(of: {
  readonly sender: string;
  readonly receiver: string;
  readonly senderFileId: string;
  readonly createdAt: EpochMs;
  readonly taxYear: number;
  /** Absent: a report. */
  readonly kind?: 'NTF';
}): string {
  const said: readonly (readonly [ElementName, string])[] = [
    ['FATCAEntitySenderId', of.sender],
    ['FATCAEntityReceiverId', of.receiver],
    ['FATCAEntCommunicationTypeCd', of.kind ?? 'RPT'],
    ['SenderFileId', of.senderFileId],
    ['FileFormatCd', 'XML'],
    ['BinaryEncodingSchemeCd', 'NONE'],
    ['FileCreateTs', toTimestamp(of.createdAt)],
    ['TaxYear', String(of.taxYear)],
    ['FileRevisionInd', 'false'],
  ];
  const lines = said.map(([name, text]) => `  <${name}>${text}</${name}>\n`);
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  return `${head}<${ROOT} xmlns="${NAMESPACE}">\n${lines.join('')}</${ROOT}>\n`;
}

const LIMITS = {
  attributesMax: 8,
  bytesMax: METADATA_BYTES_MAX,
  depthMax: 2,
  elementsMax: NAMES.length + 1,
  nameCharsMax: 64,
  textCharsMax: 1_000,
} as const;

/** Throws `package-unreadable`, with the element. */
export function readMetadata(xml: Uint8Array): PackageMetadata {
  const found = new Map<string, string>();
  try {
    new XmlReader(LIMITS).read(xml, {
      close(name, text, depth) {
        if (depth !== 2) return;
        if (found.has(name)) throw unreadable(`one ${name}`);
        found.set(name, text);
      },
      open: () => undefined,
      root(name, namespace) {
        if (name !== ROOT || namespace !== NAMESPACE) throw unreadable(`${ROOT} in ${NAMESPACE}`);
      },
    });
  } catch (error) {
    if (error instanceof XmlDamaged) throw unreadable('well-formed XML', error);
    throw error;
  }
  for (const name of found.keys()) {
    if (!(name in ELEMENTS)) throw unreadable('elements of version 1.1 alone');
  }
  for (const name of NAMES) {
    if (!ELEMENTS[name].test(found.get(name) ?? ''))
      throw unreadable(`${name} as ${ELEMENTS[name]}`);
  }
  const said = (name: ElementName): string => found.get(name) ?? '';
  return {
    createdAt: said('FileCreateTs'),
    kind: said('FATCAEntCommunicationTypeCd'),
    originalTransmissionId: said('OriginalIDESTransmissionId'),
    receiver: said('FATCAEntityReceiverId'),
    sender: said('FATCAEntitySenderId'),
    senderFileId: said('SenderFileId'),
    taxYear: said('TaxYear'),
  };
}

const unreadable = (expected: string, cause?: unknown): DomainError =>
  new DomainError('package-unreadable', { cause, detail: `metadata: expected ${expected}` });
