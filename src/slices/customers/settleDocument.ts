/**
 * The end of a look at a document: what was found, the checks of a case that is worked on, and the
 * end of the task in one commit, so that a worker which dies costs one look.
 */
import type { Commit } from '#core/audit';
import type { BlobStore, DataKey } from '#core/blobs';
import { chainOf, DomainError } from '#core/kernel';
import type { Hold } from '#core/work';
import type { EpochMs } from '#platform/clock';
import {
  findMrz,
  type MalwareScanner,
  mrzFields,
  type ReadField,
  type Recogniser,
  type Recognition,
} from '#slices/recognition';
import { subjectKeyId } from './caseContent.ts';
import { kycEntry, requireCase } from './caseRecord.ts';
import { changeCase, newTask, type SeenCase, seeCase } from './changeCase.ts';
import { type ComparePorts, compareReading, documentChecks, withChecks } from './documentChecks.ts';
import {
  type DocumentReading,
  openReading,
  sealDocument,
  sealReading,
  type UploaderSays,
} from './documentFiles.ts';
import { TEXT_KEPT_DAYS } from './limits.ts';
import type { CasePorts } from './ports.ts';
import { documentTarget } from './signedCases.ts';
import {
  type CaseRecord,
  type CaseTask,
  caseDocumentTable,
  type DocumentRecord,
  taskTable,
} from './tables.ts';
import type { RecognitionStatus } from './words.ts';

/** What looks at documents. */
export interface ReadingPorts extends CasePorts, Omit<ComparePorts, keyof CasePorts> {
  readonly blobs: Pick<BlobStore, 'get' | 'put' | 'remove'>;
  readonly recogniser: Recogniser;
  readonly scanner: MalwareScanner;
}

/** A task in hand. */
export type TaskHold = Hold<CaseTask, 'taskId' | 'tenantId'>;

const ACTOR = 'system:customers';
const DAY_MS = 24 * 3_600_000;

/** What a look came to. */
export interface Looked {
  readonly scan: DocumentRecord['scan'];
  readonly recognition: RecognitionStatus;
  readonly signature?: string;
  readonly scanner?: string;
  readonly found?: Recognition;
}

/** As it was signed. Throws `state-altered` where there is none. */
export async function documentOfTask(
  { signed }: Pick<ReadingPorts, 'signed'>,
  { documentId = '', tenantId }: CaseTask,
): Promise<DocumentRecord> {
  const found = await signed.findDocument({ documentId, tenantId });
  if (found !== undefined) return found;
  throw new DomainError('state-altered', { detail: 'a task names a document that there is not' });
}

/** One commit: the document, its checks on the case that is worked on, and the end of the task. */
export async function settleDocument(
  ports: ReadingPorts,
  hold: TaskHold,
  looked: Looked,
): Promise<void> {
  hold.signal.throwIfAborted();
  const { caseId, tenantId } = hold.record;
  const { blob } = await documentOfTask(ports, hold.record);
  const record = await requireCase(ports, { caseId, tenantId });
  const isWorkedOn = record.status === 'processing' || record.status === 'manual_review';
  const isKnown = await hasKey(ports, record);
  if (isWorkedOn && isKnown) await settleOnCase(ports, hold, looked);
  else await settleAlone(ports, hold, { isKnown, looked });
  await hold.end();
  if (looked.scan !== 'infected' || blob === undefined) return;
  // At once: a sealed blob is one document's alone. What fails here, the sweep removes.
  const putBefore = (ports.clock.now() + 1) as EpochMs;
  await ports.blobs.remove(blob, { putBefore });
}

/** False once the subject was erased. */
async function hasKey(
  { dataKeys }: Pick<ReadingPorts, 'dataKeys'>,
  { erasedAt, subjectId, tenantId }: Pick<CaseRecord, 'erasedAt' | 'subjectId' | 'tenantId'>,
): Promise<boolean> {
  if (erasedAt !== undefined) return false;
  return (await dataKeys.find({ keyId: subjectKeyId(subjectId), tenantId })) !== undefined;
}

async function settleOnCase(ports: ReadingPorts, hold: TaskHold, looked: Looked): Promise<void> {
  const { caseId, tenantId } = hold.record;
  await changeCase(ports, { actor: ACTOR, caseId, tenantId }, async (seen) => {
    hold.signal.throwIfAborted();
    const end = await endOf(ports, hold, { looked, seen });
    const made = await documentChecks(ports, seen, { document: end.next, reading: end.reading });
    // The last document that was waited for begins the checks of the whole case.
    const begins = made !== undefined && seen.record.status === 'processing';
    const checks = begins ? [newTask(ports, seen.record, { kind: 'checks' })] : [];
    return {
      beside: () => ({ ...end.commit, changes: [...(end.commit.changes ?? []), ...checks] }),
      change: { checks: withChecks(seen.record.checks, made ?? []) },
      entry: {
        action: 'kyc.case.checked',
        members: {
          checks: Object.fromEntries((made ?? []).map(({ status, type }) => [type, status])),
          document_id: end.next.documentId,
        },
      },
    };
  });
  ports.wake(tenantId);
}

/** Checks of a case that nobody works on are made once it goes on. */
async function settleAlone(
  ports: ReadingPorts,
  hold: TaskHold,
  { isKnown, looked }: { readonly isKnown: boolean; readonly looked: Looked },
): Promise<void> {
  const { caseId, tenantId } = hold.record;
  const seen = isKnown ? await seeCase(ports, { caseId, tenantId }) : undefined;
  const { commit } = await endOf(ports, hold, { looked, seen });
  await ports.commit(chainOf(tenantId), { bus: [], changes: [], events: [], ...commit });
}

