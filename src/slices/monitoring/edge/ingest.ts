/** The ingest over HTTP: a body of one of the formats, into the tenant's log. */
import { type CommitEvidence, entry } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import {
  type AdvicePorts,
  type AdvisedTransaction,
  adviseOn,
  type Format,
  type IngestOutcome,
  MESSAGE_BYTES_MAX,
  type MessageFormat,
  type MessageThread,
  type ReadingContext,
  type ReadTransactions,
  type ReceivedFile,
  readMessage,
  rejectedOf,
  type TakenRow,
  type TakePorts,
  TOLD_REFUSALS_MAX,
  TRANSACTION_FILE_BYTES_MAX,
  takeTransactions,
} from '#slices/monitoring';
import { askerOf } from '../../../api/asker.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { Slots } from '../../../api/slots.ts';
import { keptUnder } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { FILE_TYPES, type FileOptions, orderUpload, receiveUpload } from './files.ts';
import { preferredWait } from './preferredWait.ts';
import { presentAdvised } from './presentation.ts';
import { AdvisedResult, IngestBody, IngestQuery, PartlyAdvisedResult } from './schemas.ts';
import { requireMediaType, wholeBody } from './wholeBody.ts';

/** What the ingest is made of. */
export interface IngestOptions
  extends Omit<TakePorts, 'blobs' | 'dataKeys' | 'tables'>,
    Omit<AdvicePorts, 'tables'>,
    Omit<FileOptions, 'dataKeys' | 'tables'> {
  readonly dataKeys: TakePorts['dataKeys'] & FileOptions['dataKeys'];
  readonly tables: TakePorts['tables'] & AdvicePorts['tables'] & FileOptions['tables'];
  readonly clock: Clock;
  readonly commit: CommitEvidence;
  readonly settingsOf: (tenantId: TenantId) => Promise<ReadingContext>;
  readonly thread: () => Promise<MessageThread>;
}

/** A small body is read where it is; the way to a thread would take longer. */
const HERE_BYTES_MAX = 16 * 1024;
const READING_DEADLINE_MS = 10_000;

const MEDIA_TYPES: Readonly<Record<MessageFormat, readonly string[]>> = {
  iso20022_pacs008: ['application/xml', 'text/xml'],
  json_service: ['application/json'],
  swift_mt103: ['text/plain', 'application/x-swift-fin'],
};

interface Received {
  readonly format: MessageFormat;
  readonly bytes: Buffer;
  readonly read: ReadTransactions;
}

const formatOf = ({ query }: OperationContext): Format =>
  (query as unknown as { readonly format: Format }).format;

export const ingestOperation = (options: IngestOptions, slots: Slots): Operation => ({
  id: 'ingestTransactions',
  method: 'POST',
  path: '/v1/aml/transactions/ingest',
  tag: 'AML',
  summary: 'Take transactions into the log',
  description:
    'Each transaction is taken, known already, or refused by index, pointer and code; nothing is ' +
    'lost and nothing taken twice. A pacs.008 message is taken whole or not at all. Transactions ' +
    'have a rate limit of their own (`limits.transactions_per_second`); the call counts as one. ' +
    'With `Prefer: wait=N` (seconds, 5 at most) the answer is 200 with what is advised of each ' +
    'transaction; a listed party is held at once (`decided_by` is screening alone), and where ' +
    'rules do not say in time the answer is 202 with those that are decided. A CSV is received ' +
    'whole and taken by workers: `GET /v1/aml/transactions/ingests/{ingest_id}` says how far it ' +
    'is, and the same file again is its first ingest.',
  roles: roles.ingest,
  scope: 'transactions:write',
  idempotency: 'required',
  limits: 'transactions',
  problems: [
    'deadline-exceeded',
    'engine-queue-full',
    'csv-invalid',
    'ingest-rejected',
    'list-unavailable',
    'message-invalid',
    'message-malformed',
    'message-version-unsupported',
    'multipart-malformed',
    'mt-malformed',
    'processing-restricted',
    'storage-full',
    'upload-damaged',
  ],
  bodyBytesMax: TRANSACTION_FILE_BYTES_MAX,
  query: IngestQuery,
  conditions: 'wait',
  upload: {
    mediaType: 'application/json',
    furtherTypes: [...Object.values(MEDIA_TYPES).flat(), ...FILE_TYPES].filter(
      (type) => type !== 'application/json',
    ),
    receive: (context, known) =>
      formatOf(context) === 'csv_service'
        ? slots.hold(context.tenantId, () => receiveUpload(options, context, known.isAnswered))
        : receive(options, context, known),
    schema: IngestBody,
  },
  responses: {
    200: { description: 'What is advised of each, where the caller waits', schema: AdvisedResult },
    202: { description: 'What became of each', schema: PartlyAdvisedResult },
  },
  handle: (context) =>
    formatOf(context) === 'csv_service'
      ? orderUpload(options, context, context.body as ReceivedFile | undefined)
      : ingest(options, context),
});

