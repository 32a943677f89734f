/** The pages of docs/ that are written from the code say what the code says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codesOf } from '#core/kernel';
import { documents } from '../../scripts/writeDocs.ts';
import { PROBLEMS } from '../../src/app/sliceRows.ts';
import { TABLES } from '../../src/app/tables.ts';
import { TOKENS_MAX } from '../../src/engine/snapshotFormat.ts';
import { LIST_FILE_BYTES_MAX } from '../../src/sources/fetch/spool.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test.each([...documents()])('%s is up to date, or run: node scripts/writeDocs.ts', (path, text) => {
  expect(read(path)).toBe(text);
});

test('docs/limits.md has the values that the code has, powers and shifts too', () => {
  const rows = [...read('docs/limits.md').matchAll(/^\| `(\w+_MAX)` \| ([^|]+) \| (\S+) \|/gm)];
  const values = new Map(
    rows.map(([, name, value, file]) => [`${file} ${name}`, Number(value?.replaceAll(',', ''))]),
  );
  expect([...values].filter(([, value]) => !(value > 0))).toEqual([]);
  expect(values.get('src/sources/fetch/spool.ts LIST_FILE_BYTES_MAX')).toBe(LIST_FILE_BYTES_MAX);
  expect(values.get('src/engine/snapshotFormat.ts TOKENS_MAX')).toBe(TOKENS_MAX);
});

test('docs/errors.md lists every code with its status, and no dead one', () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|/gm)];
  expect(rows.map(([, code, status]) => [code, Number(status)])).toEqual(
    codesOf(PROBLEMS).map((code) => [code, PROBLEMS[code].status]),
  );
});

test('docs/state-evidence.md says of every table what holds it', () => {
  const rows = [...read('docs/state-evidence.md').matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, name]) => name,
  );
  const without = TABLES.filter(({ name }) => !rows.includes(name));
  const wanted = 'a row in docs/state-evidence.md: what it decides, what holds it, who refuses';
  expect(without.map(({ name }) => `table ${name} has no row: ${wanted}`)).toEqual([]);
  expect(new Set(rows).size).toBe(rows.length);
});

test('texts of problems are sentences, and titles are not', () => {
  for (const code of codesOf(PROBLEMS)) {
    const { meaning, remedy, title } = PROBLEMS[code];
    expect(title, code).toMatch(/^[A-Z].*[^.]$/);
    expect(meaning, code).toMatch(/^[A-Z].*\.$/);
    expect(remedy, code).toMatch(/^[A-Z].*\.$/);
  }
});
