/** The ingest over HTTP: a body of one of the formats, into the tenant's log. */
import { DomainError, type TenantId } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import {
  type IngestOutcome,
  MESSAGE_BYTES_MAX,
  type MessageFormat,
  type MessageThread,
  PACS008_BYTES_MAX,
  type ReadingContext,
  type ReadTransactions,
  readMessage,
  rejectedOf,
  type TakePorts,
  TOLD_REFUSALS_MAX,
  takeTransactions,
} from '#slices/monitoring';
import { askerOf } from '../../../api/asker.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { keptUnder } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import { IngestBody, IngestQuery, IngestResult } from './schemas.ts';

/** What the ingest is made of. */
export interface IngestOptions extends TakePorts {
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

export const ingestOperation = (options: IngestOptions): Operation => ({
  id: 'ingestTransactions',
  method: 'POST',
  path: '/v1/aml/transactions/ingest',
  tag: 'AML',
  summary: 'Take transactions into the log',
  description:
    'Each transaction is taken, known already, or refused by index, pointer and code; nothing is ' +
    'lost and nothing taken twice. A pacs.008 message is taken whole or not at all. Transactions ' +
    'have a rate limit of their own (`limits.transactions_per_second`); the call counts as one.',
  roles: roles.ingest,
  scope: 'transactions:write',
  idempotency: 'required',
  limits: 'transactions',
  problems: [
    'deadline-exceeded',
    'engine-queue-full',
    'ingest-rejected',
    'message-invalid',
    'message-malformed',
    'message-version-unsupported',
    'mt-malformed',
  ],
  bodyBytesMax: PACS008_BYTES_MAX,
  query: IngestQuery,
  upload: {
    mediaType: 'application/json',
    furtherTypes: Object.values(MEDIA_TYPES)
      .flat()
      .filter((type) => type !== 'application/json'),
    receive: (context, known) => receive(options, context, known),
    schema: IngestBody,
  },
  responses: { 202: { description: 'What became of each', schema: IngestResult } },
  handle: (context) => ingest(options, context),
});

async function receive(
  options: IngestOptions,
  context: OperationContext,
  { isAnswered }: { readonly isAnswered: boolean },
) {
  const { request, tenantId } = context;
  const { format } = context.query as unknown as { readonly format: MessageFormat };
  requireMediaType(request.header('content-type'), format);
  const bytes = await bodyOf(request.bodyStream(), MESSAGE_BYTES_MAX[format]);
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

async function bodyOf(stream: AsyncIterable<Uint8Array>, max: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > max) {
      throw new DomainError('body-too-large', { detail: `expected at most ${max} bytes` });
    }
    pieces.push(piece);
  }
  if (length === 0) throw new DomainError('body-missing');
  return Buffer.concat(pieces);
}

function requireMediaType(given: string | undefined, format: MessageFormat): void {
  const type = given?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (MEDIA_TYPES[format].includes(type)) return;
  throw new DomainError('media-type-unsupported', {
    detail: `Content-Type: expected ${MEDIA_TYPES[format].join(' or ')} for ${format}`,
  });
}

async function ingest(options: IngestOptions, context: OperationContext) {
  const { idempotency, principal, tenantId } = context;
  const { bytes, format, read } = context.body as Received;
  const kept = keptUnder(idempotency, options.clock).idempotency;
  const outcome = await takeTransactions(options, {
    ...askerOf(context),
    format,
    raw: bytes,
    read: read.transactions,
    refusals: read.refusals,
    requestedBy: principal.id,
    tenantId,
    ...(kept && { idempotency: (done) => kept({ body: bodyOfAnswer(done), status: 202 }) }),
  });
  return { body: bodyOfAnswer(outcome), status: 202 };
}

const bodyOfAnswer = (outcome: IngestOutcome): string =>
  JSON.stringify({
    ingest_id: outcome.ingestId,
    accepted: outcome.accepted,
    rejected: rejectedOf(outcome),
    duplicates: outcome.duplicates,
    errors: outcome.refusals.slice(0, TOLD_REFUSALS_MAX),
    tseq_from: outcome.tseqs?.[0] ?? null,
    tseq_to: outcome.tseqs?.[1] ?? null,
  });
