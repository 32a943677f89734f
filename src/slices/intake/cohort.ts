/**
 * The subjects of a batch in chunks of CHUNK_SUBJECTS, the unit of work and of recovery, and the
 * rejections. The same bytes always give the same chunks: chunk n holds the accepted subjects from
 * n × CHUNK_SUBJECTS on. If several rows have one external_id, the first counts and the others are
 * rejected, each naming the first one's line.
 */
import { type NumberedSubject, type ReadRows, readCsvRows } from './csvRows.ts';
import type { ExternalIds } from './externalIds.ts';
import { readJsonBatch } from './jsonBatch.ts';
import type { Rejection } from './rejections.ts';
import { type KnownCountries, readSubject } from './subject.ts';
import { unpack } from './unpack.ts';

export const CHUNK_SUBJECTS = 1_000;
/**
 * Rejections that are handed over at the latest, so that a file of nothing else takes no more
 * memory.
 */
const REJECTIONS_TOLD = 1_000;

export type SourceFormat = 'csv' | 'json';

export interface CohortPart {
  /** CHUNK_SUBJECTS of them; fewer in the last part, or none where there are only rejections. */
  readonly subjects: readonly NumberedSubject[];
  /** Found since the part before, in order of line. */
  readonly rejections: readonly Rejection[];
}

export interface CohortOptions {
  readonly format: SourceFormat;
  readonly countries: KnownCountries;
  /** New for each reading; the caller closes it. */
  readonly ids: ExternalIds;
}

/** Reads what `receiveCsv` or `receiveJson` has accepted, packed as it was sent. */
export async function* readCohort(
  bytes: AsyncIterable<Uint8Array>,
  { countries, format, ids }: CohortOptions,
): AsyncGenerator<CohortPart> {
  const rows =
    format === 'csv'
      ? readCsvRows((await unpack(bytes)).bytes, { countries })
      : readJsonRows(bytes, countries);
  let subjects: NumberedSubject[] = [];
  let rejections: Rejection[] = [];
  for await (const some of rows) {
    rejections = rejections.concat(some.rejections);
    for (const numbered of some.subjects) {
      const repeated = repetition(numbered, ids);
      if (repeated !== undefined) rejections.push(repeated);
      else if (subjects.push(numbered) === CHUNK_SUBJECTS) {
        yield { rejections: byLine(rejections), subjects };
        subjects = [];
        rejections = [];
      }
    }
    if (rejections.length >= REJECTIONS_TOLD) {
      yield { rejections: byLine(rejections), subjects: [] };
      rejections = [];
    }
  }
  if (subjects.length + rejections.length > 0) {
    yield { rejections: byLine(rejections), subjects };
  }
}

function repetition({ line, subject }: NumberedSubject, ids: ExternalIds): Rejection | undefined {
  const before = ids.add(subject.external_id, line);
  if (before === undefined) return undefined;
  return {
    detail: `expected each external_id once; found it before, in line ${before}`,
    externalId: subject.external_id,
    line,
    reason: 'duplicate-external-id',
  };
}

const byLine = (rejections: Rejection[]): Rejection[] =>
  rejections.sort((one, other) => one.line - other.line);

/**
 * The subjects of a body were checked on receipt, those of stored cases were not: one without a
 * name is reported, like one that fails by our own fault.
 */
async function* readJsonRows(
  bytes: AsyncIterable<Uint8Array>,
  countries: KnownCountries,
): AsyncGenerator<ReadRows> {
  for await (const part of readJsonBatch(bytes)) {
    if (part.kind === 'member') continue;
    const subjects: NumberedSubject[] = [];
    const rejections: Rejection[] = [];
    for (const [at, value] of part.values.entries()) {
      const line = part.first + at + 1;
      const read = readSubject(value, countries);
      if (read.violations === undefined) subjects.push({ line, subject: read.subject });
      else {
        const detail = read.violations.map((one) => one.detail).join('; ');
        const isMissing = read.violations[0]?.code === 'missing';
        const reason = isMissing ? 'attribute-missing' : 'attribute-invalid';
        rejections.push({ detail, line, reason, ...idOf(value) });
      }
    }
    yield { rejections, subjects };
  }
}

const idOf = (value: unknown): Pick<Rejection, 'externalId'> => {
  const { external_id: externalId } = Object(value) as { readonly external_id?: unknown };
  return typeof externalId === 'string' && externalId !== '' ? { externalId } : {};
};
