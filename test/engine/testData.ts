/**
 * Published vectors outside the repository: found through TEST_DATA_DIR, skipped aloud without it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.env.TEST_DATA_DIR;

/** Whether a file of the shared data can be read; says so where it cannot. */
export function hasTestData(path: string): boolean {
  const there = root !== undefined && existsSync(join(root, path));
  if (!there) console.warn(`skipped: ${path} is not under TEST_DATA_DIR (${root ?? 'unset'})`);
  return there;
}

/** Rows of a small CSV file; quoted cells may hold commas. */
export function readCsv(path: string): string[][] {
  const text = readFileSync(join(root ?? '', path), 'utf8').replace(/^\ufeff/, '');
  return text.split('\n').filter(Boolean).map(splitLine);
}

function splitLine(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (const char of line.replace(/\r$/, '')) {
    if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) {
      cells.push(cell);
      cell = '';
    } else cell += char;
  }
  return [...cells, cell];
}
