/**
 * The checks that documents give, made from what was read in them and what the case knows now. Each
 * document is compared by itself; of a kind of check the worst counts. Digits that hold prove
 * little: without a name and a date that agree they are looked at by a person.
 */
import { DomainError, everyRecord } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import {
  type CompareNames,
  compareDocument,
  DOCUMENT_CHECKS,
  type DocumentComparison,
  type SaidOfPerson,
} from '#slices/recognition';
import type { CaseSubject } from './caseContent.ts';
import type { SeenCase } from './changeCase.ts';
import { type DocumentReading, openReading } from './documentFiles.ts';
import type { CasePorts } from './ports.ts';
import type { KycSettings } from './settings.ts';
import { type CaseRecord, type Check, caseDocumentTable, type DocumentRecord } from './tables.ts';
import { ADDRESS_KINDS, type CheckStatus, type CheckType, IDENTITY_KINDS } from './words.ts';

/** What documents are compared with. */
export interface ComparePorts
  extends Pick<CasePorts, 'blobs' | 'clock' | 'random' | 'signed' | 'tables'> {
  readonly compareNames: CompareNames;
  readonly settingsOf: (tenantId: CaseRecord['tenantId']) => Promise<KycSettings>;
}

/** A document with what is known of it. */
export interface ReadDocument {
  readonly document: DocumentRecord;
  readonly reading: DocumentReading;
  /** What was read is not what was sealed: a person looks. */
  readonly isDamaged?: true;
}

const OF_PERSONS = DOCUMENT_CHECKS.filter((type) => type !== 'document_readable');

/** The worst first. */
const BY_WEIGHT: readonly CheckStatus[] = ['fail', 'review', 'unavailable', 'pending', 'pass'];

type Found = Pick<Check, 'evidence' | 'reasonCodes' | 'status' | 'type'>;

/** The documents that a case stands on, as they were signed: of each kind the newest. */
export async function documentsOf(
  { signed }: Pick<ComparePorts, 'signed'>,
  { documents, tenantId }: Pick<CaseRecord, 'documents' | 'tenantId'>,
): Promise<readonly DocumentRecord[]> {
  const current = documents.filter(({ supersededBy }) => supersededBy === undefined);
  return Promise.all(
    current.map(async ({ documentId }) => {
      const found = await signed.findDocument({ documentId, tenantId });
      if (found !== undefined) return found;
      throw new DomainError('state-altered', {
        detail: `document:${documentId}: a case names it, and its record is gone`,
      });
    }),
  );
}

/**
 * Checks of the workflow that documents give; undefined while one is still to be read: whoever
 * reads it begins the checks anew. `fresh` stands for a record that is written in the same commit.
 */
export async function documentChecks(
  ports: ComparePorts,
  seen: SeenCase,
  fresh?: ReadDocument,
): Promise<readonly Check[] | undefined> {
  const documents = (await documentsOf(ports, seen.record)).map((one) =>
    one.documentId === fresh?.document.documentId ? fresh.document : one,
  );
  if (documents.some(({ recognition }) => recognition === 'queued')) return undefined;
  const read = await Promise.all(
    documents.map(async (document) =>
      document.documentId === fresh?.document.documentId ? fresh : readingIn(ports, seen, document),
    ),
  );
  return checksOf(ports, seen, read);
}

async function readingIn(
  ports: ComparePorts,
  { key }: SeenCase,
  document: DocumentRecord,
): Promise<ReadDocument> {
  try {
    return { document, reading: await openReading(ports, key, document.readBlob) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'blob-damaged') throw error;
    return { document, isDamaged: true, reading: { said: {} } };
  }
}

async function checksOf(
  ports: ComparePorts,
  { content, record, workflow }: SeenCase,
  read: readonly ReadDocument[],
): Promise<readonly Check[]> {
  const { confidenceMin } = await ports.settingsOf(record.tenantId);
  const bounds = { confidenceMin, minAge: workflow.content.min_age };
  const compared = await Promise.all(
    read
      .filter(({ document }) => document.recognition !== 'skipped')
      .map(async (one) => ({
        ...one,
        ...(await compareReading(ports, one.reading, { ...bounds, subject: content.subject })),
      })),
  );
  const found: Found[] = [
    worst(
      'document_readable',
      compared.map((one) => foundIn(one, 'document_readable')),
    ),
    ...personChecks(compared),
    await reuseCheck(ports, record, read),
    addressCheck(read),
  ];
  const at = ports.clock.now();
  return found
    .filter(({ type }) => workflow.content.checks.includes(type))
    .map((one) => ({ ...one, at, checkId: uuidV7(at, ports.random) }));
}

type Compared = ReadDocument & DocumentComparison;

/** What a document says against what the case knows now. */
export function compareReading(
  { clock, compareNames }: Pick<ComparePorts, 'clock' | 'compareNames'>,
  { read }: DocumentReading,
  of: { readonly subject: CaseSubject; readonly confidenceMin: number; readonly minAge: number },
): Promise<DocumentComparison> {
  const { confidenceMin, minAge, subject } = of;
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const { fields = [], mrz, status = 'unavailable' } = read ?? {};
  return compareDocument(
    {
      confidenceMin,
      minAge,
      read: { fields, status, ...(mrz !== undefined && { mrz }) },
      said: saidOf(subject),
      today,
    },
    compareNames,
  );
}

