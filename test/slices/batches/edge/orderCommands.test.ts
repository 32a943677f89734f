/** What `batch submit` and its neighbours take, and what they hand on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { type Batch, batchTable, noCounts } from '#slices/batches';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import type { BatchDesk } from '../../../../src/slices/batches/edge/batchDesk.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import { createModelTables } from '../../../storage/modelTables.ts';

const NOW = Date.UTC(2026, 0, 5, 12) as EpochMs;
const folder = mkdtempSync(join(tmpdir(), 'batch-orders-'));
afterAll(() => rmSync(folder, { force: true, recursive: true }));
const file = join(folder, 'Kunden 2026.CSV.gz');
writeFileSync(file, 'as it is');

type Submitted = Parameters<BatchDesk['submit']>[0];

const FIXED: Clock = { monotonicMs: () => 0, now: () => NOW };

function house(
  tenants = ['t-1'],
  { clock = FIXED, ...of }: { batch?: Partial<Batch>; clock?: Clock } = {},
) {
  const submitted: (Submitted & { readonly content: string })[] = [];
  const canceled: unknown[] = [];
  const batch = {
    baseUrl: 'http://localhost/v1',
    batchId: 'b-1',
    counts: noCounts(),
    kind: 'aml',
    lists: [],
    mode: 'full',
    name: 'evil\u001b[2J',
    rejectedTotal: 0,
    requestedAt: NOW,
    requestedBy: 'cli:tester',
    source: { address: '', bytes: 8, format: 'csv', type: 'csv' },
    status: 'failed',
    failure: { code: 'list-unavailable', detail: 'gone' },
    subjectsTotal: 2,
    tenantId: 't-1',
    thresholds: { autoClear: 0.6, autoMatch: 0.95, review: 0.85 },
    version: 3,
    ...of.batch,
  } as unknown as Batch;
  const { seed, tables } = createModelTables([batchTable]);
  seed(batchTable, batch);
  const installation = {
    ask: () => async () => false,
    once: () => ({
      cancel: async (ask: unknown) => {
        canceled.push(ask);
        return { ...batch, status: 'canceled' };
      },
      submit: async (ask: Submitted) => {
        let content = '';
        for await (const chunk of ask.file.chunks) content += Buffer.from(chunk).toString();
        submitted.push({ ...ask, content });
        return batch;
      },
    }),
    storage: { tables },
    tenants: { list: async () => tenants.map((id) => ({ id, kind: 'live', name: id })) },
  };
  const run = async (...words: string[]) => {
    let [out, err] = ['', ''];
    const streams = {
      err: { write: (text: string) => (err += text) },
      out: { write: (text: string) => (out += text) },
    };
    const given = surroundings({ clock, open: opened(installation) });
    const code = await runCommandLine(['batch', ...words], streams, given);
    return { code, err, out };
  };
  return { canceled, run, submitted };
}

describe('batch submit', () => {
  test('hands on the file, its name, and everything for all lists by default', async () => {
    const { run, submitted } = house();
    expect(await run('submit', file)).toMatchObject({ code: 0, err: '' });
    expect(submitted).toMatchObject([
      {
        actor: 'cli:tester',
        content: 'as it is',
        file: { name: 'Kunden 2026.CSV.gz' },
        order: {
          includeAdverseMedia: true,
          includePep: true,
          lists: [],
          mode: 'full',
          name: 'Kunden 2026',
        },
        tenant: { id: 't-1' },
      },
    ]);
  });

  test('hands on what was asked for', async () => {
    const { run, submitted } = house(['t-1', 't-2']);
    const words = '--lists OFAC,UN --name n --mode delta --since 2026-01-01T00:00:00Z --no-pep';
    await run('submit', file, ...words.split(' '), '--no-adverse-media', '--tenant', 't-2');
    expect(submitted[0]).toMatchObject({
      order: {
        includeAdverseMedia: false,
        includePep: false,
        lists: ['OFAC', 'UN'],
        mode: 'delta',
        name: 'n',
        since: Date.UTC(2026, 0, 1),
      },
      tenant: { id: 't-2' },
    });
  });

  test.each([
    [['--mode', 'all'], '--mode: expected full, delta, listsdelta, newlist'],
    [['--lists', 'OFAC,,UN'], '--lists: expected codes'],
    [['--name', 'a\u0007b'], '--name: expected 1..255 readable characters'],
    [['--name', 'x'.repeat(256)], '--name: expected'],
    [['--since', '2026-01-01T00:00:00Z'], '--since: expected with --mode delta alone'],
    [['--mode', 'delta', '--since', 'yesterday'], '--since: expected a time that has passed'],
    [['--mode', 'delta', '--since', '2027-01-01T00:00:00Z'], '--since: expected a time that has'],
  ])('%j is a wrong command line', async (words, problem) => {
    const { run, submitted } = house();
    const ran = await run('submit', file, ...words);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(problem);
    expect(submitted).toEqual([]);
  });

  test('whose it is must be clear', async () => {
    const several = await house(['t-1', 't-2']).run('submit', file);
    expect(several).toMatchObject({ code: 2 });
    expect(several.err).toContain('--tenant ID is missing: there are 2 tenants');
    expect(await house().run('submit', file, '--tenant', 't-9')).toMatchObject({ code: 3 });
    expect(await house().run('submit', join(folder, 'none.csv'))).toMatchObject({ code: 6 });
  });

  test('waiting ends with 1 where it failed', async () => {
    const ran = await house().run('submit', file, '--wait');
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('failed: list-unavailable, gone');
  });
});

describe('waiting without a worker', () => {
  test('ends with 5, says so, and shows the batch as it is', async () => {
    let ms = 0;
    const { run } = house(['t-1'], {
      batch: { status: 'queued' },
      clock: { monotonicMs: () => (ms += 15_000), now: () => NOW },
    });
    const ran = await run('submit', file, '--wait');
    expect(ran.code).toBe(5);
    expect(ran.err).toContain('b-1: it goes on if you stop waiting');
    expect(ran.err).toMatch(/no worker was seen to work for \d+ s: the batch waits in the store/);
    expect(ran.out).toMatch(/^ +status +queued/m);
  });
});

describe('a batch that is there', () => {
  test('is found in whichever tenant it is, or in the one that is named', async () => {
    const { run } = house(['t-0', 't-1']);
    expect(await run('status', '--batch', 'b-1')).toMatchObject({ code: 0 });
    expect(await run('status', '--batch', 'b-1', '--tenant', 't-0')).toMatchObject({ code: 3 });
    expect(await run('status', '--batch', 'b-2')).toMatchObject({ code: 3, out: '' });
  });

  test('a long name is cut in the list, between characters, and whole for a machine', async () => {
    const name = '😀'.repeat(255);
    const { run } = house(['t-1'], { batch: { name } });
    expect((await run('list')).out).toContain(`  ${'😀'.repeat(39)}…  `);
    expect(JSON.parse((await run('list', '--json')).out).batches[0].name).toBe(name);
    expect((await run('status', '--batch', 'b-1')).out).toContain(name);
  });

  test('moves no cursor by its name', async () => {
    const { run } = house();
    for (const words of [['list'], ['status', '--batch', 'b-1']]) {
      const { out } = await run(...words);
      expect(out).toContain('evil·[2J');
      expect(out).not.toContain('\u001b');
    }
  });

  test('is canceled by whoever asks', async () => {
    const { canceled, run } = house();
    expect(await run('cancel', '--batch', 'b-1')).toMatchObject({ code: 0 });
    expect(canceled).toEqual([{ actor: 'cli:tester', batchId: 'b-1', tenantId: 't-1' }]);
  });

  test.each([
    [['list', '--status', 'done'], '--status: expected queued, running'],
    [['list', '--limit', '0'], '--limit: expected 1..1000'],
    [['list', '--limit', '1001'], '--limit: expected 1..1000'],
  ])('%j is a wrong command line', async (words, problem) => {
    const ran = await house().run(...words);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(problem);
  });
});

test('a batch that goes on from nothing is refused with 4', async () => {
  const error = new DomainError('batch-base-missing', { detail: 'expected one before it' });
  const tenants = { list: async () => [{ id: 't-1', kind: 'live' }] };
  const batchDesk = { submit: () => Promise.reject(error) };
  let err = '';
  const code = await runCommandLine(
    ['batch', 'submit', file, '--mode', 'newlist'],
    { err: { write: (text: string) => (err += text) }, out: { write: () => true } },
    surroundings({ clock: FIXED, open: opened({ once: () => batchDesk, tenants }) }),
  );
  expect({ code, err }).toEqual({
    code: 4,
    err: 'batch-base-missing: expected one before it\n',
  });
});
