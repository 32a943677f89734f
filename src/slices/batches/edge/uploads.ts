/**
 * How a batch is received (interface.md 4.2): as JSON or as a form with a CSV, either of any
 * length, read as it arrives. The order is checked before the blob of the subjects gets its name,
 * so nothing is left of a refused upload. Where an answer stands under the key already, the body is
 * read only for its digest.
 */
import { createHash } from 'node:crypto';
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { JSON_BODY_BYTES_MAX } from '#platform/limits';
import {
  type BatchCohort,
  type CohortFilter,
  type CohortPorts,
  cohortPlace,
  type StoredCases,
} from '#slices/batches';
import { type KnownCountries, type ReceivedJson, receiveCsv, receiveJson } from '#slices/intake';
import { HeardBytes } from '../../../api/heardBytes.ts';
import { readUploadForm } from '../../../api/http/index.ts';
import type { OperationContext } from '../../../api/operation.ts';
import { FORM_FIELDS, type ParsedOrder, parseBatchBody, parseOrderForm } from './batchSchemas.ts';

export interface UploadOptions extends CohortPorts {
  readonly cases: Pick<StoredCases, 'words'>;
  readonly countries: KnownCountries;
  readonly clock: Pick<Clock, 'now'>;
}

/** The result of `receive`, for `handle`. */
export interface ReceivedOrder {
  readonly order: ParsedOrder;
  /** Absent: `query`'s, or that of the batch before; also where nothing was kept. */
  readonly cohort?: BatchCohort;
  readonly query?: { readonly filter: CohortFilter; readonly given: Record<string, unknown> };
  /** The body is read only for its digest: an answer stands under its key. */
  readonly isAnswered: boolean;
}

export interface ReceiveAsk {
  readonly context: OperationContext;
  readonly isAnswered: boolean;
  /** Rejects where no such batch can be made. */
  readonly check: (order: ParsedOrder) => Promise<unknown>;
}

type Received = { readonly bodyDigest: string; readonly value: ReceivedOrder };

/** Thrown to the blob store, so that it keeps nothing: there is no cohort in the body. */
class NoCohort extends Error {
  override readonly name = 'NoCohort';
}

export async function receiveBatchJson(
  options: UploadOptions,
  { check, context, isAnswered }: ReceiveAsk,
): Promise<Received> {
  const { countries } = options;
  const place = cohortPlace(options);
  const heard = new HeardBytes({ hashes: false });
  let parsed: ReturnType<typeof parseBatchBody> | undefined;
  const examine = async (found: Omit<ReceivedJson, 'address' | 'bytes'>): Promise<void> => {
    const known = { cases: await options.cases.words(), countries };
    parsed = parseBatchBody(found, { ...known, now: options.clock.now() });
    if (!isAnswered) await check(parsed.order);
    if (!found.hasSubjects) throw new NoCohort();
  };
  let received: ReceivedJson | undefined;
  try {
    const bytes = heard.through(context.request.bodyStream());
    const blobs = isAnswered ? digestOnly : place.blobs;
    received = await receiveJson(bytes, { blobs, check: examine, countries });
  } catch (error) {
    if (!(error instanceof NoCohort)) throw error;
  }
  if (parsed === undefined) throw new DomainError('internal', { detail: 'a body without its end' });
  const { order, query } = parsed;
  const kept = isAnswered ? undefined : received;
  const bodyDigest = heard.digest() ?? received?.address;
  if (bodyDigest === undefined) {
    const detail = `without subjects: expected at most ${JSON_BODY_BYTES_MAX} bytes`;
    throw new DomainError('body-too-large', { detail });
  }
  return {
    bodyDigest,
    value: {
      isAnswered,
      order,
      ...(query !== undefined && { query }),
      ...(kept !== undefined && {
        cohort: place.cohortOf(kept, { format: 'json', type: 'json' }),
      }),
    },
  };
}

export async function receiveBatchForm(
  options: UploadOptions,
  { check, context, isAnswered }: ReceiveAsk,
): Promise<Received> {
  const { request } = context;
  const place = cohortPlace(options);
  let order: ParsedOrder | undefined;
  const form = await readUploadForm(
    { bytes: request.bodyStream(), contentType: request.header('content-type') },
    {
      check: (fields) => {
        const parsed = parseOrderForm(fields, options.clock.now());
        order = parsed.order;
        return parsed.violations;
      },
      fields: FORM_FIELDS,
      fileField: 'file',
      take: (bytes) =>
        receiveCsv(bytes, {
          sender: context.tenantId,
          blobs: isAnswered ? digestOnly : place.blobs,
          // The stream has ended by now, so that all fields were checked.
          check: async ({ rows }) => {
            if (rows === 0) {
              const detail = 'expected rows after the header; found none';
              throw new DomainError('csv-invalid', { detail });
            }
            if (order !== undefined && !isAnswered) await check(order);
          },
        }),
    },
  );
  if (order === undefined) throw new DomainError('internal', { detail: 'a form without its end' });
  const { file, fileName } = form;
  const source = { format: 'csv' as const, type: 'csv' as const, ...(fileName && { fileName }) };
  return {
    bodyDigest: formDigest(form.fields, file.address),
    value: { isAnswered, order, ...(!isAnswered && { cohort: place.cohortOf(file, source) }) },
  };
}

/** Part by part, in any order; the boundary differs in each request. */
function formDigest(fields: ReadonlyMap<string, string>, file: string): string {
  const parts = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([...parts, ['file', file]]));
}

/** Keeps nothing. */
export const digestOnly: Pick<BlobStore, 'put'> = {
  async put(bytes) {
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
      hash.update(chunk);
      length += chunk.length;
    }
    return { address: hash.digest('hex'), bytes: length };
  },
};
