/** `batch report`, `batch proof` and `batch verify`: files, what they say, and how they end. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditStore, exportAudit } from '#core/audit';
import { chainOf } from '#core/kernel';
import { systemClock } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { type Batch, batchTable, chunkTable } from '#slices/batches';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { renderAttestation } from '../../../../src/reports/index.ts';
import { verifyBatchFile } from '../../../../src/slices/batches/edge/verifyFile.ts';
import { opened, surroundings } from '../../../cli/surroundings.ts';
import { BATCH_ID, sampleBatch, TENANT_ID } from '../../../reports/sampleBatch.ts';
import { completedOf, SampleBlobs, storeOf } from '../../../reports/sampleStore.ts';
import { createModelTables } from '../../../storage/modelTables.ts';

const folder = mkdtempSync(join(tmpdir(), 'batch-files-'));
afterAll(() => rmSync(folder, { force: true, recursive: true }));
const path = (name: string) => join(folder, name);

const sample = sampleBatch({ chunkSubjects: 8, subjects: 30, tenantName: 'بنك تونس' });
const model = createModelTables([batchTable, chunkTable]);
let batch: Batch;
let installation: object;

beforeAll(async () => {
  const blobs = new SampleBlobs();
  batch = await completedOf(sample, blobs);
  const { audit, batches } = await storeOf(sample, blobs);
  model.seed(batchTable, batch);
  const { batchId } = batch;
  model.seed(chunkTable, ...(await batches.listChunks({ batchId, fromNo: 0, limit: 1_000 })));
  installation = {
    blobs,
    dataKeys: { find: async () => undefined },
    keyRing: sample.keys,
    storage: { audit, tables: model.tables },
    tenants: { list: async () => [{ id: 'another' }, { id: TENANT_ID }] },
  };
  writeFileSync(path('keys.json'), JSON.stringify(sample.keys));
});

async function run(words: string, { isOffline = false, canDraw = true } = {}) {
  let [out, err] = ['', ''];
  const streams = {
    err: { write: (text: string) => (err += text) },
    out: { write: (text: string) => (out += text) },
  };
  const given = surroundings({
    need: () => (canDraw ? renderAttestation : undefined) as never,
    ...(!isOffline && { open: opened(installation) }),
  });
  const code = await runCommandLine(words.split(' '), streams, given);
  return { code, err, out };
}

const report = (format: string, out: string) =>
  run(`batch report --batch ${BATCH_ID} --format ${format} --out ${path(out)}`);
const verify = (words: string, canDraw = true) =>
  run(`batch verify --json --keys ${path('keys.json')} ${words}`, { canDraw, isOffline: true });

test('batch verify --export asks the chain itself', async () => {
  expect((await report('attestation', 'named.json')).code).toBe(0);
  const { audit: store } = await storeOf(sample, new SampleBlobs());
  const lines: string[] = [];
  const chainId = chainOf(TENANT_ID);
  const of = { chainId, clock: systemClock, signer: sample.signer, store: store as AuditStore };
  for await (const line of exportAudit(of)) lines.push(line);
  writeFileSync(path('chain.jsonl'), lines.join(''));
  const asked = await verify(`--file ${path('named.json')} --export ${path('chain.jsonl')}`);
  // The chain of the sample has no entry of its end.
  expect([asked.code, JSON.parse(asked.out).reason]).toEqual([
    1,
    'attestation: no entry of the export names it',
  ]);
  writeFileSync(path('chain.jsonl'), lines.toSpliced(2, 1).join(''));
  const broken = await verify(`--file ${path('named.json')} --export ${path('chain.jsonl')}`);
  expect(broken.code).toBe(4);

  const file = readFileSync(path('named.json'));
  const anchors = { attestations: new Set([sha256Hex(file)]), hashes: new Map<number, string>() };
  const { value } = await verifyBatchFile(file, {
    anchors,
    digests: { report_sha256: undefined, xlsx_sha256: undefined },
    keys: sample.keys,
    renderAttestation: undefined,
    signature: undefined,
  });
  expect(value).toMatchObject({ checked: ['named by the chain', 'attestation'], ok: true });
});

describe('batch report', () => {
  test.each(['csv', 'xlsx', 'pdf', 'rejected', 'attestation'])('writes the %s', async (format) => {
    const { code, out } = await report(format, `report.${format}`);
    expect(code).toBe(0);
    expect(out).toMatch(/sha256 [0-9a-f]{64}/);
    expect(readFileSync(path(`report.${format}`)).length).toBeGreaterThan(0);
  });

  test('of an unknown batch, tenant or format ends with its code and writes nothing', async () => {
    const out = path('none');
    const lost = '01900000-0000-7000-8000-00000000dead';
    expect((await run(`batch report --batch ${lost} --format csv --out ${out}`)).code).toBe(3);
    const foreign = `--tenant another --format csv --out ${out}`;
    expect((await run(`batch report --batch ${BATCH_ID} ${foreign}`)).code).toBe(3);
    expect((await report('docx', 'none')).code).toBe(2);
    expect(readdirSync(folder)).not.toContain('none');
  });

  test('of a batch that still runs is refused', async () => {
    const { reports: _, ...running } = batch;
    model.seed(batchTable, { ...running, status: 'running' });
    const { code, err } = await report('csv', 'none');
    model.seed(batchTable, batch);
    expect(code).toBe(4);
    expect(err).toContain('the batch is running');
  });
});

describe('batch verify', () => {
  beforeAll(async () => {
    for (const format of ['csv', 'xlsx', 'pdf', 'attestation']) await report(format, `r.${format}`);
    await run(`batch proof --batch ${BATCH_ID} --subject C-13 --out ${path('proof.json')}`);
  });

  test('holds an attestation, the reports it names, and the proof of a subject', async () => {
    const files = `--csv ${path('r.csv')} --xlsx ${path('r.xlsx')}`;
    const attestation = await verify(`--file ${path('r.attestation')} ${files}`);
    expect(attestation.code).toBe(0);
    expect(JSON.parse(attestation.out)).toMatchObject({
      batch_id: BATCH_ID,
      checked: ['attestation', 'report_sha256', 'xlsx_sha256'],
      kind: 'attestation',
      ok: true,
    });
    const proof = await verify(`--file ${path('proof.json')}`);
    expect(proof.code).toBe(0);
    expect(JSON.parse(proof.out)).toMatchObject({
      kind: 'proof',
      subject: { decision: 'match', external_id: 'C-13', hits: 1 },
    });
  });

  test('holds the pages of a PDF to the signature beside it', async () => {
    const { code, out } = await verify(`--file ${path('r.pdf')} --csv ${path('r.csv')}`, false);
    expect(code).toBe(0);
    expect(JSON.parse(out).checked).toContain('pages by their signature');
  });

  test('without a signature draws them again', async () => {
    writeFileSync(path('alone.pdf'), readFileSync(path('r.pdf')));
    const { code, out } = await verify(`--file ${path('alone.pdf')}`);
    expect(code).toBe(0);
    expect(JSON.parse(out).checked).toContain('pages by drawing them again');
    expect((await verify(`--file ${path('alone.pdf')}`, false)).code).toBe(1);
  });

  test('finds a page that says something else, with a signature and without', async () => {
    const pdf = readFileSync(path('r.pdf'));
    const at = pdf.lastIndexOf('endstream') - 5;
    pdf[at] = (pdf[at] ?? 0) ^ 1;
    writeFileSync(path('forged.pdf'), pdf);
    const { code, out } = await verify(`--file ${path('forged.pdf')}`);
    expect(code).toBe(1);
    expect(JSON.parse(out).reason).toContain('pages');
    const signed = await verify(`--file ${path('forged.pdf')} --signature ${path('r.pdf.sig')}`);
    expect(JSON.parse(signed.out).reason).toContain('signature does not verify');
  });

  test('finds a CSV that is not the attested one', async () => {
    writeFileSync(path('other.csv'), `${readFileSync(path('r.csv'), 'utf8')} `);
    const { code, out } = await verify(
      `--file ${path('r.attestation')} --csv ${path('other.csv')}`,
    );
    expect(code).toBe(1);
    expect(JSON.parse(out).reason).toContain('report_sha256');
  });

  test('of a file that is none of them ends with 1, of no file with 6', async () => {
    writeFileSync(path('x.json'), '{"type":"export"}');
    expect((await verify(`--file ${path('x.json')}`)).code).toBe(1);
    expect((await verify(`--file ${path('not-there')}`)).code).toBe(6);
    expect((await run('batch verify --file x', { isOffline: true })).code).toBe(2);
    const words = `--file ${path('r.attestation')} --signature ${path('r.pdf.sig')}`;
    expect((await verify(words)).code).toBe(2);
  });
});

test('batch proof of a subject that the batch has not ends with 3', async () => {
  const { code, err } = await run(
    `batch proof --batch ${BATCH_ID} --subject C-99 --out ${path('no-proof')}`,
  );
  expect(code).toBe(3);
  expect(err).toContain('no such subject');
  expect(readdirSync(folder)).not.toContain('no-proof');
});
