/**
 * How fast the reports of a batch are written, in subjects a second of processor time, all threads
 * included: result blobs as a worker left them, unpacked, to the bytes of a report. One subject in
 * ten has a hit; a million subjects with --size 1m. `batch/report-csv` stands beside JSON.parse of
 * the same lines alone, which no report can do without; `batch/report-xlsx` beside exceljs'
 * streaming writer over the cells of the first sheet, of fewer rows: it holds them.
 * Memory is what writing adds to the process.
 * Not measured: the disk, the digests of the blob store, and reading the database.
 */
import { PassThrough } from 'node:stream';
import ExcelJS from 'exceljs';
import type { ChunkFindings, ReportFrom } from '#slices/batches';
import { renderAttestation } from '../src/reports/attestationPdf.ts';
import { SUBJECT_COLUMNS, subjectsOf } from '../src/reports/columns.ts';
import { writeCsvReport } from '../src/reports/csvReport.ts';
import { writeXlsxReport } from '../src/reports/xlsxReport.ts';
import { attest } from '../src/slices/batches/attestation.ts';
import { packLines, unpackLines } from '../src/slices/batches/resultLine.ts';
import { type Sample, sampleBatch } from '../test/reports/sampleBatch.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const SUBJECTS = { full: 200_000, million: 1_000_000, smoke: 2_000 };
const BASELINE_SUBJECTS = { full: 50_000, smoke: 1_000 };
/** Result lines differ enough in so many; more would measure their making. */
const DISTINCT_SUBJECTS = 10_000;
const CHUNK = 1_000;

interface Measured {
  readonly seconds: number;
  readonly bytes: number;
  readonly peakMb: number;
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const size = options.smoke ? 'smoke' : 'full';
  const isLarge = !options.smoke && (options.size === '1m' || options.size === '5m');
  const subjects = SUBJECTS[isLarge ? 'million' : size];
  const sample = sampleBatch({ subjects: Math.min(subjects, DISTINCT_SUBJECTS) });
  const blobs = await Promise.all(
    sample.chunks.map(({ lines }) => packLines(lines.map((line) => line.toString()))),
  );
  const from = repeated(sample, blobs, subjects);
  const few = BASELINE_SUBJECTS[size];
  const csv = await measure(() => writeCsvReport(from));
  const parse = await measure(() => parsedOnly(from.chunks()));
  const xlsx = await measure(() => writeXlsxReport(from));
  const excel = await measure(() => exceljsReport(repeated(sample, blobs, few)));
  const pdf = await measure(() => pdfOf(sample));
  const row = (id: string, count: number, { bytes, peakMb, seconds }: Measured): BenchRow => ({
    checksum: `${bytes}`,
    data: `${subjects} subjects, a hit for each tenth`,
    id: `batch/${id}`,
    memory_mb: peakMb,
    ours: count / seconds,
    size: options.size,
    suite: 'batch',
    unit: id === 'report-pdf' ? 'files/s a core' : 'subjects/s a core',
  });
  const beside = (ours: BenchRow, baseline: number, name: string): BenchRow => ({
    ...ours,
    baseline,
    baseline_name: name,
    ratio: ours.ours / baseline,
  });
  return [
    beside(row('report-csv', subjects, csv), subjects / parse.seconds, 'JSON.parse alone'),
    beside(row('report-xlsx', subjects, xlsx), few / excel.seconds, 'exceljs, subjects alone'),
    row('report-pdf', 1, pdf),
  ];
}

function repeated(sample: Sample, blobs: readonly Buffer[], subjects: number): ReportFrom {
  const chunks = Math.ceil(subjects / CHUNK);
  return {
    ...sample.from,
    async *chunks(): AsyncGenerator<ChunkFindings> {
      for (let no = 0; no < chunks; no++) {
        const findings = sample.chunks[no % blobs.length];
        const blob = blobs[no % blobs.length];
        if (findings && blob) yield { ...findings, lines: await unpackLines(blob) };
      }
    },
  };
}

async function measure(write: () => AsyncIterable<Uint8Array>): Promise<Measured> {
  const before = process.cpuUsage();
  const rest = process.memoryUsage.rss();
  let bytes = 0;
  let peak = rest;
  for await (const piece of write()) {
    bytes += piece.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  const { system, user } = process.cpuUsage(before);
  return { bytes, peakMb: (peak - rest) / 2 ** 20, seconds: (system + user) / 1e6 };
}

async function* parsedOnly(chunks: AsyncIterable<ChunkFindings>): AsyncGenerator<Uint8Array> {
  for await (const { lines } of chunks) {
    let hits = 0;
    for (const line of lines) hits += JSON.parse(line.toString()).hits.length;
    yield Buffer.alloc(Math.min(1, hits));
  }
}

/** As its documentation has it; it takes rows as fast as they come, so they are few here. */
async function* exceljsReport({ chunks }: ReportFrom): AsyncGenerator<Uint8Array> {
  const stream = new PassThrough();
  const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ stream, useSharedStrings: false });
  const sheet = workbook.addWorksheet('subjects');
  const writing = (async () => {
    for await (const findings of chunks()) {
      for (const subject of subjectsOf(findings)) {
        sheet.addRow(SUBJECT_COLUMNS.map((column) => column.value(subject))).commit();
      }
    }
    await workbook.commit();
  })();
  yield* stream;
  await writing;
}

async function* pdfOf(sample: Sample): AsyncGenerator<Uint8Array> {
  const file = { address: 'ab'.repeat(32), bytes: 1 };
  yield await renderAttestation(attest(sample.from, { csv: file, xlsx: file }, sample.signer));
}
