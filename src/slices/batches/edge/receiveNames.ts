/**
 * How the names of a sanctions batch are received: read as they come, and written at once, in the
 * form of a batch, to the blob that workers will read. Memory holds a part of them and the digests
 * of their ids, however slowly they come. The blob gets its name only after all of them were found
 * right and the order was checked, so nothing is left of a refused body.
 */
import assert from 'node:assert/strict';
import type { BlobStore } from '#core/blobs';
import { DomainError, fullDisk, type Violation } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { DigestSet } from '#platform/digestSet';
import { VIOLATIONS_MAX } from '#platform/limits';
import { type BatchCohort, type CohortPorts, cohortPlace } from '#slices/batches';
import { bounded, type JsonBatchPart, type KnownCountries, readJsonBatch } from '#slices/intake';
import { HeardBytes } from '../../../api/heardBytes.ts';
import type { OperationContext } from '../../../api/operation.ts';
import { bodyInvalid } from './batchSchemas.ts';
import {
  NAMES_MEMBERS,
  parseLists,
  parseScreenedName,
  SCREENINGS_PER_BATCH_MAX,
} from './screeningSchemas.ts';
import { digestOnly } from './uploads.ts';

export interface ReceivedNames {
  readonly lists: readonly string[];
  /** Absent where nothing was kept: an answer stands under the key of the body. */
  readonly cohort?: BatchCohort;
}

/** Ten thousand names with a few spellings in a four-byte script. */
export const SCREENING_BATCH_BYTES_MAX = 33_554_432;

interface ReceiveAsk {
  readonly context: OperationContext;
  readonly isAnswered: boolean;
  /** Rejects where no such batch can be made. */
  readonly check: (lists: readonly string[]) => Promise<unknown>;
}

/** Throws `body-invalid` with every violation, `json-malformed`, or what `check` throws. */
export async function receiveNames(
  options: CohortPorts & { readonly countries: KnownCountries },
  { check, context, isAnswered }: ReceiveAsk,
): Promise<{ readonly bodyDigest: string; readonly value: ReceivedNames }> {
  const heard = new HeardBytes({ hashes: true });
  const names = new WrittenNames(options.countries);
  let lists: readonly string[] = [];
  async function* cohort(): AsyncGenerator<Uint8Array> {
    const members: Record<string, unknown> = {};
    const sent = bounded(context.request.bodyStream(), SCREENING_BATCH_BYTES_MAX);
    yield Buffer.from('{"subjects":[');
    for await (const part of readJsonBatch(heard.through(sent), NAMES_MEMBERS)) {
      if (part.kind === 'member') members[part.name] = part.value;
      else yield Buffer.from(names.written(part));
    }
    lists = parseLists(members);
    names.requireGood();
    if (!isAnswered) await check(lists);
    yield Buffer.from(']}');
  }
  const place = cohortPlace(options);
  const kept = await put(isAnswered ? digestOnly : place.blobs, cohort());
  const bodyDigest = heard.digest();
  assert(bodyDigest !== undefined, 'it was heard whole');
  if (isAnswered) return { bodyDigest, value: { lists } };
  const source = { format: 'json', type: 'json' } as const;
  return {
    bodyDigest,
    value: { cohort: place.cohortOf({ ...kept, rows: names.count }, source), lists },
  };
}

async function put(blobs: Pick<BlobStore, 'put'>, bytes: AsyncIterable<Uint8Array>) {
  try {
    return await blobs.put(bytes, { isPaced: true });
  } catch (error) {
    throw fullDisk(error) ?? error;
  }
}

/** Names as subjects of a batch, checked. After a violation nothing more is written. */
class WrittenNames {
  count = 0;
  readonly #countries: KnownCountries;
  readonly #ids = new DigestSet();
  readonly #violations: Violation[] = [];
  #member: string | undefined;

  constructor(countries: KnownCountries) {
    this.#countries = countries;
  }

  /** The text of these subjects, with the comma that parts them from those before. */
  written({ first, name, values }: Extract<JsonBatchPart, { kind: 'subjects' }>): string {
    if (this.#member !== undefined && this.#member !== name) {
      const detail = 'expected subjects or screenings, not both';
      throw bodyInvalid([{ code: 'format', detail, pointer: `/${name}` }]);
    }
    this.#member = name;
    if (first + values.length > SCREENINGS_PER_BATCH_MAX) {
      const detail = `expected at most ${SCREENINGS_PER_BATCH_MAX} items`;
      throw bodyInvalid([{ code: 'too-long', detail, pointer: `/${name}` }]);
    }
    let text = '';
    for (const [at, value] of values.entries()) {
      const subject = this.#read(value, first + at);
      if (subject === undefined) continue;
      text += `${this.count === 0 ? '' : ',\n'}${subject}`;
      this.count++;
    }
    return text;
  }

  /** Throws `body-invalid` with every violation. */
  requireGood(): void {
    if (this.#violations.length > 0) {
      throw bodyInvalid(this.#violations.slice(0, VIOLATIONS_MAX));
    }
    if (this.count > 0) return;
    const code = this.#member === undefined ? 'missing' : 'range';
    const pointer = `/${this.#member ?? 'subjects'}`;
    throw bodyInvalid([{ code, detail: 'expected at least 1 item', pointer }]);
  }

  #read(value: unknown, at: number): string | undefined {
    if (this.#violations.length >= VIOLATIONS_MAX) return undefined;
    const parsed = parseScreenedName(value, at, this.#countries);
    const prefix = `/${this.#member}/${at}`;
    if ('violations' in parsed) {
      const faults = parsed.violations;
      this.#violations.push(
        ...faults.map((one) => ({ ...one, pointer: `${prefix}${one.pointer}` })),
      );
      return undefined;
    }
    const id = sha256Hex(parsed.subject.external_id);
    if (this.#ids.has(id)) {
      const detail = 'expected each external_id once; places count as ids where there is none';
      this.#violations.push({ code: 'repeated', detail, pointer: `${prefix}/external_id` });
    }
    this.#ids.add(id);
    return this.#violations.length > 0 ? undefined : JSON.stringify(parsed.subject);
  }
}

/** The cohort, unless its answer stood under the key while it came and has expired since. */
export function cohortOf({ cohort }: ReceivedNames): BatchCohort {
  if (cohort === undefined) throw new DomainError('idempotency-key-in-progress');
  return cohort;
}
