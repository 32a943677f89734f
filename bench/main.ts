/**
 * `npm run bench`: every suite's rows as one table, and as JSON with --out. Without arguments a run
 * of at most five minutes that shows the whole picture.
 *
 *   --suite kernels|engine|…     one suite (repeatable); a wrong one is told the names
 *   --size lists|100k|1m|5m      data of the engine suite; lists: the real ones
 *   --count N                    queries of each kind of the matching suite (300); deliveries of
 *                                the webhooks suite (--size); accounts of the tax suite (100,000);
 *                                events of the auditSearch suite (1,200,000)
 *   --out FILE                   the same rows as JSON
 *   --smoke                      small inputs, seconds in all
 *   --help                       this text
 *
 * A suite is bench/<suite>.ts with `rows(options): Promise<BenchRow[]>`; SUITES names it. A suite
 * whose file is not there yet is skipped aloud.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { BenchOptions, BenchRow } from './row.ts';
import { parsedOrExit } from './usage.ts';

const SUITES = [
  'kernels',
  'engine',
  'recall',
  'matching',
  'evidence',
  'alerts',
  'ingest',
  'pipeline',
  'batch',
  'monitoring',
  'http',
] as const;
/** Run when they are named: they take minutes, or a quiet machine. */
const NAMED_SUITES = [
  'auditSearch',
  'beside',
  'customers',
  'documents',
  'growth',
  'packages',
  'rescreening',
  'risk',
  'sanctions',
  'swap',
  'tax',
  'webhooks',
] as const;
const SIZES = ['lists', '100k', '1m', '5m'] as const;

interface Arguments extends BenchOptions {
  readonly suites: readonly string[];
  readonly out: string | undefined;
}

function parseArguments(argv: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      suite: { type: 'string', multiple: true },
      size: { type: 'string', default: 'lists' },
      count: { type: 'string' },
      out: { type: 'string' },
      smoke: { type: 'boolean', default: false },
    },
  });
  const suites = values.suite ?? SUITES;
  for (const suite of suites) expectOneOf('--suite', suite, [...SUITES, ...NAMED_SUITES]);
  const size = SIZES.find((known) => known === values.size);
  if (size === undefined) throw new Error(`--size: expected one of ${SIZES.join(', ')}`);
  const count = values.count === undefined ? undefined : Number(values.count);
  if (count !== undefined && !(Number.isInteger(count) && count > 0)) {
    throw new Error('--count: expected a whole number from 1');
  }
  return {
    suites,
    size,
    out: values.out,
    smoke: values.smoke,
    ...(count !== undefined && { count }),
  };
}

function expectOneOf(flag: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw new Error(`${flag}: expected one of ${known.join(', ')}`);
}

async function runSuite(suite: string, options: BenchOptions): Promise<BenchRow[]> {
  const file = new URL(`./${suite}.ts`, import.meta.url);
  if (!existsSync(file)) {
    console.warn(`skipped: suite ${suite} is not there yet (bench/${suite}.ts)`);
    return [];
  }
  const startedAt = performance.now();
  const module = (await import(file.href)) as {
    rows(options: BenchOptions): Promise<BenchRow[]>;
  };
  const rows = await module.rows(options);
  console.warn(`${suite}: ${((performance.now() - startedAt) / 1e3).toFixed(1)} s`);
  return rows;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch (error) {
    console.warn(`commit unknown: ${error instanceof Error ? error.message : String(error)}`);
    return 'unknown';
  }
}

function machine(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${memory} GiB`;
}

/** Hundredths of seconds since the start: stolen by other guests of the host, and of all. */
function processorTimes(): { readonly stolen: number; readonly all: number } | undefined {
  if (!existsSync('/proc/stat')) return undefined;
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  // cpu user nice system idle iowait irq softirq steal; guests are counted in the first two.
  const times = line.split(/ +/).slice(1, 9).map(Number);
  return { stolen: times[7] ?? 0, all: times.reduce((sum, time) => sum + time, 0) };
}

/** A figure measured while others took the processors is no figure of ours. */
function stolenSince(before: ReturnType<typeof processorTimes>): string {
  const after = processorTimes();
  if (before === undefined || after === undefined) return '';
  const share = (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
  return `, ${(share * 100).toFixed(0)} % stolen by other guests`;
}

function figure(value: number | undefined): string {
  if (value === undefined) return '';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

function baselineOf({ also = {}, baseline, baseline_name = '' }: BenchRow): string {
  if (baseline === undefined) return '';
  const others = Object.entries(also).map(([name, value]) => `; ${figure(value)} (${name})`);
  return `${figure(baseline)} (${baseline_name})${others.join('')}`;
}

function printTable(rows: readonly BenchRow[]): void {
  const head = [
    'id',
    'data',
    'ours',
    'unit',
    'baseline',
    'ratio',
    'recall',
    'p50/p95/p99 ms',
    'MB',
  ];
  const cells = rows.map((row) => [
    row.id,
    row.data,
    figure(row.ours),
    row.unit,
    baselineOf(row),
    figure(row.ratio),
    row.recall === undefined ? '' : row.recall.toFixed(4),
    row.p50_ms === undefined ? '' : [row.p50_ms, row.p95_ms, row.p99_ms].map(figure).join(' / '),
    figure(row.memory_mb),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [head, ...cells]) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

const { suites, out, ...options } = parsedOrExit(import.meta.url, parseArguments);
const rows: BenchRow[] = [];
const timesBefore = processorTimes();
for (const suite of suites) rows.push(...(await runSuite(suite, options)));
const report = {
  machine: machine() + stolenSince(timesBefore),
  node: process.version,
  commit: commit(),
  rows,
};
console.log(`machine: ${report.machine} · node ${report.node} · commit ${report.commit}`);
printTable(rows);
if (out !== undefined) await writeFile(out, `${JSON.stringify(report, null, 2)}\n`);
