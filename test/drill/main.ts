/**
 * `npm run drill`: attacks and faults that take too long for `npm test`. Prints a table of what was
 * asked of the product and what was measured; exits 1 where something was not met.
 *
 *   npm run drill                 all of them, over an hour
 *   npm run drill -- heads        one (or several): customers, hostile, heads, faults, newcomer,
 *                                 risk, rules, stories, streams, webhooks
 *   --count N                     links of `customers` (10,000), with ten random forms a link
 *   --minutes N                   how long `hostile` presses (30)
 *   --stage default|strict        one installation of `hostile` alone: hyper-express on SQLite, or
 *                                 node:http on MongoDB
 *   --store sqlite|mongo          where `faults` has its records
 *   --part kills|clocks|disk      one fault of `faults` alone
 *   --short                       seconds each; nothing is judged that hangs on speed
 *   --out FILE                    the same rows as JSON
 *   --help                        this text
 *
 * Everything is on loopback and in a temporary folder, and is gone at the end. MongoDB is where
 * MONGODB_TEST_URL says, as for the tests.
 */
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { parsedOrExit } from '../../bench/usage.ts';
import { customers } from './customers.ts';
import { faults, isFaultPart } from './faults.ts';
import { heads } from './heads.ts';
import { hostile, isStage } from './hostile.ts';
import { newcomer } from './newcomer.ts';
import { risk } from './risk.ts';
import { type DrillOptions, type DrillRow, wordOf } from './row.ts';
import { rules } from './rules.ts';
import { stories } from './stories.ts';
import { streams } from './streams.ts';
import { webhooks } from './webhooks.ts';

const DRILLS: Readonly<Record<string, (options: DrillOptions) => Promise<readonly DrillRow[]>>> = {
  customers,
  faults,
  heads,
  hostile,
  newcomer,
  risk,
  rules,
  stories,
  streams,
  webhooks,
};
const MINUTES = 30;
const MINUTES_MAX = 24 * 60;

function parseArguments(argv: readonly string[]) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    args: [...argv],
    options: {
      count: { type: 'string' },
      minutes: { default: `${MINUTES}`, type: 'string' },
      out: { type: 'string' },
      part: { type: 'string' },
      short: { default: false, type: 'boolean' },
      stage: { type: 'string' },
      store: { default: 'sqlite', type: 'string' },
    },
  });
  const names = positionals.length === 0 ? Object.keys(DRILLS) : positionals;
  const unknown = names.filter((name) => !(name in DRILLS));
  if (unknown.length > 0) {
    throw new Error(
      `expected some of ${Object.keys(DRILLS).join(', ')}, got ${unknown.join(', ')}`,
    );
  }
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
    throw new Error(`--minutes: expected over 0 and at most ${MINUTES_MAX}, got ${values.minutes}`);
  }
  const { part, stage } = values;
  if (part !== undefined && !isFaultPart(part)) {
    throw new Error(`--part: expected kills, clocks or disk, got ${part}`);
  }
  if (stage !== undefined && !isStage(stage)) {
    throw new Error(`--stage: expected default or strict, got ${stage}`);
  }
  const count = values.count === undefined ? undefined : Number(values.count);
  if (count !== undefined && !(Number.isSafeInteger(count) && count > 0)) {
    throw new Error(`--count: expected a whole number from 1, got ${values.count}`);
  }
  const store = storeOf(values.store);
  const options = {
    isShort: values.short,
    minutes,
    store,
    ...(count !== undefined && { count }),
    ...(part !== undefined && { part }),
    ...(stage !== undefined && { stage }),
  };
  return { names, options, out: values.out };
}

function storeOf(word: string): DrillOptions['store'] {
  if (word === 'mongo' || word === 'sqlite') return word;
  throw new Error(`--store: expected sqlite or mongo, got ${word}`);
}

function printTable(rows: readonly DrillRow[]): void {
  const head = ['drill', 'asked', '', 'measured'];
  const cells = rows.map((row) => [row.drill, row.asked, wordOf(row), row.measured]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [head, ...cells]) {
    const padded = row.map((cell, column) =>
      column === 3 ? cell : cell.padEnd(widths[column] ?? 0),
    );
    console.log(padded.join('  ').trimEnd());
  }
}

// An exit ends the processes of the drill as well.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const { names, options, out } = parsedOrExit(import.meta.url, parseArguments);
const rows: DrillRow[] = [];
for (const name of names) {
  const drill = DRILLS[name];
  if (drill === undefined) continue;
  // What it saw until then was said; the others are still run.
  const seen = await drill(options).catch((error: unknown): DrillRow[] => {
    console.error(error);
    return [
      { asked: 'the drill comes to its end', drill: name, isMet: false, measured: `${error}` },
    ];
  });
  rows.push(...seen);
}
console.log(
  `machine: ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'} · node ${process.version}`,
);
printTable(rows);
if (out !== undefined) await writeFile(out, `${JSON.stringify(rows, null, 2)}\n`);
// Connections that wait for nobody keep no process.
process.exit(rows.some(({ isMet }) => isMet === false) ? 1 : 0);
