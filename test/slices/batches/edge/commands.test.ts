/** `batch check` says what a batch would take of a file, without an installation. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { surroundings } from '../../../cli/surroundings.ts';

const folder = mkdtempSync(join(tmpdir(), 'batch-check-'));
afterAll(() => rmSync(folder, { force: true, recursive: true }));

async function check(content: string | Uint8Array, ...words: string[]) {
  const file = join(folder, 'customers.csv');
  writeFileSync(file, content);
  let [out, err] = ['', ''];
  const streams = {
    err: { write: (text: string) => (err += text) },
    out: { write: (text: string) => (out += text) },
  };
  const code = await runCommandLine(
    ['batch', 'check', '--file', file, ...words],
    streams,
    surroundings(),
  );
  return { code, err, out };
}

const CSV = 'external_id,full_name,dob\n1,Amal,\n2,,\n1,Nour,\n=cmd(),A,1990-13-01\n3,Ali,1990\n';

test('counts subjects and rejected rows, and writes these where it is told', async () => {
  const rejected = join(folder, 'rejected.csv');
  const { code, out } = await check(gzipSync(CSV), '--rejected', rejected, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    reasons: { 'attribute-invalid': 1, 'attribute-missing': 1, 'duplicate-external-id': 1 },
    rejected: 3,
    subjects: 2,
  });
  expect(readFileSync(rejected, 'utf8').split('\r\n')).toEqual([
    'line,reason,detail,external_id',
    '3,attribute-missing,full_name: expected a value,2',
    '4,duplicate-external-id,"expected each external_id once; found it before, in line 2",1',
    "5,attribute-invalid,dob: expected a month from 01 to 12,'=cmd()",
    '',
  ]);
});

test('a file without faults ends with 0', async () => {
  const { code, out } = await check('external_id,full_name\n1,Amal\n');
  expect(code).toBe(0);
  expect(out).toContain('1 subjects, 0 rows rejected');
});

test('a file that would be refused is refused, and nothing is written', async () => {
  const out = join(folder, 'none.csv');
  const { code, err } = await check('external_id;full_name\n', '--rejected', out);
  expect(code).toBe(4);
  expect(err).toContain('csv-invalid: expected the columns external_id and full_name');
  expect(readdirSync(folder).filter((name) => name.startsWith('none'))).toEqual([]);
});
