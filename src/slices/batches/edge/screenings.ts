/**
 * The sanctions batch (interface.md 4.8): up to 10,000 names, each screened by the tenant's policy
 * with an event of its own, and the answer fetched by its id.
 */
import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import { type BatchId, DomainError, type Violation } from '#core/kernel';
import { PAGE_LIMIT_DEFAULT, VIOLATIONS_MAX } from '#platform/limits';
import {
  type Batch,
  type BatchOrder,
  batchQueue,
  batchSettings,
  checkOrder,
  createBatch,
  presentBatch,
  presentCreated,
  presentScreened,
  readScreenings,
} from '#slices/batches';
import { readJsonBatch, type Subject } from '#slices/intake';
import { askerOf } from '../../../api/asker.ts';
import { HeardBytes } from '../../../api/heardBytes.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { storedAnswer } from '../../../api/storedAnswer.ts';
import { roles } from '../roles.ts';
import type { BatchRouteOptions } from './batches.ts';
import { bodyInvalid } from './batchSchemas.ts';
import {
  NAMES_MEMBERS,
  parseLists,
  parseScreenedName,
  SCREENINGS_PER_BATCH_MAX,
  ScreeningBatchBody,
  ScreeningBatchCreated,
  ScreeningBatchResult,
  ScreeningsQuery,
} from './screeningSchemas.ts';

/** Ten thousand names with a few spellings in a four-byte script. */
const SCREENING_BATCH_BYTES_MAX = 33_554_432;
const NAME = 'sanctions screening';

interface Names {
  readonly lists: readonly string[];
  readonly subjects: readonly Subject[];
}

export function screeningBatchOperations(options: BatchRouteOptions): Operation[] {
  return [screenBatch(options), getScreeningBatch(options)];
}

function screenBatch(options: BatchRouteOptions): Operation {
  return {
    id: 'screenBatch',
    method: 'POST',
    path: '/v1/sanctions/screen/batch',
    tag: 'Sanctions',
    summary: 'Screen up to 10,000 names',
    description: 'Each is a screening of its own, with its own event. Answered before any is made.',
    roles: roles.order,
    idempotency: 'required',
    limits: 'screening',
    bodyBytesMax: SCREENING_BATCH_BYTES_MAX,
    upload: {
      mediaType: 'application/json',
      async receive(context, { isAnswered }) {
        const heard = new HeardBytes({ hashes: true });
        const names = await readNames(heard.through(context.request.bodyStream()), options);
        if (!isAnswered) await checkOrder(options, orderOf(context, names.lists));
        const bodyDigest = heard.digest();
        assert(bodyDigest !== undefined, 'it was heard whole');
        return { bodyDigest, value: names };
      },
      schema: ScreeningBatchBody,
    },
    example: { subjects: [{ name: 'Tarek Velmorani', dob: '1971-03-14', external_id: 'C-1' }] },
    responses: { 202: { description: 'Accepted, and queued', schema: ScreeningBatchCreated } },
    handle: (context) => create(options, context),
  };
}

const orderOf = (
  { principal, tenantId }: OperationContext,
  lists: readonly string[],
): BatchOrder => ({
  includeAdverseMedia: true,
  includePep: true,
  kind: 'sanctions',
  lists,
  mode: 'full',
  name: NAME,
  sandbox: principal.environment === 'sandbox',
  tenantId,
});

/** All of them in memory: there are few enough. Throws `body-invalid` with every violation. */
async function readNames(
  bytes: AsyncIterable<Uint8Array>,
  { countries }: Pick<BatchRouteOptions, 'countries'>,
): Promise<Names> {
  const members: Record<string, unknown> = {};
  const collected = new CollectedNames(countries);
  for await (const part of readJsonBatch(bytes, NAMES_MEMBERS)) {
    if (part.kind === 'member') members[part.name] = part.value;
    else collected.take(part);
  }
  const lists = parseLists(members);
  return { lists, subjects: collected.whole() };
}

class CollectedNames {
  readonly #countries: BatchRouteOptions['countries'];
  readonly #subjects: Subject[] = [];
  readonly #ids = new Set<string>();
  readonly #violations: Violation[] = [];
  #member: string | undefined;

  constructor(countries: BatchRouteOptions['countries']) {
    this.#countries = countries;
  }

  take(part: {
    readonly name: string;
    readonly first: number;
    readonly values: readonly unknown[];
  }) {
    const { first, name, values } = part;
    if (this.#member !== undefined && this.#member !== name) {
      const detail = 'expected subjects or screenings, not both';
      throw bodyInvalid([{ code: 'format', detail, pointer: `/${name}` }]);
    }
    this.#member = name;
    if (first + values.length > SCREENINGS_PER_BATCH_MAX) {
      const detail = `expected at most ${SCREENINGS_PER_BATCH_MAX} items`;
      throw bodyInvalid([{ code: 'too-long', detail, pointer: `/${name}` }]);
    }
    for (const [at, value] of values.entries()) this.#add(value, first + at);
  }