function saidOf(subject: CaseSubject): SaidOfPerson {
  const { dob, first_name, full_name, full_name_ar, last_name, national_id, nationality } = subject;
  return {
    ...(dob !== undefined && { dob }),
    ...(first_name !== undefined && { firstName: first_name }),
    ...(full_name !== undefined && { fullName: full_name }),
    ...(full_name_ar !== undefined && { fullNameAr: full_name_ar }),
    ...(last_name !== undefined && { lastName: last_name }),
    ...(national_id !== undefined && { nationalId: national_id }),
    ...(nationality !== undefined && { nationality }),
  };
}

/**
 * A side without a zone says nothing of the person, so where another one has a zone that counts.
 * Where none has, all of them wait for a person.
 */
function personChecks(compared: readonly Compared[]): readonly Found[] {
  const ofPersons = compared.filter(({ document }) => IDENTITY_KINDS.includes(document.kind));
  const withZone = ofPersons.filter(({ reading }) => reading.read?.mrz !== undefined);
  const counted = withZone.length > 0 ? withZone : ofPersons;
  return OF_PERSONS.map((type) =>
    worst(
      type,
      counted.map((one) =>
        type === 'document_authentic_digits' ? digitsIn(one) : foundIn(one, type),
      ),
    ),
  );
}

function foundIn(one: Compared, type: CheckType): Found {
  const { checks, document, isDamaged } = one;
  const made = checks.find((check) => check.type === type);
  const evidence = evidenceOf(one);
  if (isDamaged) return { evidence, reasonCodes: ['damaged'], status: 'unavailable', type };
  if (document.scan === 'infected' && type === 'document_readable') {
    return { evidence, reasonCodes: ['infected'], status: 'fail', type };
  }
  if (made === undefined) return { evidence, reasonCodes: [], status: 'unavailable', type };
  const reasonCodes = made.reason_codes.map((code) => code.replaceAll('-', '_'));
  return { evidence, reasonCodes, status: made.status, type };
}

/** Right digits with neither the name nor the date of the customer are nobody's proof. */
function digitsIn(one: Compared): Found {
  const found = foundIn(one, 'document_authentic_digits');
  const agrees = (['name_match', 'dob_match'] as const).every(
    (type) => foundIn(one, type).status === 'pass',
  );
  if (found.status !== 'pass' || agrees) return found;
  return { ...found, reasonCodes: ['digits_alone'], status: 'review' };
}

/** Ids and figures of what the check rests on. */
function evidenceOf({ document, reading }: ReadDocument): Check['evidence'] {
  const { engine, fields = [] } = reading.read ?? {};
  return {
    confidence_min: fields.length === 0 ? null : Math.min(...fields.map((one) => one.confidence)),
    document_id: document.documentId,
    document_sha256: document.sha256,
    engine: engine?.name ?? null,
    engine_data_sha256: engine?.dataSha256 ?? null,
    engine_version: engine?.version ?? null,
  };
}

function worst(type: CheckType, found: readonly Found[]): Found {
  const [first] = [...found].sort(
    (one, other) => BY_WEIGHT.indexOf(one.status) - BY_WEIGHT.indexOf(other.status),
  );
  return first ?? { evidence: {}, reasonCodes: ['document_absent'], status: 'unavailable', type };
}

/** The same bytes under two customers: one of them may be somebody else. */
async function reuseCheck(
  { tables }: Pick<ComparePorts, 'tables'>,
  { subjectId, tenantId }: Pick<CaseRecord, 'subjectId' | 'tenantId'>,
  read: readonly ReadDocument[],
): Promise<Found> {
  for (const { document } of read) {
    const of = { equal: { sha256: document.sha256, tenantId }, index: 'byDigest' } as const;
    for await (const other of everyRecord(tables, caseDocumentTable, of)) {
      if (other.subjectId === subjectId) continue;
      return {
        evidence: {
          document_id: document.documentId,
          other_case_id: other.caseId,
          other_document_id: other.documentId,
        },
        reasonCodes: ['same_document'],
        status: 'review',
        type: 'document_reuse',
      };
    }
  }
  return { evidence: {}, reasonCodes: [], status: 'pass', type: 'document_reuse' };
}

/** No date of issue is read out of a letter: a person looks. */
function addressCheck(read: readonly ReadDocument[]): Found {
  const type = 'address_recent';
  const letter = read.find(({ document }) => ADDRESS_KINDS.includes(document.kind));
  if (letter === undefined) return worst(type, []);
  return { evidence: evidenceOf(letter), reasonCodes: ['date_by_person'], status: 'review', type };
}

/** The checks of a case with these in the place of those of the same type. */
export const withChecks = (checks: readonly Check[], made: readonly Check[]): readonly Check[] => [
  ...checks.filter((one) => !made.some(({ type }) => type === one.type)),
  ...made,
];