async function receive(
  options: IngestOptions,
  context: OperationContext,
  { isAnswered }: { readonly isAnswered: boolean },
) {
  const { request, tenantId } = context;
  const format = formatOf(context) as MessageFormat;
  requireMediaType(request, MEDIA_TYPES[format], ` for ${format}`);
  const bytes = await wholeBody(request, MESSAGE_BYTES_MAX[format]);
  const task = { bytes, context: await options.settingsOf(tenantId), format };
  const isSmall = format === 'json_service' && bytes.length <= HERE_BYTES_MAX;
  const by = { deadlineMs: READING_DEADLINE_MS, signal: request.signal, turn: tenantId };
  const read = isSmall
    ? readMessage(format, bytes, task.context)
    : await (await options.thread()).read(task, by);
  // An answer that is given again takes nothing.
  if (!isAnswered) await context.charge(read.transactions.length);
  const value: Received = { bytes, format, read };
  return { bodyDigest: sha256Hex(bytes), value };
}

async function ingest(options: IngestOptions, context: OperationContext) {
  const { idempotency, principal, request, tenantId } = context;
  const { bytes, format, read } = context.body as Received;
  const waitS = preferredWait(request.header('prefer'));
  const kept = keptUnder(idempotency, options.clock).idempotency;
  const own: TakenRow[] = [];
  const outcome = await takeTransactions(options, {
    ...askerOf(context),
    format,
    raw: bytes,
    read: read.transactions,
    refusals: read.refusals,
    requestedBy: principal.id,
    sandbox: principal.environment === 'sandbox',
    signal: request.signal,
    tenantId,
    ...(waitS > 0
      ? { onTaken: (rows) => own.push(...rows) }
      : kept && { idempotency: (done) => kept({ body: bodyOfAnswer(done), status: 202 }) }),
  });
  if (waitS === 0) return { body: bodyOfAnswer(outcome), status: 202 };
  return advised(options, context, { outcome, own, waitS });
}

/** The answer is kept once it is given: what the caller was told is evidence, too. */
async function advised(
  options: IngestOptions,
  context: OperationContext,
  of: {
    readonly outcome: IngestOutcome;
    readonly own: readonly TakenRow[];
    readonly waitS: number;
  },
) {
  const { tenantId } = context;
  const { outcome, own, waitS } = of;
  const { read } = context.body as Received;
  const { isWhole, results } = await adviseOn(options, {
    own,
    signal: context.request.signal,
    tenantId,
    txIds: read.transactions.map(({ transaction }) => transaction.tx_id),
    waitMs: Math.max(0, waitS * MS_PER_S - (options.clock.monotonicMs() - context.startedAtMs)),
  });
  const answer = { body: bodyOfAnswer(outcome, results), status: isWhole ? 200 : 202 };
  const kept = keptUnder(context.idempotency, options.clock).idempotency;
  const counted = (decision: string) => results.filter((one) => one.decision === decision).length;
  await options.commit(chainOf(tenantId), {
    bus: [],
    changes: [],
    events: [
      entry(options, {
        ...askerOf(context),
        action: 'aml.transactions.advised',
        members: {
          answer_digest: sha256Hex(answer.body),
          block: counted('block'),
          pass: counted('pass'),
          review: counted('review'),
        },
        target: `ingest:${outcome.ingestId}`,
      }),
    ],
    ...(kept && { idempotency: () => kept(answer) }),
  });
  return { ...answer, headers: [['Preference-Applied', `wait=${waitS}`]] as const };
}

const MS_PER_S = 1_000;

const bodyOfAnswer = (outcome: IngestOutcome, results?: readonly AdvisedTransaction[]): string =>
  JSON.stringify({
    ingest_id: outcome.ingestId,
    accepted: outcome.accepted,
    rejected: rejectedOf(outcome),
    duplicates: outcome.duplicates,
    errors: outcome.refusals.slice(0, TOLD_REFUSALS_MAX),
    tseq_from: outcome.tseqs?.[0] ?? null,
    tseq_to: outcome.tseqs?.[1] ?? null,
    ...(results && { results: results.map(presentAdvised) }),
  });