  whole(): readonly Subject[] {
    if (this.#violations.length > 0) {
      throw bodyInvalid(this.#violations.slice(0, VIOLATIONS_MAX));
    }
    if (this.#subjects.length > 0) return this.#subjects;
    const code = this.#member === undefined ? 'missing' : 'range';
    const pointer = `/${this.#member ?? 'subjects'}`;
    throw bodyInvalid([{ code, detail: 'expected at least 1 item', pointer }]);
  }

  #add(value: unknown, at: number): void {
    if (this.#violations.length >= VIOLATIONS_MAX) return;
    const parsed = parseScreenedName(value, at, this.#countries);
    const prefix = `/${this.#member}/${at}`;
    if ('violations' in parsed) {
      const faults = parsed.violations;
      this.#violations.push(
        ...faults.map((one) => ({ ...one, pointer: `${prefix}${one.pointer}` })),
      );
      return;
    }
    const { external_id } = parsed.subject;
    if (this.#ids.has(external_id)) {
      const detail = 'expected each external_id once; places count as ids where there is none';
      this.#violations.push({ code: 'repeated', detail, pointer: `${prefix}/external_id` });
    }
    this.#ids.add(external_id);
    this.#subjects.push(parsed.subject);
  }
}

async function create(options: BatchRouteOptions, context: OperationContext) {
  const { clock } = options;
  const { idempotency, principal, tenantId } = context;
  const { lists, subjects } = context.body as Names;
  assert(idempotency !== undefined, 'a batch is made under a key');
  const [inForce, policy] = await Promise.all([
    options.settingsOf(tenantId),
    options.policyInForce(tenantId),
  ]);
  const { address, bytes } = await options.blobs.put(written(subjects));
  const now = clock.now();
  const queue = await batchQueue(options.batches, { kind: 'sanctions', tenantId });
  const bodyOf = (batch: Batch) => JSON.stringify(presentQueued(batch, { now, queue }));
  const batch = await createBatch(options, {
    ...orderOf(context, lists),
    ...askerOf(context),
    baseUrl: options.baseUrlOf(principal.environment),
    cohort: { source: { address, bytes, format: 'json', type: 'json' }, subjects: subjects.length },
    idempotency: (made) => storedAnswer(idempotency, { body: bodyOf(made), status: 202 }, clock),
    requestedBy: principal.id,
    settings: policy,
    thresholds: inForce.of(batchSettings),
  });
  return { body: bodyOf(batch), status: 202 };
}

/** The subjects in the form of a batch, which workers read. */
async function* written(subjects: readonly Subject[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"subjects":[');
  for (const [at, subject] of subjects.entries()) {
    yield Buffer.from(`${at === 0 ? '' : ',\n'}${JSON.stringify(subject)}`);
  }
  yield Buffer.from(']}');
}

function presentQueued(...of: Parameters<typeof presentCreated>) {
  const { batch_id, ...rest } = presentCreated(...of);
  return { screening_id: batch_id, ...rest };
}

function getScreeningBatch(options: BatchRouteOptions): Operation {
  return {
    id: 'getScreeningBatch',
    method: 'GET',
    path: '/v1/sanctions/screenings/{id}',
    tag: 'Sanctions',
    summary: 'A batch of screenings: how far it is, and what was decided',
    roles: roles.read,
    idempotency: 'none',
    limits: 'general',
    bodyBytesMax: 0,
    query: ScreeningsQuery,
    responses: { 200: { description: 'A page of its screenings', schema: ScreeningBatchResult } },
    async handle(context) {
      const { params, tenantId } = context;
      const batchId = (params.id ?? '') as BatchId;
      const batch = await options.batches.findBatch({ batchId, tenantId });
      if (batch?.kind !== 'sanctions') throw new DomainError('not-found');
      const query = context.query as unknown as Static<typeof ScreeningsQuery>;
      const { cursor, limit = PAGE_LIMIT_DEFAULT } = query;
      const scope = { filters: { id: batchId }, list: 'getScreeningBatch', tenantId };
      const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
      const { next, results } = await readScreenings(options, {
        after: position === undefined ? -1 : Number(position.key),
        batch,
        limit,
      });
      return {
        body: {
          ...(await presentProgress(options, batch)),
          data: results.map(presentScreened),
          next_cursor:
            next === undefined ? null : options.cursors.encode(scope, { id: batchId, key: next }),
        },
        status: 200,
      };
    },
  };
}

async function presentProgress(options: BatchRouteOptions, batch: Batch) {
  const queue = await batchQueue(options.batches, batch);
  const shown = presentBatch(batch, { now: options.clock.now(), queue });
  return {
    screening_id: shown.batch_id,
    status: shown.status,
    failure: shown.failure,
    progress_pct: shown.progress_pct,
    total: shown.subjects_total,
    processed: shown.subjects_processed,
    with_hits: shown.subjects_with_hits,
    lists: shown.lists,
    list_version: shown.list_version,
    lists_in_force: shown.lists_in_force,
    requested_at: shown.requested_at,
    started_at: shown.started_at,
    completed_at: shown.completed_at,
    estimated_completion: shown.estimated_completion,
  };
}
