/**
 * The proof of one subject of a batch (docs/batch-evidence.md), to be verified without us.
 *
 * A subject is found by reading the results of the batch, which of ten million takes minutes of a
 * thread: each chunk of them is a turn of the tenant, so that nobody waits for a whole search. It
 * costs tokens by the chunks that it may read. A search whose caller has left ends.
 */
import { type Static, Type } from 'typebox';
import { canonicalJson } from '#platform/canonicalJson';
import { type ProofPorts, proveSubject } from '#slices/batches';
import { EXTERNAL_ID_CHARS_MAX } from '#slices/intake';
import type { Operation } from '../../../api/operation.ts';
import { Slots } from '../../../api/slots.ts';
import { roles } from '../roles.ts';
import { amlBatch, type BatchRouteOptions } from './batches.ts';

/** Proofs of a tenant that are sought at once. */
export const PROOFS_PER_TENANT_MAX = 4;
/** Proofs at once, in one gateway; a quarter is kept for tenants that have none. */
export const PROOFS_MAX = 32;
/** Chunks of a batch that a token pays for, beyond those of the call itself. */
const CHUNKS_PER_TOKEN = 100;
/** Milliseconds until a subject must be found, also in the largest batch. */
const DEADLINE_MS = 600_000;

const ProofQuery = Type.Object(
  { external_id: Type.String({ maxLength: EXTERNAL_ID_CHARS_MAX, minLength: 1 }) },
  { additionalProperties: false },
);

const Place = Type.Object({
  leaf_index: Type.Integer({ minimum: 0 }),
  leaf_count: Type.Integer({ minimum: 1 }),
  path: Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' })),
});

const ProofResult = Type.Object({
  type: Type.Literal('batch-proof'),
  version: Type.Union([Type.Literal(1), Type.Literal(2)]),
  attestation: Type.Record(Type.String(), Type.Unknown()),
  event: Type.Record(Type.String(), Type.Unknown(), {
    description: 'aml.batch.chunk.screened as it is in the chain, without its open members',
  }),
  in_chunk: Place,
  in_results: Place,
  result: Type.String({ description: 'The result line; its bytes are the leaf' }),
  subject: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Version 2: what is sealed in the line',
    }),
  ),
  salt: Type.Optional(Type.String({ description: 'Version 2: of the commitment in the line' })),
});

export function batchProofOperations(
  options: Pick<BatchRouteOptions, 'batches' | 'clock'> & ProofPorts,
): Operation[] {
  const slots = new Slots({ inAllMax: PROOFS_MAX, max: PROOFS_PER_TENANT_MAX, what: 'proofs' });
  const proof: Operation = {
    id: 'getBatchProof',
    method: 'GET',
    path: '/v1/aml/batches/{batch_id}/proof',
    tag: 'AML',
    summary: "One subject's result, with its proof",
    description:
      'Ties the result to an event of the chain and to the signed attestation, by hashes; it ' +
      'holds nothing of any other subject. Of a completed batch. `batch verify` checks it ' +
      `offline. It costs one token of the rate limits more for each ${CHUNKS_PER_TOKEN} chunks.`,
    roles: roles.readEvidence,
    scope: 'batches:read',
    idempotency: 'none',
    limits: 'general',
    problems: [
      ...(['blob-damaged', 'deadline-exceeded', 'engine-queue-full'] as const),
      ...(['not-found', 'state-conflict'] as const),
    ],
    bodyBytesMax: 0,
    query: ProofQuery,
    responses: { 200: { description: 'The proof, as canonical JSON', schema: ProofResult } },
    async handle(context) {
      const batch = await amlBatch(options.batches, context);
      const { external_id } = context.query as unknown as Static<typeof ProofQuery>;
      const { signal } = context.request;
      await context.charge(Math.floor(batch.counts.chunks / CHUNKS_PER_TOKEN));
      const endsAtMs = options.clock.monotonicMs() + DEADLINE_MS;
      const leftMs = () => Math.max(0, endsAtMs - options.clock.monotonicMs());
      const ask = { externalId: external_id, leftMs, signal };
      const cut = await slots.hold(batch.tenantId, () => proveSubject(options, batch, ask));
      return { body: canonicalJson(cut), status: 200 };
    },
  };
  return [proof];
}
