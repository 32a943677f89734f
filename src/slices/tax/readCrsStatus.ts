/**
 * A status message of a CRS authority about a message of ours (OECD, CRS Status Message 2.0), as a
 * notification: what it says decides as the IRS's does. It is not signed: who brought it stands in
 * its entry.
 */
import { DomainError } from '#core/kernel';
import { XmlDamaged, XmlReader } from '#platform/xml/readXml';
import { NOTIFICATION_BYTES_MAX } from './limits.ts';
import { NEXT_STEPS, type RejectionCause } from './notificationCodes.ts';
import type { NotificationEffect, RecordError, TaxNotification } from './readNotification.ts';

const ROOT = 'CRSStatusMessage_OECD';
const NAMESPACE = 'urn:oecd:ties:csm:v2';
const LIMITS = {
  attributesMax: 16,
  bytesMax: NOTIFICATION_BYTES_MAX,
  depthMax: 8,
  elementsMax: 1_000_000,
  nameCharsMax: 128,
  textCharsMax: 8_192,
} as const;
const CODE = /^[A-Za-z0-9]{1,10}$/;
/** What failed on the way, before anybody looked into the message. */
const OF_TRANSPORT: ReadonlySet<string> = new Set([
  '50001',
  '50002',
  '50003',
  '50004',
  '50005',
  '50006',
  '50013',
]);

const invalid = (detail: string, cause?: unknown): DomainError =>
  new DomainError('notification-invalid', { cause, detail });

/** Throws `notification-invalid` for what is no status message. */
export function readCrsStatus(bytes: Uint8Array): TaxNotification {
  const reading = new Reading();
  try {
    new XmlReader(LIMITS).read(Buffer.from(bytes), reading);
  } catch (error) {
    if (error instanceof XmlDamaged) throw invalid(`not well-formed: ${error.message}`, error);
    if (error instanceof TypeError) throw invalid('expected UTF-8', error);
    throw error;
  }
  return reading.notification();
}

interface Draft {
  code: string;
  readonly docRefIds: string[];
  readonly fields: string[];
}

class Reading {
  readonly #said = new Map<string, string>();
  readonly #fileCodes: string[] = [];
  readonly #drafts: Draft[] = [];
  readonly #path: string[] = [];

  root(name: string, namespace: string): void {
    if (name === ROOT && namespace === NAMESPACE) return;
    throw invalid(`expected the root ${ROOT} in ${NAMESPACE}`);
  }

  open(name: string, depth: number): void {
    this.#path[depth - 1] = name;
    this.#path.length = depth;
    if (name === 'RecordError') {
      this.#drafts.push({ code: '', docRefIds: [], fields: [] });
    }
  }

  close(name: string, text: string, depth: number): void {
    const draft = this.#drafts.at(-1);
    const parent = this.#path[depth - 2] ?? '';
    if (parent === 'FileError' && name === 'Code') this.#fileCodes.push(text);
    else if (parent === 'RecordError' && draft !== undefined) {
      if (name === 'Code') draft.code = text;
      else if (name === 'DocRefIDInError') draft.docRefIds.push(text);
    } else if (name === 'FieldPath') draft?.fields.push(text);
    else if (parent === 'MessageSpec' || SAID.has(name)) this.#keep(name, text);
  }

  notification(): TaxNotification {
    const needed = (name: string): string => {
      const text = this.#said.get(name) ?? '';
      if (text === '') throw invalid(`expected ${name}`);
      return text;
    };
    const recordErrors = this.#drafts.flatMap(errorsOf);
    const [code = needed('Status')] = this.#fileCodes;
    if (!CODE.test(code)) throw invalid('Code: expected letters and digits');
    return {
      code,
      counts: {},
      createdAt: needed('Timestamp'),
      effect: effectOf(needed('Status'), this.#fileCodes, recordErrors),
      fileType: '',
      meaning: undefined,
      messageRefId: needed('OriginalMessageRefID'),
      receiver: needed('ReceivingCountry'),
      recordErrors,
      refId: needed('MessageRefId'),
      sender: needed('TransmittingCountry'),
      senderFileId: '',
      transmissionId: this.#said.get('CTSTransmissionID') ?? '',
    };
  }

  #keep(name: string, text: string): void {
    if (this.#said.has(name) && name !== 'CorrMessageRefId') throw invalid(`expected one ${name}`);
    this.#said.set(name, text);
  }
}

const SAID: ReadonlySet<string> = new Set(['CTSTransmissionID', 'OriginalMessageRefID', 'Status']);

/** One for each record that it names. */
function errorsOf({ code, docRefIds, fields }: Draft, at: number): readonly RecordError[] {
  if (!CODE.test(code)) throw invalid('RecordError: expected a code');
  return docRefIds.map((docRefId) => ({
    code,
    docRefId,
    docType: '',
    fields: fields.map((name) => ({ code: '', name, text: '' })),
    meaning: undefined,
    pointer: `/RecordError/${at}`,
    reportingFi: '',
    reportType: '',
  }));
}

/** The authority's own word decides, whatever the codes are: national ones are known to nobody. */
function effectOf(
  status: string,
  codes: readonly string[],
  recordErrors: readonly RecordError[],
): NotificationEffect {
  if (status === 'Accepted') {
    return { outcome: recordErrors.length > 0 ? 'record_errors' : 'clean', status: 'accepted' };
  }
  if (status !== 'Rejected') return { because: 'a status not known', status: 'needs_review' };
  const isOnItsWay = codes.length > 0 && codes.every((code) => OF_TRANSPORT.has(code));
  const cause: RejectionCause = isOnItsWay ? 'transport' : 'message';
  return { cause, nextStep: NEXT_STEPS[cause], status: 'rejected' };
}