interface End {
  readonly next: DocumentRecord;
  readonly reading: DocumentReading;
  readonly commit: Partial<Pick<Commit, 'changes' | 'events'>>;
}

/** The document after the look, and what the commit writes of it. */
async function endOf(
  ports: ReadingPorts,
  hold: TaskHold,
  { looked, seen }: { readonly looked: Looked; readonly seen: SeenCase | undefined },
): Promise<End> {
  const before = await documentOfTask(ports, hold.record);
  const now = ports.clock.now();
  const made = seen && (await readingOf(ports, { before, looked, seen }));
  const { blob, ...bare } = before;
  const next: DocumentRecord = {
    ...bare,
    ...(looked.scan !== 'infected' && blob !== undefined && { blob }),
    ...made?.blobs,
    recognition: looked.recognition,
    scan: looked.scan,
    version: before.version + 1,
  };
  const done: CaseTask = {
    ...hold.record,
    endedAt: now,
    state: looked.recognition === 'failed' ? 'failed' : 'done',
    version: hold.record.version + 1,
  };
  const changes = [
    hold.expected,
    caseDocumentTable.put(next, before.version),
    taskTable.put(done, hold.record.version),
    ...(made?.blobs.textBlob === undefined ? [] : [forgetting(ports, next)]),
  ];
  return {
    commit: { changes, events: [lookEntry(ports, next, looked)] },
    next,
    reading: made?.reading ?? { said: {} },
  };
}

/** The whole text goes after a time; its fields stay. */
function forgetting(ports: ReadingPorts, { caseId, documentId, tenantId }: DocumentRecord) {
  const dueAt = (ports.clock.now() + TEXT_KEPT_DAYS * DAY_MS) as EpochMs;
  return newTask(ports, { caseId, tenantId }, { documentId, dueAt, kind: 'text' });
}

async function readingOf(
  ports: ReadingPorts,
  {
    before,
    looked,
    seen,
  }: {
    readonly before: DocumentRecord;
    readonly looked: Looked;
    readonly seen: SeenCase;
  },
) {
  const { key, record, workflow } = seen;
  const { found } = looked;
  if (found === undefined) return { blobs: {}, reading: { said: {} } };
  const { said } = await openReading(ports, key, before.readBlob);
  const { pages, status, text, tookMs, warnings } = found;
  const today = new Date(ports.clock.now()).toISOString().slice(0, 10);
  const read = { ...zoneOf(found, said, today), pages, status, tookMs, warnings };
  const { confidenceMin } = await ports.settingsOf(record.tenantId);
  const { comparisons } = await compareReading(
    ports,
    { read: { ...read, caseVersion: record.version, comparisons: [] }, said },
    { confidenceMin, minAge: workflow.content.min_age, subject: seen.content.subject },
  );
  const reading: DocumentReading = {
    read: {
      ...read,
      caseVersion: record.version,
      comparisons,
      ...(found.engine !== undefined && { engine: found.engine }),
    },
    said,
  };
  return { blobs: await sealed(ports, key, { reading, text }), reading };
}

async function sealed(
  ports: ReadingPorts,
  key: DataKey,
  { reading, text }: { readonly reading: DocumentReading; readonly text: string },
): Promise<Pick<DocumentRecord, 'readBlob' | 'textBlob'>> {
  const readBlob = await sealReading(ports, key, reading);
  if (text === '') return { readBlob };
  return {
    readBlob,
    textBlob: await sealDocument(ports, Buffer.from(text), { key, kind: 'text' }),
  };
}

/** What was read counts; what the uploader says fills what is missing, and is marked so. */
function zoneOf(
  { fields: read, mrz: zone }: Recognition,
  said: UploaderSays,
  today: string,
): Pick<NonNullable<DocumentReading['read']>, 'fields' | 'mrz'> {
  const mrz = zone ?? (said.mrz === undefined ? undefined : findMrz(said.mrz, { today }));
  const isOfClient = zone === undefined && mrz !== undefined;
  const fields: ReadField[] = isOfClient
    ? [...mrzFields(mrz, { confidence: 1, source: 'client' })]
    : [...read];
  for (const name of ['expires_on', 'issuing_country'] as const) {
    const value = said[name];
    if (value === undefined || fields.some((one) => one.name === name)) continue;
    fields.push({ confidence: 1, name, source: 'client', value });
  }
  return { fields, ...(mrz !== undefined && { mrz }) };
}

function lookEntry(ports: ReadingPorts, document: DocumentRecord, looked: Looked) {
  const { found, scanner = null, signature } = looked;
  return kycEntry(ports, {
    action: looked.scan === 'infected' ? 'kyc.document.deleted' : 'kyc.document.read',
    actor: ACTOR,
    kind: 'document',
    members: {
      case_id: document.caseId,
      engine: found?.engine?.name ?? null,
      engine_data_sha256: found?.engine?.dataSha256 ?? null,
      engine_version: found?.engine?.version ?? null,
      recognition: looked.recognition,
      scan: looked.scan,
      scanner,
      took_ms: found?.tookMs ?? null,
      ...(signature !== undefined && { malware: signature, reason: 'infected' }),
    },
    record: document,
    target: documentTarget(document),
    ...(looked.scan === 'infected' && { severity: 'NOTICE' as const }),
  });
}
