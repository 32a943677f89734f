/** `audit verify` as a stranger runs it: a file, the keys, no configuration and no store. */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newKeyRing, signCheckpoint } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { signerFromFile } from '#platform/crypto';

const ROOT = join(import.meta.dirname, '../../../..');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-audit-'));
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
  writeFileSync(join(folder, 'key.pem'), pem, { mode: 0o600 });
  const signer = signerFromFile(join(folder, 'key.pem'));
  const genesis = { hash: '0'.repeat(64), seq: 0 };
  const checkpoint = signCheckpoint('t-1', genesis, { at: 0 as EpochMs, signer });
  const header = {
    exported_at: '2026-01-01T00:00:00.000Z',
    from_seq: 1,
    tenant_id: 't-1',
    type: 'export',
    version: 1,
  };
  const lines = [header, { checkpoint, type: 'checkpoint' }].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
  writeFileSync(join(folder, 'empty.jsonl'), lines.join(''));
  writeFileSync(join(folder, 'cut.jsonl'), lines[0] ?? '');
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(newKeyRing(signer.publicKey)));
  writeFileSync(join(folder, 'first.json'), JSON.stringify(checkpoint));
  const later = signCheckpoint(
    't-1',
    { hash: 'a'.repeat(64), seq: 7 },
    { at: 0 as EpochMs, signer },
  );
  writeFileSync(
    join(folder, 'later.json'),
    `${JSON.stringify(checkpoint)}\n${JSON.stringify(later)}\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function verify(...words: string[]) {
  const command = ['--disable-warning=ExperimentalWarning', join(ROOT, 'src/app/cli/main.ts')];
  return spawnSync(process.execPath, [...command, 'audit', 'verify', ...words], {
    cwd: folder,
    encoding: 'utf8',
    // Would stop anything that reads the configuration.
    env: { DATA_DIR: '/nowhere', PATH: process.env.PATH, PORT: 'wrong' },
  });
}

test('a good export of an empty chain ends with 0', () => {
  const ran = verify('--file', 'empty.jsonl', '--keys', 'keys.json');
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^good: 0 events/);
  expect(ran.stdout).toContain('no --checkpoint: a tail that was cut');
});

test('one without its last checkpoint ends with 1 and the reason', () => {
  const ran = verify('--file', 'cut.jsonl', '--keys', 'keys.json', '--json');
  expect(ran.status).toBe(1);
  expect(JSON.parse(ran.stdout).first_bad).toMatchObject({ seq: 1 });
});

test('a later checkpoint from outside, the last of its file, shows the cut tail', () => {
  const ran = verify('--file', 'empty.jsonl', '--keys', 'keys.json', '--checkpoint', 'later.json');
  expect(ran.status).toBe(1);
  expect(ran.stdout).toMatch(/^bad: first at seq \d+, line \d+: tail-missing/);
});

test('one that a checkpoint from outside covers says nothing of an unseen tail', () => {
  const words = ['--file', 'empty.jsonl', '--keys', 'keys.json', '--checkpoint', 'first.json'];
  const ran = verify(...words);
  expect([ran.status, ran.stdout]).toEqual([0, expect.not.stringContaining('cut')]);
  const { tail } = JSON.parse(verify(...words, '--json').stdout) as { tail: string };
  expect(tail).toBe('held to a checkpoint');
});

test('keys that are no JSON are a usage error, a missing file is 6', () => {
  writeFileSync(join(folder, 'broken.json'), '{');
  expect(verify('--file', 'empty.jsonl', '--keys', 'broken.json').status).toBe(2);
  expect(verify('--file', 'none.jsonl', '--keys', 'keys.json').status).toBe(6);
});
