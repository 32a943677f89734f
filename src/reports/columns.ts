/**
 * What a report says about a subject and about a hit, column by column: the CSV and the XLSX show
 * the same, under the same names. docs/batch-evidence.md explains the columns to readers.
 */
import { toTimestamp } from '#platform/clock';
import type { BatchHit, ChunkFindings, HitFactsOf, SubjectResult } from '#slices/batches';
import type { SubjectAttribute } from '#slices/intake';
import { FACTS_UNKNOWN, type ShownFacts } from '#slices/lists';

/**
 * A number stays a number in a spreadsheet; `decimals` are always written. An empty text is an
 * empty cell.
 */
export type CellValue = string | number;

export interface Column<Value> {
  readonly name: string;
  readonly value: (value: Value) => CellValue;
  /**
   * Text from outside, which a spreadsheet must not execute. Otherwise ids, words and times of
   * ours.
   */
  readonly isForeign?: true;
  readonly decimals?: number;
  /** Shown from right to left. */
  readonly isRightToLeft?: true;
  /** Width on a sheet, in characters. */
  readonly width?: number;
  /** Empty on a sheet, for whoever reviews it. */
  readonly isForReview?: true;
  /** Words that a cell for review takes; any text where absent. */
  readonly choices?: readonly string[];
}

/** A hit, and what its list says of the party. */
export interface ListedHit {
  readonly hit: BatchHit;
  readonly facts: ShownFacts;
}

/** A subject's result, and when its chunk was done. */
export interface ReportedSubject {
  readonly result: SubjectResult;
  readonly processedAt: string;
}

type Attribute = Exclude<SubjectAttribute, 'external_id'>;

const attribute = (
  name: Attribute,
  more: Partial<Column<ReportedSubject>> = {},
): Column<ReportedSubject> => ({
  isForeign: true,
  name,
  value: ({ result }) => result.subject[name] ?? '',
  ...more,
});

export const EXTERNAL_ID: Column<ReportedSubject> = {
  isForeign: true,
  name: 'external_id',
  value: ({ result }) => result.external_id,
  width: 18,
};

export const SUBJECT_COLUMNS: readonly Column<ReportedSubject>[] = [
  EXTERNAL_ID,
  { name: 'line', value: ({ result }) => result.line },
  { name: 'ordinal', value: ({ result }) => result.ordinal },
  { name: 'batch_subject_id', value: ({ result }) => result.batch_subject_id, width: 38 },
  { name: 'decision', value: ({ result }) => result.decision, width: 12 },
  { name: 'hits_count', value: ({ result }) => result.hits.length },
  { name: 'truncated', value: ({ result }) => `${result.truncated}` },
  { name: 'unscreened', value: ({ result }) => result.unscreened ?? '' },
  attribute('full_name', { width: 32 }),
  attribute('full_name_ar', { isRightToLeft: true, width: 32 }),
  {
    isForeign: true,
    name: 'full_name_transliterations',
    value: ({ result }) => result.subject.full_name_transliterations?.join('; ') ?? '',
    width: 32,
  },
  attribute('first_name', { width: 18 }),
  attribute('last_name', { width: 18 }),
  attribute('dob', { width: 12 }),
  attribute('dob_range', { width: 18 }),
  attribute('nationality'),
  attribute('country_residence'),
  attribute('type', { width: 12 }),
  attribute('gender'),
  attribute('national_id', { width: 18 }),
  { name: 'processed_at', value: ({ processedAt }) => processedAt, width: 26 },
  { name: 'erased', value: ({ result }) => (result.erased ? 'true' : '') },
];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const ofHit = (
  name: string,
  value: (hit: BatchHit) => CellValue,
  more: Partial<Column<ListedHit>> = {},
): Column<ListedHit> => ({ name, value: ({ hit }) => value(hit), ...more });

const FOREIGN = { isForeign: true } as const;

/** Several values in one cell; an empty one where there are none, or none are known. */
const ofList = (name: keyof ShownFacts, width: number): Column<ListedHit> => ({
  ...FOREIGN,
  name: `listed_${name}`,
  value: ({ facts }) => facts[name]?.join('; ') ?? '',
  width,
});

export const HIT_COLUMNS: readonly Column<ListedHit>[] = [
  ofHit('hit_id', (hit) => hit.hit_id, { width: 38 }),
  ofHit('list_source', (hit) => hit.list_source, { ...FOREIGN, width: 18 }),
  ofHit('record_id', (hit) => hit.record_id, { ...FOREIGN, width: 24 }),
  ofHit('match_score', (hit) => hit.match_score, { decimals: 4 }),
  ofHit('match_type', (hit) => hit.match_type, { width: 14 }),
  ofHit('strong', (hit) => `${hit.strong}`),
  ofHit('primary_name', ({ payload }) => textOf(payload.primary_name), { ...FOREIGN, width: 32 }),
  ofHit('matched_name', ({ payload }) => textOf(payload.matched_name), { ...FOREIGN, width: 32 }),
  ofHit('merged_entries', mergedEntries, { ...FOREIGN, width: 24 }),
  ofList('dates_of_birth', 18),
  ofList('citizenships', 12),
  ofList('countries', 12),
  ofList('programmes', 24),
  ofList('akas', 32),
  ofList('identifiers', 24),
];

/** Entries of other lists that the hit also stands for: `UN_SC:un-QDi.001 EU_CFSP:eu-750`. */
function mergedEntries({ payload }: BatchHit): string {
  const { merged } = payload;
  if (!Array.isArray(merged)) return '';
  return merged
    .map((one: { source?: unknown; ftm_id?: unknown }) => `${one.source}:${one.ftm_id}`)
    .join(' ');
}

/** The hits of some subjects, subject by subject. */
export async function listedHits(
  subjects: readonly ReportedSubject[],
  factsOf: HitFactsOf,
): Promise<readonly (readonly ListedHit[])[]> {
  const facts = await factsOf(subjects.flatMap(({ result }) => result.hits));
  let at = 0;
  return subjects.map(({ result }) =>
    result.hits.map((hit) => ({ facts: facts[at++] ?? FACTS_UNKNOWN, hit })),
  );
}

/** The results of a chunk, parsed. */
export function subjectsOf({ chunk, lines, parse }: ChunkFindings): ReportedSubject[] {
  const processedAt = toTimestamp(chunk.result.completedAt);
  return lines.map((line) => ({ processedAt, result: parse(line) }));
}

const NO_HITS = Buffer.from('"hits":[]');

/** The same for subjects with hits only: most lines need not be parsed. */
export function subjectsWithHitsOf({ lines, ...rest }: ChunkFindings): ReportedSubject[] {
  return subjectsOf({ ...rest, lines: lines.filter((line) => !line.includes(NO_HITS)) }).filter(
    ({ result }) => result.hits.length > 0,
  );
}
