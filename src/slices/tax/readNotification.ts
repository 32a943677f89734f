/**
 * A notification of the IRS about a file of ours (ICMM, schemas 2.3 and 2.4), and what follows from
 * it. It is read from the canonical form of what the IRS signed. What stands in the package's
 * metadata is not signed, and nothing is decided by it.
 */
import { DomainError } from '#core/kernel';
import { XmlDamaged, XmlReader } from '#platform/xml/readXml';
import { NOTIFICATION_BYTES_MAX } from './limits.ts';
import { FILE_CODES, NEXT_STEPS, RECORD_CODES, type RejectionCause } from './notificationCodes.ts';

/** What is wrong with a field of a record. */
export interface FieldError {
  readonly name: string;
  readonly code: string;
  readonly text: string;
}

/** A record of ours that the IRS has not taken as it is. */
export interface RecordError {
  /** Its place in the notification (RFC 6901): group of the institution, record. */
  readonly pointer: string;
  readonly reportingFi: string;
  readonly docRefId: string;
  readonly docType: string;
  readonly reportType: string;
  readonly code: string;
  /** Undefined for a code that is not known. */
  readonly meaning: string | undefined;
  readonly fields: readonly FieldError[];
}

/** What becomes of the message that it is about. */
export type NotificationEffect =
  | { readonly status: 'accepted'; readonly outcome: 'clean' | 'record_errors' }
  | { readonly status: 'rejected'; readonly cause: RejectionCause; readonly nextStep: string }
  /** A duplicate, or a report on paper: kept, and nothing changes. */
  | { readonly status: 'unchanged'; readonly because: string }
  /** Somebody has to look at it: nothing is guessed. */
  | { readonly status: 'needs_review'; readonly because: string };

/** All that counts of a notification. */
export interface TaxNotification {
  readonly code: string;
  readonly meaning: string | undefined;
  readonly effect: NotificationEffect;
  readonly refId: string;
  readonly createdAt: string;
  readonly sender: string;
  readonly receiver: string;
  readonly transmissionId: string;
  readonly senderFileId: string;
  /** Those below are told of valid files alone. */
  readonly messageRefId: string;
  readonly fileType: string;
  /** Counts of the file's records by the element that tells them. */
  readonly counts: Readonly<Record<string, number>>;
  readonly recordErrors: readonly RecordError[];
}

const BASE = '{urn:fatca:fatcanotificationbase}';
const ROOTS: Readonly<Record<string, 'error' | 'paper' | 'valid'>> = {
  '{urn:fatca:fatcafileerrornotification}FATCAFileErrorNotification': 'error',
  '{urn:fatca:fatcapaperrecorderrornotification}FATCAPaperRecordErrorNotification': 'paper',
  '{urn:fatca:fatcavalidfilenotification}FATCAValidFileNotification': 'valid',
};
const COUNTS = [
  'FinancialInstitutionCnt',
  'RecordCnt',
  'DupAccountReportRecordCnt',
  'NonDupAccountReportRecordCnt',
  'PooledReportRecordCnt',
  'NilReportRecordCnt',
] as const;
const COUNT = /^[0-9]{1,12}$/;
const CODE = /^[A-Z0-9]{1,20}$/;
/** Elements below these are gathered; what a notification says to people is not. */
const GATHERED: ReadonlySet<string> = new Set([
  'FATCANotificationHeaderGrp',
  'OriginalFileMetadataGrp',
  'OriginalFileMessageSpecGrp',
  'OriginalFileProcessingDataGrp',
]);
const FI_GROUP = 'FATCARecordErrorFIGrp';
const DETAIL = 'FATCARecordErrorDetailGrp';
const FIELD = 'FieldErrorGrp';

const LIMITS = {
  attributesMax: 16,
  bytesMax: NOTIFICATION_BYTES_MAX,
  depthMax: 8,
  elementsMax: 1_000_000,
  nameCharsMax: 128,
  textCharsMax: 8_192,
} as const;

const invalid = (detail: string, cause?: unknown): DomainError =>
  new DomainError('notification-invalid', { cause, detail });

/** Throws `notification-invalid` for what is no notification. */
export function readNotification(xml: string): TaxNotification {
  const reading = new Reading();
  try {
    new XmlReader(LIMITS).read(Buffer.from(xml), {
      close: (name, text, depth) => reading.close(bare(name), text, depth),
      open: (name, depth) => reading.open(bare(name), depth),
      root: (name, namespace) => reading.root(`{${namespace}}${name}`),
    });
  } catch (error) {
    if (error instanceof XmlDamaged)
      throw invalid(`expected well-formed XML: ${error.message}`, error);
    throw error;
  }
  return reading.notification();
}

/** Elements of the base have no prefix here; those of other namespaces keep theirs. */
const bare = (name: string): string => (name.startsWith(BASE) ? name.slice(BASE.length) : name);

type Fields = Map<string, string>;

interface Draft {
  readonly pointer: string;
  readonly said: Fields;
  readonly fields: Fields[];
  readonly group: Fields;
}

class Reading {
  #kind: 'error' | 'paper' | 'valid' | undefined;
  readonly #said: Fields = new Map();
  readonly #path: string[] = [];
  #groups = 0;
  #inGroup = 0;
  #group: Fields = new Map();
  readonly #drafts: Draft[] = [];

