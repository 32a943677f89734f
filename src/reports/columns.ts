/**
 * What a report says about a subject and about a hit, column by column: the CSV and the XLSX show
 * the same, under the same names. docs/batch-evidence.md explains the columns to readers.
 */
import { toTimestamp } from '#platform/clock';
import {
  type BatchHit,
  type ChunkFindings,
  parseResult,
  type SubjectResult,
} from '#slices/batches';
import type { SubjectAttribute } from '#slices/intake';

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
];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const HIT_COLUMNS: readonly Column<BatchHit>[] = [
  { name: 'hit_id', value: (hit) => hit.hit_id, width: 38 },
  { isForeign: true, name: 'list_source', value: (hit) => hit.list_source, width: 18 },
  { isForeign: true, name: 'record_id', value: (hit) => hit.record_id, width: 24 },
  { decimals: 4, name: 'match_score', value: (hit) => hit.match_score },
  { name: 'match_type', value: (hit) => hit.match_type, width: 14 },
  { name: 'strong', value: (hit) => `${hit.strong}` },
  {
    isForeign: true,
    name: 'primary_name',
    value: (hit) => textOf(hit.payload.primary_name),
    width: 32,
  },
  {
    isForeign: true,
    name: 'matched_name',
    value: (hit) => textOf(hit.payload.matched_name),
    width: 32,
  },
  { isForeign: true, name: 'merged_entries', value: mergedEntries, width: 24 },
];

/** Entries of other lists that the hit also stands for: `UN_SC:un-QDi.001 EU_CFSP:eu-750`. */
function mergedEntries({ payload }: BatchHit): string {
  const { merged } = payload;
  if (!Array.isArray(merged)) return '';
  return merged
    .map((one: { source?: unknown; ftm_id?: unknown }) => `${one.source}:${one.ftm_id}`)
    .join(' ');
}

/** The results of a chunk, parsed. */
export function subjectsOf({ chunk, lines }: ChunkFindings): ReportedSubject[] {
  const processedAt = toTimestamp(chunk.result.completedAt);
  return lines.map((line) => ({ processedAt, result: parseResult(line) }));
}

const NO_HITS = Buffer.from('"hits":[]');

/** The same for subjects with hits only: most lines need not be parsed. */
export function subjectsWithHitsOf({ chunk, lines }: ChunkFindings): ReportedSubject[] {
  return subjectsOf({ chunk, lines: lines.filter((line) => !line.includes(NO_HITS)) }).filter(
    ({ result }) => result.hits.length > 0,
  );
}
