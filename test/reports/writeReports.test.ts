/** All reports of a batch at once: they belong together, and are the same however often written. */
import { expect, test } from 'vitest';
import { verifyAttestation } from '#slices/batches';
import { writeReports } from '../../src/reports/index.ts';
import { sampleBatch } from './sampleBatch.ts';
import { SampleBlobs } from './sampleStore.ts';

const SAMPLE = sampleBatch({ hitsOf: (ordinal) => ordinal % 2, subjects: 60 });

async function written(blobs = new SampleBlobs()) {
  const { from, signer } = SAMPLE;
  return { blobs, reports: await writeReports({ put: (bytes) => blobs.put(bytes), signer }, from) };
}

test('the attestation names the reports, and its figures are theirs', async () => {
  const { blobs, reports } = await written();
  const bytes = blobs.blobs.get(reports.attestation.address) ?? Buffer.of();
  const checked = verifyAttestation(bytes, SAMPLE.keys);
  expect(checked).toMatchObject({
    ok: true,
    value: {
      input: { line_count: 62 },
      report_sha256: reports.csv.address,
      totals: { by_category: { sanctions: 30 }, hits: 30, rejected: 2, subjects: 60 },
      xlsx_sha256: reports.xlsx.address,
    },
  });
});

test('written again they are the same blobs: a worker may begin anew', async () => {
  const { blobs, reports } = await written();
  const again = await written(blobs);
  expect(again.reports).toEqual(reports);
  expect(blobs.blobs.size).toBe(4);
});

test('a store that fails fails them, and no attestation is there without its reports', async () => {
  const blobs = new SampleBlobs();
  let puts = 0;
  const put: SampleBlobs['put'] = async (bytes) => {
    puts += 1;
    if (puts === 2) throw new Error('the disk is full');
    return blobs.put(bytes);
  };
  const { from, signer } = SAMPLE;
  await expect(writeReports({ put, signer }, from)).rejects.toThrow('the disk is full');
  expect(blobs.blobs.size).toBe(1);
});

test('a batch of nobody has reports, too', async () => {
  const { from, signer } = sampleBatch({ subjects: 0 });
  const blobs = new SampleBlobs();
  const reports = await writeReports({ put: (bytes) => blobs.put(bytes), signer }, from);
  expect(reports.csv.bytes).toBeGreaterThan(0);
});
