/**
 * How fast a customer file is read, in rows a second of processor time, all threads included.
 * `batch/csv-parse`: bytes to the fields of records, beside csv-parse over the same bytes;
 * `batch/csv-quoted`: the same with every field in quotes; `batch/csv-subjects`: to checked
 * subjects without repetition, as a worker reads them; `batch/csv-count`: what goes along with an
 * upload. Reports are measured by reports.ts, as rows of this suite.
 * Not measured: the disk, the network, and screening.
 */
import { tmpdir } from 'node:os';
import { parse } from 'csv-parse';
import { systemRandom } from '#platform/random';
import { countCsvRows, ExternalIds, readCohort } from '#slices/intake';
import countries from '../config/tables/countries.json' with { type: 'json' };
import { CsvSplitter, fieldsOf } from '../src/platform/csv/csvSplitter.ts';
import { wholeLines } from '../src/platform/csv/wholeLines.ts';
import { SUBJECT_ATTRIBUTES } from '../src/slices/intake/attributes.ts';
import { batchRunRows } from './batchRun.ts';
import { cleanName } from './names.ts';
import { seededRandom } from './random.ts';
import { rows as reportRows } from './reports.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { toArabic } from './scripts.ts';

const ROWS = { smoke: 2_000, full: 100_000 };
/** The best of so many, taken in turns, so that all meet the same machine. */
const ROUNDS = 3;
const CHUNK_BYTES = 256 * 1024;

interface Input {
  readonly bytes: Buffer;
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  return [
    ...(await readingRows(options)),
    ...(await batchRunRows(options)),
    ...(await reportRows(options)),
  ];
}

/** The customer file alone, without the product. */
export async function readingRows(options: BenchOptions): Promise<BenchRow[]> {
  const count = options.smoke ? ROWS.smoke : ROWS.full;
  const plain = inputOf(count, false);
  const quoted = inputOf(count, true);
  const passes: Readonly<Record<string, () => Promise<string>>> = {
    'csv-parse': () => fields(plain),
    'csv-quoted': () => fields(quoted),
    'csv-subjects': () => subjects(plain),
    'csv-count': async () => `${(await countCsvRows(plain.chunks())).rows}`,
    'npm csv-parse': () => libraryPass(plain),
    'npm csv-parse, quoted': () => libraryPass(quoted),
  };
  const best = await bestOf(passes, options.smoke ? 1 : ROUNDS);
  const speed = (pass: string) => count / (best[pass]?.seconds ?? 1);
  const bytesPerRow = (plain.bytes.length / count).toFixed(0);
  return ['csv-parse', 'csv-quoted', 'csv-subjects', 'csv-count'].map((pass) => {
    const library = pass === 'csv-quoted' ? 'npm csv-parse, quoted' : 'npm csv-parse';
    return {
      baseline: speed(library),
      baseline_name: 'csv-parse',
      checksum: best[pass]?.checksum ?? '',
      data: `${count} rows of 12 columns, ${bytesPerRow} bytes each unquoted`,
      id: `batch/${pass}`,
      ours: speed(pass),
      ratio: speed(pass) / speed(library),
      size: options.size,
      suite: 'batch',
      unit: 'rows/s a core',
    };
  });
}

async function bestOf(
  passes: Readonly<Record<string, () => Promise<string>>>,
  rounds: number,
): Promise<Record<string, { seconds: number; checksum: string }>> {
  const best: Record<string, { seconds: number; checksum: string }> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, pass] of Object.entries(passes)) {
      const before = process.cpuUsage();
      const checksum = await pass();
      const { system, user } = process.cpuUsage(before);
      const seconds = Math.min((system + user) / 1e6, best[name]?.seconds ?? Infinity);
      best[name] = { checksum, seconds };
    }
  }
  return best;
}

async function fields({ chunks }: Input): Promise<string> {
  let units = 0;
  const splitter = new CsvSplitter({
    broken: (line) => {
      throw new Error(`line ${line} is broken`);
    },
    record: (text, at) => {
      for (const field of fieldsOf(text, at)) units += field.length;
    },
    refuse: (detail) => new Error(detail),
  });
  for await (const piece of wholeLines(chunks())) splitter.push(piece);
  splitter.finish();
  return `${units}`;
}

async function subjects({ chunks }: Input): Promise<string> {
  const ids = new ExternalIds({ directory: tmpdir(), random: systemRandom });
  let found = 0;
  for await (const part of readCohort(chunks(), { countries, format: 'csv', ids })) {
    if (part.rejections.length > 0) throw new Error(part.rejections[0]?.detail);
    found += part.subjects.length;
  }
  ids.close();
  return `${found}`;
}

async function libraryPass({ chunks }: Input): Promise<string> {
  const parser = parse();
  let units = 0;
  parser.on('data', (record: readonly string[]) => {
    for (const field of record) units += field.length;
  });
  for await (const chunk of chunks()) parser.write(chunk);
  const ended = new Promise((resolve) => parser.once('end', resolve));
  parser.end();
  await ended;
  return `${units}`;
}

function inputOf(count: number, isQuoted: boolean): Input {
  const random = seededRandom(7);
  const written = (value: string) => (isQuoted ? `"${value}"` : value);
  const lines = [SUBJECT_ATTRIBUTES.join(',')];
  for (let row = 0; row < count; row++) {
    const name = cleanName(random).replaceAll(/[",]/g, ' ');
    const [first = '', ...last] = name.split(' ');
    const year = 1930 + Math.floor(random() * 75);
    const values = [
      `C-${100_000 + row}`,
      name,
      row % 3 === 0 ? toArabic(name.toLowerCase()) : '',
      ...[first, last.join(' ')],
      `${year}-0${1 + (row % 9)}-1${row % 10}`,
      '',
      ...['TN', row % 7 === 0 ? 'FR' : 'TN', 'individual', 'f'],
      `${7_000_000 + row}`,
    ];
    lines.push(values.map(written).join(','));
  }
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n`);
  return { bytes, chunks: () => chunksOf(bytes) };
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}
