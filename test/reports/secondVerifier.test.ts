/**
 * The verifier in Python, written from docs/batch-evidence.md, and the product's own say the same
 * of every file, good or touched. Where they differ, one of them or the page is wrong.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import { cutProof, type SubjectProof, verifyAttestation } from '#slices/batches';
import { verifyBatchFile } from '../../src/slices/batches/edge/verifyFile.ts';
import { sampleBatch } from './sampleBatch.ts';
import { completedOf, SampleBlobs, storeOf } from './sampleStore.ts';

const hasPython =
  spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;
if (!hasPython) console.warn('SKIPPED: the second verifier, python3 3.9 or later is not there');
const script = join(import.meta.dirname, 'verify_batch.py');

describe.skipIf(!hasPython)('both verifiers say the same of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verify-batch-'));
  afterAll(() => rmSync(folder, { force: true, recursive: true }));
  const sample = sampleBatch({ chunkSubjects: 8, name: 'دفعة', subjects: 45, tenantName: 'A "B"' });
  let [attestation, pdf, csv]: Buffer[] = [];
  let signature: string;
  let proof: SubjectProof;

  beforeAll(async () => {
    const blobs = new SampleBlobs();
    const { reports } = await completedOf(sample, blobs);
    attestation = blobs.blobs.get(reports.attestation.address);
    pdf = blobs.blobs.get(reports.pdf.address);
    csv = blobs.blobs.get(reports.csv.address);
    signature = reports.pdfSignature;
    const checked = verifyAttestation(attestation ?? Buffer.of(), sample.keys);
    if (!checked.ok) throw new Error(checked.reason);
    const from = { attestation: checked.value, batch: sample.batch, externalId: 'C-43' };
    proof = await cutProof(await storeOf(sample, blobs), from);
  });

  async function verdict(
    file: Buffer | string,
    {
      csvFile,
      sig = signature,
      keys = sample.keys as unknown,
    }: {
      csvFile?: Buffer | undefined;
      sig?: string;
      keys?: unknown;
    } = {},
  ): Promise<boolean> {
    const bytes = Buffer.from(file);
    const isPdf = bytes.subarray(0, 4).toString() === '%PDF';
    const words = [join(folder, 'file'), join(folder, 'keys')];
    writeFileSync(join(folder, 'file'), bytes);
    writeFileSync(join(folder, 'keys'), JSON.stringify(keys));
    writeFileSync(join(folder, 'sig'), `${sig}\n`);
    if (isPdf) words.push('--signature', join(folder, 'sig'));
    if (csvFile) {
      writeFileSync(join(folder, 'csv'), csvFile);
      words.push('--csv', join(folder, 'csv'));
    }
    const ours = await verifyBatchFile(bytes, {
      digests: { report_sha256: csvFile && sha256Hex(csvFile), xlsx_sha256: undefined },
      keys,
      renderAttestation: undefined,
      signature: isPdf ? sig : undefined,
    });
    const python = spawnSync('python3', [script, ...words], { encoding: 'utf8' });
    expect(python.stderr).toBe('');
    expect(python.stdout.startsWith('ok '), `${python.stdout} / ${ours.text}`).toBe(ours.value.ok);
    return ours.value.ok;
  }

  test('an attestation, its PDF, its CSV and a proof as they are', async () => {
    expect(await verdict(attestation ?? '', { csvFile: csv })).toBe(true);
    expect(await verdict(pdf ?? '', { csvFile: csv })).toBe(true);
    expect(await verdict(canonicalJson(proof))).toBe(true);
    expect(await verdict(JSON.stringify(proof, undefined, 2))).toBe(true);
  });

  test('files of which something was touched', async () => {
    const edited = (from: RegExp, to: string) =>
      (attestation ?? Buffer.of()).toString().replace(from, to);
    const page = Buffer.from(pdf ?? Buffer.of());
    page[page.length - 40] = 0x20;
    const other = { csvFile: Buffer.from('another') };
    for (const [file, options] of [
      [edited(/"hits":\d+/, '"hits":1'), {}],
      [edited(/"version":1/, '"version":2'), {}],
      [edited(/"mode":"full"/, '"mode":"full","mode":"full"'), {}],
      [edited(/"signature":".{4}/, '"signature":"AAAA'), {}],
      ['{}', {}],
      [attestation ?? '', other],
      [page, {}],
      [Buffer.concat([pdf ?? Buffer.of(), pdf ?? Buffer.of()]), {}],
      [pdf ?? '', { sig: Buffer.alloc(64).toString('base64') }],
    ] as const) {
      expect(await verdict(file, options), `${file}`.slice(0, 60)).toBe(false);
    }
  });

  test('proofs of which something was touched', async () => {
    const flipped = (hex: string) => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`;
    const { event, in_chunk, in_results } = proof;
    for (const changed of [
      { ...proof, version: 2 },
      { ...proof, result: proof.result.replace('"decision":"match"', '"decision":"review"') },
      { ...proof, in_chunk: { ...in_chunk, leaf_index: in_chunk.leaf_index - 1 } },
      { ...proof, in_chunk: { ...in_chunk, leaf_count: in_chunk.leaf_count + 8 } },
      { ...proof, in_chunk: { ...in_chunk, path: in_chunk.path.map(flipped) } },
      { ...proof, in_results: { ...in_results, path: in_results.path.slice(1) } },
      { ...proof, in_results: { ...in_results, path: [...in_results.path, '00'.repeat(32)] } },
      { ...proof, event: { ...event, merkle_root: flipped(String(event.merkle_root)) } },
      { ...proof, event: { ...event, seq: Number(event.seq) + 1 } },
      { ...proof, attestation: { ...proof.attestation, chunks: proof.attestation.chunks + 1 } },
    ]) {
      expect(await verdict(canonicalJson(changed))).toBe(false);
    }
  });

  test('keys that are others, or that had ended', async () => {
    const [key] = sample.keys.keys;
    const until = (seq: number) => ({
      keys: [{ ...key, held: { default: { from: 1, until: seq } } }],
    });
    expect(await verdict(attestation ?? '', { keys: until(0) })).toBe(false);
    // The last entry that it stands on is the thirteenth.
    expect(await verdict(attestation ?? '', { keys: until(12) })).toBe(false);
    expect(await verdict(attestation ?? '', { keys: until(13) })).toBe(true);
    expect(await verdict(canonicalJson(proof), { keys: until(13) })).toBe(true);
    expect(await verdict(canonicalJson(proof), { keys: until(11) })).toBe(false);
    const retired = (retired_at: string) => ({
      keys: [{ ...key, held: { default: { from: 1, until: 13 } }, retired_at }],
    });
    for (const file of [attestation ?? '', canonicalJson(proof)]) {
      expect(await verdict(file, { keys: retired('2026-11-30T00:00:00.000Z') })).toBe(true);
      expect(await verdict(file, { keys: retired('2026-11-20T00:00:00.000Z') })).toBe(false);
    }
  });
});