  root(name: string): void {
    this.#kind = ROOTS[name];
    if (this.#kind === undefined) {
      throw invalid(`expected one of ${Object.keys(ROOTS).join(', ')}`);
    }
  }

  open(name: string, depth: number): void {
    this.#path[depth - 1] = name;
    this.#path.length = depth;
    if (name === FI_GROUP) {
      this.#group = new Map();
      this.#groups++;
      this.#inGroup = 0;
    } else if (name === DETAIL) {
      const pointer = `/${FI_GROUP}/${this.#groups - 1}/${DETAIL}/${this.#inGroup++}`;
      this.#drafts.push({ fields: [], group: this.#group, pointer, said: new Map() });
    } else if (name === FIELD) this.#drafts.at(-1)?.fields.push(new Map());
  }

  close(name: string, text: string, depth: number): void {
    const parent = this.#path[depth - 2] ?? '';
    const draft = this.#drafts.at(-1);
    if (GATHERED.has(parent) && depth === 3) keep(this.#said, name, text);
    else if (parent === FI_GROUP) keep(this.#group, name, text);
    else if (parent === DETAIL && draft !== undefined) keep(draft.said, name, text);
    else if (parent === FIELD) keep(draft?.fields.at(-1) ?? new Map(), name, text);
  }

  notification(): TaxNotification {
    const said = (name: string): string => this.#said.get(name) ?? '';
    const needed = (name: string): string => {
      const text = said(name);
      if (text === '') throw invalid(`expected ${name}`);
      return text;
    };
    const code = needed('FATCANotificationCd');
    if (!CODE.test(code)) throw invalid('FATCANotificationCd: expected letters and digits');
    const recordErrors = this.#drafts.map(recordErrorOf);
    return {
      code,
      counts: countsOf(this.#said),
      createdAt: needed('FATCANotificationCreateTs'),
      effect: effectOf({ code, fileType: said('FileTypeCd'), kind: this.#kind, recordErrors }),
      fileType: said('FileTypeCd'),
      meaning: FILE_CODES[code]?.meaning,
      messageRefId: said('MessageRefId'),
      receiver: needed('FATCAEntityReceiverId'),
      recordErrors,
      refId: needed('FATCANotificationRefId'),
      sender: needed('FATCAEntitySenderId'),
      senderFileId: this.#kind === 'paper' ? said('SenderFileId') : needed('SenderFileId'),
      transmissionId: said('IDESTransmissionId'),
    };
  }
}

/** A member that stands there twice is in no notification of the schema. */
function keep(fields: Fields, name: string, text: string): void {
  if (fields.has(name) && !REPEATED.has(name)) throw invalid(`expected one ${name}`);
  fields.set(name, text);
}

/** Groups, which have no text of their own. */
const REPEATED: ReadonlySet<string> = new Set([DETAIL, FIELD]);

function countsOf(said: Fields): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of COUNTS) {
    const text = said.get(name);
    if (text === undefined) continue;
    if (!COUNT.test(text)) throw invalid(`${name}: expected a count`);
    counts[name] = Number(text);
  }
  return counts;
}

function recordErrorOf({ fields, group, pointer, said }: Draft): RecordError {
  const code = said.get('RecordLevelErrorCd') ?? '';
  const docRefId = said.get('DocRefId') ?? '';
  if (!CODE.test(code) || docRefId === '')
    throw invalid(`${pointer}: expected a code and a DocRefId`);
  return {
    code,
    docRefId,
    docType: said.get('DocTypeIndicCd') ?? '',
    fields: fields.map((field) => ({
      code: field.get('FieldErrorCd') ?? '',
      name: field.get('FieldNm') ?? '',
      text: field.get('FieldErrorTxt') ?? '',
    })),
    meaning: RECORD_CODES[code],
    pointer,
    reportType: said.get('FATCAReportTypeCd') ?? '',
    reportingFi: group.get('ReportingFIGIIN') ?? '',
  };
}

const review = (because: string): NotificationEffect => ({ because, status: 'needs_review' });

/** Accepted only where everything says so. */
function effectOf(of: {
  readonly code: string;
  readonly kind: 'error' | 'paper' | 'valid' | undefined;
  readonly fileType: string;
  readonly recordErrors: readonly RecordError[];
}): NotificationEffect {
  const known = FILE_CODES[of.code];
  if (known === undefined) return review('a code of a file that is not known');
  const expected = { accepted: 'valid', paper: 'paper', rejected: 'error' } as const;
  if (of.kind !== expected[known.effect]) return review('a code that its root does not fit');
  if (known.effect === 'paper') return { because: known.meaning, status: 'unchanged' };
  if (known.cause !== undefined) {
    return { cause: known.cause, nextStep: NEXT_STEPS[known.cause], status: 'rejected' };
  }
  if (of.fileType === 'DUP') return { because: 'a duplicate file', status: 'unchanged' };
  if (of.fileType !== 'NEW' && of.fileType !== 'REV') return review('a type of file not known');
  if (of.recordErrors.some(({ meaning }) => meaning === undefined)) {
    return review('a code of a record that is not known');
  }
  const outcome = of.recordErrors.length > 0 ? 'record_errors' : 'clean';
  return { outcome, status: 'accepted' };
}
