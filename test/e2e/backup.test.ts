/** The drill: a backup under load, restored elsewhere and over newer checkpoints. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Load, RAISED, readiness } from './load.ts';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  newFolder,
  type Product,
  screen,
  startProduct,
} from './product.ts';

interface Verified {
  readonly ok: boolean;
  readonly gaps: readonly { readonly from_seq: number; readonly until_seq: number }[];
}

async function exported(product: Product, tenant: string, checkpoint?: string) {
  const file = join(newFolder(), 'evidence.jsonl');
  const made = await product.cli('audit', 'export', '--tenant', tenant, '--out', file);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  await product.cli('keys', 'public', '--out', `${file}.keys`);
  const words = ['--file', file, '--keys', `${file}.keys`, '--json'];
  if (checkpoint !== undefined) words.push('--checkpoint', checkpoint);
  const { stderr, stdout } = await product.cli('audit', 'verify', ...words);
  expect(stderr).toBe('');
  return { file, report: JSON.parse(stdout) as Verified, text: readFileSync(file, 'utf8') };
}

/** The key is known from before: a restored installation prints none. */
const credentials = (was: FirstRun, now: FirstRun | undefined, origin: string): FirstRun => ({
  ...was,
  ...now,
  api_key: was.api_key,
  base_url: `${origin}/v1`,
  origin,
});
const originOf = (product: Product): string =>
  /https?:\/\/[^\s/]+:\d+/.exec(product.stdout)?.[0] ?? '';

/** Started over a store of before: it makes no key, and keeps the first-run.json that it finds. */
async function startRestored(dataDir: string, was: FirstRun) {
  writeFileSync(join(dataDir, 'first-run.json'), JSON.stringify(was));
  const product = startProduct(dataDir);
  const now = await product.ready();
  return { first: credentials(was, now, originOf(product)), product };
}

/** Nothing is served while erasures since the backup are still to be repeated. */
async function refusedStart(dataDir: string, { tenant_id }: FirstRun): Promise<void> {
  const product = startProduct(dataDir);
  await product.ended;
  expect(`${product.stdout}${product.stderr}`).toContain(
    `audit erase-again --tenant ${tenant_id} --file EXPORT`,
  );
}

describe.skipIf(!isRedisHere)('a backup', () => {
  afterAll(cleanUp);

  test('under load is restored elsewhere, goes on and verifies', async () => {
    const product = startProduct(join(newFolder(), 'data'));
    const first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
    const load = new Load(first, 4);
    const before = await screen(first, 'Ilvana Dostrekova');
    const folder = join(newFolder(), 'backup');
    const created = await product.cli('backup', 'create', '--out', folder);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    await load.end();
    expect(load.answered().length).toBeGreaterThan(0);
    expect((await product.cli('backup', 'create', '--out', folder)).code).not.toBe(0);

    const elsewhere = join(newFolder(), 'data');
    const there = startProduct(elsewhere, {}, [process.execPath, '--version']); // for its cli
    await there.ended;
    const restored = await there.cli('backup', 'restore', '--from', folder, '--replace');
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, 'store/compliance.sqlite')).includes('"wrapped"')).toBe(false);
    await refusedStart(elsewhere, first);
    const none = await there.cli('audit', 'erase-again', '--tenant', first.tenant_id, '--none');
    expect(none).toMatchObject({ code: 0, stderr: '' });
    const { first: again, product: second } = await startRestored(elsewhere, first);
    expect(await readiness(again)).toBe(200);
    const after = await screen(again, 'Ilvana Dostrekova');
    expect(after?.status).toBe(200);
    const { report, text } = await exported(second, first.tenant_id);
    expect(report).toMatchObject({ gaps: [], ok: true });
    expect(text).toContain(before?.body.audit.hash);
    expect(text).toContain(after?.body.audit.hash);
    await second.interrupt();
    await product.interrupt();
  });

  test('that is older than its checkpoints signs nothing until it is resumed', async () => {
    const dataDir = join(newFolder(), 'data');
    const product = startProduct(dataDir);
    const first = await product.ready();
    await screen(first, 'Ilvana Dostrekova');
    const erasable = await screen(first, 'Tarek Velmorani');
    const folder = join(newFolder(), 'backup');
    await product.cli('backup', 'create', '--out', folder);
    const lost = await screen(first, 'Somebody Else');
    const erasing = ['--screening', erasable?.body.screening_id ?? '', '--reason', 'request'];
    await product.cli('audit', 'erase', '--tenant', first.tenant_id, ...erasing);
    const newest = await exported(product, first.tenant_id);
    await product.interrupt(); // its worker signs a last checkpoint
    const known = join(newFolder(), 'checkpoints.jsonl');
    cpSync(join(dataDir, 'checkpoints', `${first.tenant_id}.jsonl`), known);

    const refused = await product.cli('backup', 'restore', '--from', folder);
    expect(refused.stderr).toContain('--replace moves it aside');
    const restored = await product.cli('backup', 'restore', '--from', folder, '--replace');
    expect(restored.code).toBe(1);
    expect(restored.stdout).toContain(`audit resume --tenant ${first.tenant_id}`);

    await refusedStart(dataDir, first);
    // On the operator's word, to see what is refused next.
    await product.cli('audit', 'erase-again', '--tenant', first.tenant_id, '--none');
    const { first: behind, product: second } = await startRestored(dataDir, first);
    expect(await readiness(behind)).toBe(503);
    const answer = await screen(behind, 'Somebody Else');
    expect(answer).toMatchObject({ body: { code: 'audit-chain-behind' }, status: 503 });
    const metrics = await (await fetch(`${behind.origin}/metrics`)).text();
    expect(metrics).toMatch(/^audit_chains_behind [1-9]/m);
    const doctor = await second.cli('doctor');
    expect(doctor.stdout).toMatch(/BAD {2}evidence: .*audit resume/);

    for (const chain of JSON.parse((await second.cli('doctor', '--json')).stdout).checks.flatMap(
      ({ name, detail }: { name: string; detail: string }) =>
        name === 'evidence' ? [...detail.matchAll(/([0-9a-z-]+): head/g)].map(([, id]) => id) : [],
    )) {
      const resumed = await second.cli('audit', 'resume', '--tenant', chain, '--reason', 'drill');
      expect(resumed).toMatchObject({ code: 0, stderr: '' });
    }
    const again = ['--tenant', first.tenant_id, '--file', newest.file];
    const repeated = await second.cli('audit', 'erase-again', ...again);
    expect(repeated.stdout).toContain('1 erasures named, 1 done again');
    const after = await screen(behind, 'Somebody Else');
    expect(after?.status).toBe(200);
    expect(await readiness(behind)).toBe(200);
    expect(after?.body.audit.seq).toBeGreaterThan((lost?.body.audit.seq ?? 0) + 1_000_000);
    const { report, text } = await exported(second, first.tenant_id);
    expect(report).toMatchObject({ gaps: [{ from_seq: lost?.body.audit.seq }], ok: true });
    expect(text).not.toContain('tarek velmorani');
    expect((await exported(second, first.tenant_id, known)).report).toMatchObject({
      first_bad: { reason: 'checkpoint-lost' },
      ok: false,
    });
    await second.interrupt();
  });
});
