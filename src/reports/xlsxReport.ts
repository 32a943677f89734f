/**
 * The XLSX report: sheets subjects, hits, lists and stats, streamed sheet after sheet. The results
 * are read twice, once for each of the long sheets, so that neither waits in memory for the other.
 */
import { toTimestamp } from '#platform/clock';
import { type ZipEntry, zipped } from '#platform/zipStream';
import { type ChunkFindings, HIT_DECISIONS, type ReportFrom } from '#slices/batches';
import {
  type Column,
  EXTERNAL_ID,
  HIT_COLUMNS,
  type ListedHit,
  listedHits,
  type ReportedSubject,
  SUBJECT_COLUMNS,
  subjectsOf,
  subjectsWithHitsOf,
} from './columns.ts';
import { type SheetPart, sheetsOf } from './sheetXml.ts';
import { workbookParts } from './workbook.ts';

interface ReportedHit extends ListedHit {
  readonly subject: ReportedSubject;
}

const ofSubject = (name: string): Column<ReportedHit> => {
  const column = SUBJECT_COLUMNS.find((one) => one.name === name) ?? EXTERNAL_ID;
  return { ...column, value: ({ subject }) => column.value(subject) };
};

/** For work on paper or beside the service, whose own decisions are the evidence. */
const REVIEW_COLUMNS: readonly Column<ReportedHit>[] = (
  [
    { choices: HIT_DECISIONS, name: 'review_decision', width: 18 },
    { name: 'reviewer', width: 20 },
    { name: 'reviewed_at', width: 14 },
    { name: 'review_notes', width: 40 },
  ] as const
).map((column) => ({ ...column, isForReview: true, value: () => '' }));

const HIT_SHEET: readonly Column<ReportedHit>[] = [
  ...['external_id', 'full_name', 'full_name_ar', 'dob', 'nationality', 'decision'].map(ofSubject),
  ...HIT_COLUMNS,
  ofSubject('processed_at'),
  ...REVIEW_COLUMNS,
];

type Pinned = ReportFrom['batch']['listsPinned'][number];

const LIST_SHEET: readonly Column<Pinned>[] = [
  { name: 'source', value: ({ source }) => source, width: 20 },
  { isForeign: true, name: 'list_version', value: (list) => list.list_version, width: 18 },
  {
    name: 'snapshot_at',
    value: ({ published_at }) => toTimestamp(published_at),
    width: 26,
  },
  { name: 'list_digest', value: (list) => list.list_digest, width: 66 },
  { name: 'content_digest', value: (list) => list.content_digest, width: 66 },
  {
    isForeign: true,
    name: 'since_list_version',
    value: ({ since }) => since?.list_version ?? '',
    width: 20,
  },
  { name: 'since_list_digest', value: ({ since }) => since?.list_digest ?? '', width: 66 },
];

type Stat = readonly [name: string, value: string | number];

const STAT_SHEET: readonly Column<Stat>[] = [
  { name: 'figure', value: ([name]) => name, width: 30 },
  { isForeign: true, name: 'value', value: ([, value]) => value, width: 66 },
];

export interface XlsxOptions {
  /** Rows of a sheet, heading included; absent: Excel's limit. For tests. */
  readonly rowsMax?: number;
}

/** The same findings give the same bytes. */
export function writeXlsxReport(
  from: ReportFrom,
  options: XlsxOptions = {},
): AsyncGenerator<Uint8Array> {
  return zipped(entriesOf(from, options));
}

async function* entriesOf(from: ReportFrom, options: XlsxOptions): AsyncGenerator<ZipEntry> {
  const parts: SheetPart[] = [];
  const { batch } = from;
  const subjects = mapped(from.chunks(), subjectsOf);
  yield* sheetsOf(
    { columns: SUBJECT_COLUMNS, name: 'subjects', rows: subjects, ...options },
    parts,
  );
  const hits = mapped(from.chunks(), (findings) => hitsOf(findings, from));
  yield* sheetsOf({ columns: HIT_SHEET, name: 'hits', rows: hits, ...options }, parts);
  const lists = once(batch.listsPinned);
  yield* sheetsOf({ columns: LIST_SHEET, name: 'lists', rows: lists }, parts);
  const stats = once(statsOf(from));
  yield* sheetsOf({ columns: STAT_SHEET, name: 'stats', rows: stats }, parts);
  yield* workbookParts({ createdAt: toTimestamp(batch.completedAt), sheets: parts });
}

async function* mapped<Value>(
  chunks: AsyncIterable<ChunkFindings>,
  rowsOf: (findings: ChunkFindings) => readonly Value[] | Promise<readonly Value[]>,
): AsyncGenerator<readonly Value[]> {
  for await (const findings of chunks) yield await rowsOf(findings);
}

async function* once<Value>(rows: readonly Value[]): AsyncGenerator<readonly Value[]> {
  yield rows;
}

async function hitsOf(
  findings: ChunkFindings,
  { factsOf }: ReportFrom,
): Promise<readonly ReportedHit[]> {
  const subjects = subjectsWithHitsOf(findings);
  const hits = await listedHits(subjects, factsOf);
  return subjects.flatMap((subject, at) => (hits[at] ?? []).map((hit) => ({ ...hit, subject })));
}

function statsOf({ batch, tenantName }: ReportFrom): Stat[] {
  const { counts, thresholds } = batch;
  return [
    ['tenant', tenantName],
    ['batch_name', batch.name],
    ['batch_id', batch.batchId],
    ['mode', batch.mode],
    ['file_name', batch.source.fileName ?? ''],
    ['file_sha256', batch.source.address],
    ['requested_at', toTimestamp(batch.requestedAt)],
    ['started_at', toTimestamp(batch.startedAt)],
    ['completed_at', toTimestamp(batch.completedAt)],
    ['subjects', counts.subjects],
    ['rejected', batch.rejectedTotal],
    ['subjects_with_hits', counts.subjectsWithHits],
    ['hits', counts.hits],
    ...Object.entries(counts.byDecision).map(([name, count]): Stat => [`subjects_${name}`, count]),
    ...Object.entries(counts.byMatchType).map(([name, count]): Stat => [`hits_${name}`, count]),
    ['auto_clear_threshold', thresholds.autoClear],
    ['review_threshold', thresholds.review],
    ['auto_match_threshold', thresholds.autoMatch],
    ['list_version', batch.listVersion ?? ''],
    ['results_root', batch.resultsRoot],
  ];
}
