/**
 * Whoever can write the database puts other results in the place of those that were found: a match
 * with hits becomes clear, in a blob of its own that a changed record names. Every reader must say
 * so, and nothing of it may be signed.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CommitEvidence } from '#core/audit';
import { canonicalJson } from '#platform/canonicalJson';
import {
  attestationOf,
  type Batch,
  decideHit,
  findHit,
  finishBatch,
  packLines,
  parseResult,
  proveSubject,
  readBatch,
  readHits,
  readResultLines,
  readScreenings,
  rootOfLines,
  runChunk,
  signedResults,
  startBatch,
} from '#slices/batches';
import { checkBatches } from '../../../src/slices/batches/edge/stateChecks.ts';
import { onEachInstallation } from '../../storage/eachInstallation.ts';
import { administered, BatchHouse } from './batchHouse.ts';
import { holdOf, leaseChunk } from './holds.ts';
import { externalId } from './inventedCohort.ts';
import { type BatchParts, openBatches } from './workParts.ts';

const SUBJECTS = 30;
const ALTERED = { code: 'results-altered' };

onEachInstallation((env) => {
  let house: BatchHouse;
  let parts: BatchParts;
  let batch: Batch;
  beforeAll(async () => {
    house = await BatchHouse.open(env());
    parts = await openBatches(house.installation);
  });
  afterAll(async () => {
    await parts?.close();
    await house?.close();
  });
  beforeEach(async () => {
    batch = await screened();
  });

  async function screened(): Promise<Batch> {
    const { ports } = parts;
    const submitted = await house.submit({ subjects: SUBJECTS });
    const hold = await holdOf(ports, await startBatch(ports, submitted), 'one');
    await readBatch(ports, hold);
    await hold.end();
    const chunk = await leaseChunk(ports, submitted, 'one');
    if (chunk === undefined) throw new Error('a chunk waits');
    await runChunk(ports, await house.find(submitted), chunk);
    await chunk.end();
    return house.find(submitted);
  }

  async function finish(): Promise<Batch> {
    const hold = await holdOf(parts.ports, await house.find(batch), 'one');
    try {
      return await finishBatch(parts.ports, hold);
    } catch (error) {
      await hold.giveBack({ isTried: false });
      throw error;
    }
  }

  /** As a gateway that has read nothing of it yet. */
  const reading = () => {
    const { installation } = house;
    const { audit } = installation.storage;
    const ports = { ...installation, audit, batches: house.batches };
    return { ...ports, results: signedResults(ports) };
  };
  const hitsOf = () => readHits(reading(), { batch, filter: {}, limit: 100 });

  async function resultOf() {
    const chunk = await house.batches.findChunk(batch.batchId, 0);
    if (chunk?.result === undefined) throw new Error('the chunk is done');
    return chunk.result;
  }

  const putResult = async (result: object): Promise<void> =>
    house.forger.alter('batch_chunk', JSON.stringify(await resultOf()), JSON.stringify(result));

  /** The first subject with hits has none any more. */
  async function clearOne(): Promise<{ lines: string[]; sealed: string[] }> {
    const { lines, sealed = [] } = await readResultLines(
      house.installation.blobs,
      await resultOf(),
    );
    const results = lines.map((line) => parseResult(line));
    const at = results.findIndex(({ hits }) => hits.length > 0);
    const cleared = results.map((result, place) =>
      canonicalJson(place === at ? { ...result, decision: 'auto_clear', hits: [] } : result),
    );
    return { lines: cleared, sealed: sealed.map(String) };
  }

  /** Another blob in the record; with `everything` its root and figures are made to fit. */
  async function doctor({ everything }: { readonly everything: boolean }): Promise<void> {
    const { lines, sealed } = await clearOne();
    const packed = await packLines([...lines, ...sealed]);
    const { address } = await house.installation.blobs.put(packed);
    const result = await resultOf();
    const fitting = { ...result, hits: result.hits - 1, merkleRoot: rootOfLines(lines) };
    await putResult({ ...(everything ? fitting : result), blob: address });
  }

  describe.each([
    ['another blob in its record', { everything: false }],
    ['another blob and a record that fits it', { everything: true }],
  ])('a chunk with %s', (_, how) => {
    test('is refused by hits and by results', async () => {
      expect((await hitsOf()).hits.length).toBeGreaterThan(0);
      await doctor(how);
      await expect(hitsOf()).rejects.toMatchObject(ALTERED);
      const page = { after: -1, batch, limit: 100 };
      await expect(readScreenings(reading(), page)).rejects.toMatchObject(ALTERED);
    });

    test('is refused by one that has read it before', async () => {
      const ports = reading();
      const ask = { batch, filter: {}, limit: 100 };
      await readHits(ports, ask);
      await doctor(how);
      await expect(readHits(ports, ask)).rejects.toMatchObject(ALTERED);
    });

    test('is never in a signed report', async () => {
      await doctor(how);
      await expect(finish()).rejects.toMatchObject(ALTERED);
      expect((await house.find(batch)).reports).toBeUndefined();
    });

    test('is refused by the proof of a subject', async () => {
      batch = await finish();
      const ask = { externalId: externalId(3) };
      expect((await proveSubject(reading(), batch, ask)).type).toBe('batch-proof');
      await doctor(how);
      await expect(proveSubject(reading(), batch, ask)).rejects.toMatchObject(ALTERED);
    });
  });

  test('a chunk that says it has no hits is not passed over', async () => {
    const result = await resultOf();
    await putResult({ ...result, byMatchType: { ...result.byMatchType, sanction: 0 }, hits: 0 });
    await expect(hitsOf()).rejects.toMatchObject(ALTERED);
  });

  describe('a decision of a hit', () => {
    let hitId: string;
    beforeEach(async () => {
      const [first] = (await hitsOf()).hits;
      hitId = first?.hit.hit_id ?? '';
      await decide(hitId);
    });

    const decide = (of: string) => {
      const { audit, clock, random } = house.installation;
      const commit: CommitEvidence = (chainId, one) => audit.commit(chainId, one);
      return decideHit(
        { ...reading(), clock, commit, random },
        {
          actor: 'cli:test',
          batch,
          decision: 'true_positive',
          hitId: of,
          notes: 'it is him',
          reviewerId: 'r-1',
        },
      );
    };
    const put = (from: string, to: string): Promise<void> =>
      house.forger.alter('batch_review', from, to);
    const refused = async (): Promise<void> => {
      await expect(hitsOf()).rejects.toMatchObject(ALTERED);
      await expect(findHit(reading(), { batch }, hitId)).rejects.toMatchObject(ALTERED);
      await expect(checkBatches(administered(house, batch))).rejects.toThrow(hitId);
    };

    test('is shown as it was made', async () => {
      expect((await hitsOf()).hits[0]).toMatchObject({ review: { decision: 'true_positive' } });
      await expect(checkBatches(administered(house, batch))).resolves.toContain('batches');
    });

    test.each([
      ['another decision', '"true_positive"', '"false_positive"'],
      ['another reviewer', '"reviewerId":"r-1"', '"reviewerId":"r-2"'],
      ['other notes', '"it is him"', '"it is not"'],
    ])('with %s is refused', async (_, from, to) => {
      await put(from, to);
      await refused();
      await put(to, from);
      expect((await hitsOf()).hits[0]).toMatchObject({ review: { decision: 'true_positive' } });
    });

    test('that nobody made hides no hit from those that wait', async () => {
      const [, second] = (await hitsOf()).hits;
      await put(hitId, second?.hit.hit_id ?? '');
      const pending = { batch, filter: { decision: 'pending' }, limit: 100 } as const;
      await expect(readHits(reading(), pending)).rejects.toMatchObject(ALTERED);
      await expect(checkBatches(administered(house, batch))).rejects.toThrow(hitId);
    });
  });

  test('figures, thresholds and lists of a batch are attested as they were signed', async () => {
    const text = JSON.stringify(await house.find(batch));
    for (const [from, to] of [
      ['"autoMatch":0.95', '"autoMatch":0.96'],
      ['"includePep":true', '"includePep":false'],
      [`"hits":${batch.counts.hits}`, '"hits":0'],
    ] as const) {
      expect(text).toContain(from);
      await house.forger.alter('batch', from, to);
      await expect(finish()).rejects.toMatchObject(ALTERED);
      await house.forger.alter('batch', to, from);
    }
  });

  test('a chunk whose record is gone is missed', async () => {
    await house.forger.remove('batch_chunk', batch.batchId);
    const chunks = { ...batch, chunksTotal: 0 };
    const ports = reading();
    await expect(
      ports.results.checkBatch({ ...chunks, startedAt: batch.requestedAt }, 0),
    ).rejects.toMatchObject({ ...ALTERED, message: expect.stringContaining('1 chunks') });
  });

  test('a completed batch with a report or an attestation of another is refused', async () => {
    const other = await finish();
    batch = await screened();
    batch = await finish();
    const { reports } = batch;
    if (reports === undefined || other.reports === undefined) throw new Error('both are completed');
    const ports = reading();
    await attestationOf(ports, { ...batch, reports });
    for (const forged of [
      { ...reports, csv: other.reports.csv },
      { ...reports, pdf: other.reports.pdf },
      { ...reports, attestation: other.reports.attestation },
      { ...reports, attestation: reports.pdf },
    ]) {
      await expect(attestationOf(ports, { ...batch, reports: forged })).rejects.toMatchObject(
        ALTERED,
      );
    }
  });
});
