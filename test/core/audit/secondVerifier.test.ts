/** The Python verifier, written from docs/audit-format.md, and ours agree on every fixture. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Checkpoint,
  createAuditLog,
  exportAudit,
  type KeyRing,
  RESUME_SKIP_SEQS,
  resumeChain,
  rotateKeyRing,
  signCheckpoint,
} from '#core/audit';
import {
  buildChain,
  clock,
  erase,
  exportLines,
  extendChain,
  type Fixture,
  verifyLines,
} from './chainFixture.ts';
import { commitOf, draft, OTHER_TENANT, seededRandom, seededSigner, TENANT } from './drafts.ts';

const hasPython =
  spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;
if (!hasPython) console.warn('SKIPPED: the second verifier, python3 3.9 or later is not there');
const script = join(import.meta.dirname, 'verify_export.py');

describe.skipIf(!hasPython)('both verifiers say the same of', () => {
  let directory: string;
  let fixture: Fixture;
  let lines: string[];
  const at = clock.now();

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'verify-'));
    fixture = await buildChain(12);
    lines = await exportLines(fixture);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const checkpointAt = (seq: number): Checkpoint => {
    const hash = fixture.store.chain(TENANT).events[seq - 1]?.hash ?? '0'.repeat(64);
    return signCheckpoint(TENANT, { seq, hash }, { at, signer: fixture.signer });
  };

  /** What both say, in the words of the script; fails where they differ. */
  async function verdict(all: readonly string[], keys: KeyRing, checkpoint?: Checkpoint) {
    const path = (name: string) => join(directory, name);
    writeFileSync(path('export'), all.map((line) => `${line}\n`).join(''));
    writeFileSync(path('keys'), JSON.stringify(keys));
    if (checkpoint) writeFileSync(path('checkpoint'), JSON.stringify(checkpoint));
    const files = ['export', 'keys', ...(checkpoint ? ['checkpoint'] : [])].map(path);
    const python = spawnSync('python3', [script, ...files], { encoding: 'utf8' });
    expect(python.stderr).toBe('');
    const report = await verifyLines(all, { keys, ...(checkpoint && { checkpoint }) });
    const ours = report.firstBad
      ? `${report.firstBad.reason} ${report.firstBad.seq} ${report.firstBad.line}`
      : `ok ${report.events}`;
    expect(python.stdout.trim()).toBe(ours);
    expect(python.status).toBe(report.ok ? 0 : 1);
    return ours;
  }

  test('a good export, with and without a checkpoint from outside', async () => {
    expect(await verdict(lines, fixture.ring)).toBe('ok 12');
    expect(await verdict(lines, fixture.ring, checkpointAt(7))).toBe('ok 12');
  });

  test('an export with erased members, rotated keys and a late start', async () => {
    const chain = await buildChain(6);
    await erase(chain, 2, 3);
    const next = seededSigner('next');
    const ring = rotateKeyRing(chain.ring, next.publicKey, [{ chainId: TENANT, seq: 8 }]);
    await extendChain({ ...chain, signer: next }, 9, 11);
    const after = signCheckpoint(
      TENANT,
      { seq: 2, hash: chain.store.chain(TENANT).events[1]?.hash ?? '' },
      { at, signer: chain.signer },
    );
    const late: string[] = [];
    for await (const line of exportAudit({ ...chain, signer: next, clock, after })) {
      late.push(line.slice(0, -1));
    }
    expect(await verdict(late, ring)).toBe('ok 9');
    expect(await verdict(late, chain.ring)).toBe('key-unknown 9 9');
    expect(await verdict(late.toSpliced(1, 1), ring)).toBe('start-unanchored 3 2');
  });

  test('a gap that the chain names', async () => {
    const chain = await buildChain(6);
    const directory = mkdtempSync(join(tmpdir(), 'gap-'));
    const { hash = '' } = chain.store.chain(TENANT).events[4] ?? {};
    const known = signCheckpoint(TENANT, { hash, seq: 5 }, { at, signer: chain.signer });
    chain.store.chain(TENANT).events.splice(3);
    const [random, keyRing] = [seededRandom('gap'), chain.ring];
    const { seq } = await resumeChain(
      { ...chain, clock, directory, holder: 'cli', keyRing, random },
      { actor: 'cli:test', chainId: TENANT, checkpoint: known, reason: 'lost' },
    );
    rmSync(directory, { recursive: true });
    const all = await exportLines(chain);
    expect(await verdict(all, chain.ring)).toBe('ok 4');
    expect(await verdict(all, chain.ring, known)).toBe('checkpoint-lost 5 5');
    expect(await verdict(all.toSpliced(3, 1), chain.ring)).toBe('chain-broken 3 4');
    expect(seq).toBe(5 + RESUME_SKIP_SEQS + 1);
  });

  test('an export whose open members were taken away, some of them on record', async () => {
    const chain = await buildChain(9);
    await erase(chain, 4, 6);
    expect(await verdict(await exportLines(chain), chain.ring)).toBe('ok 11');
    await chain.store.eraseOpen(TENANT, 5);
    await chain.store.eraseOpen(TENANT, 11);
    const stripped = await exportLines(chain);
    expect(await verdict(stripped, chain.ring)).toBe('erasure-missing 5 6');
  });

  test('hostile numbers and strings', async () => {
    const weird = [
      1e21,
      1e-7,
      5e-324,
      1.7976931348623157e308,
      123456789012.5,
      0.000001,
      -0,
      1e20 / 3,
    ];
    const names = ['\u0001', '"\\/', '\u2028', '\ufb33', '😀', '\u007f', 'é'];
    const chain = await buildChain(0);
    const one = draft(1);
    const random = seededRandom('weird');
    const log = createAuditLog({ ...chain, clock, random, holder: 'weird' });
    const numbers = weird.filter((n) => !Number.isInteger(n) || Math.abs(n) >= 1e21 || n === 0);
    const keyed = Object.fromEntries(names.map((name, index) => [name, index]));
    const members = { ...one.members, keyed, names, numbers };
    await log.commit(TENANT, commitOf([{ ...one, members }]));
    await log.close();
    expect(await verdict(await exportLines(chain), chain.ring)).toBe('ok 1');
  });

  /** Undefined takes the member away. */
  const edit = (seq: number, members: Record<string, unknown>): string[] => {
    const { event } = JSON.parse(lines[seq] ?? '') as { event: object };
    return lines.with(seq, JSON.stringify({ type: 'event', event: { ...event, ...members } }));
  };
  const inLine = (at: number, from: string, to: string): string[] =>
    lines.with(at, (lines[at] ?? '').replace(from, to));
  const cases: [string, () => string[]][] = [
    ['hash-mismatch 4 5', () => edit(4, { list_version: 'x' })],
    ['hash-mismatch 5 6', () => edit(5, { truncated: 'true' })],
    ['event-malformed 5 6', () => edit(5, { seq: '5' })],
    ['event-malformed 1 2', () => edit(1, { screening_id: undefined })],
    ['event-malformed 1 2', () => edit(1, { tenant_id: OTHER_TENANT })],
    ['commitment-mismatch 2 3', () => edit(2, { query_normalized: {} })],
    ['commitment-mismatch 3 4', () => edit(3, { details_salt: undefined })],
    ['signature-invalid 6 7', () => edit(6, { signature: Buffer.alloc(64).toString('base64') })],
    ['chain-broken 4 5', () => lines.toSpliced(4, 1)],
    ['chain-broken 4 5', () => lines.with(4, lines[5] ?? '').with(5, lines[4] ?? '')],
    ['chain-broken 5 6', () => lines.toSpliced(5, 0, lines[4] ?? '')],
    ['tail-missing 12 13', () => lines.toSpliced(12, 1)],
    ['tail-missing 13 13', () => lines.slice(0, -1)],
    ['line-malformed 3 4', () => lines.with(3, (lines[3] ?? '').slice(0, 200))],
    ['line-malformed 3 4', () => inLine(3, '"seq":3', '"seq":3,"seq":3')],
    ['line-malformed 3 4', () => inLine(3, 'Zoë', '\\ud800')],
    ['line-malformed 3 4', () => lines.toSpliced(3, 0, '{"type":"note"}')],
    ['header-missing 1 1', () => lines.slice(1)],
    ['checkpoint-invalid 11 14', () => inLine(13, '"seq":12', '"seq":11')],
    ['checkpoint-invalid 13 14', () => inLine(13, '"at":', '"by":')],
  ];
  test.each(cases)('%s', async (expected, mutate) => {
    expect(await verdict(mutate(), fixture.ring)).toBe(expected);
  });

  test('a checkpoint in the middle that is of the event before', async () => {
    const line = JSON.stringify({ type: 'checkpoint', checkpoint: checkpointAt(5) });
    expect(await verdict(lines.toSpliced(7, 0, line), fixture.ring)).toBe(
      'checkpoint-mismatch 5 8',
    );
  });

  test('an old backup, against a checkpoint from outside', async () => {
    const backup = await buildChain(9);
    expect(await verdict(await exportLines(backup), fixture.ring, checkpointAt(12))).toBe(
      'tail-missing 10 11',
    );
  });
});
