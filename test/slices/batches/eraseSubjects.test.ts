/**
 * Subjects of a batch are erased: nothing that is kept says who they were, and everything that was
 * proven stays so.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Erasures, entry, entryPages, exportAudit, verifyExport } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf } from '#core/kernel';
import {
  type Batch,
  type BatchFile,
  batchKeyId,
  currentFiles,
  decideHit,
  type EraseSubjectsPorts,
  eraseSubjects,
  openBatchFile,
  ordinalsOf,
  proveSubject,
  readFindings,
  readHits,
  signedResults,
  verifyProof,
} from '#slices/batches';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import { quietLog } from '../../workers/quietWorker.ts';
import { BatchHouse } from './batchHouse.ts';
import { type BatchParts, openBatches } from './workParts.ts';

let house: BatchHouse;
let parts: BatchParts;
let runner: ReturnType<typeof startBatchRunner>;
beforeAll(async () => {
  house = await BatchHouse.open();
  parts = await openBatches(house.installation);
  runner = startBatchRunner({
    holder: 'test/one/0/0',
    log: quietLog,
    pollMs: 20,
    ports: parts.ports,
  });
});
afterAll(async () => {
  await runner.close();
  await parts.close();
  await house.close();
});

const CANARY = 'Kanarivogel Unverwechselbar';
const CANARY_ID = 'canary-0815';
const NOTE = 'Kanarivogel in a note';

/** Subjects of whom one is the canary, and one whose row is rejected for having the same id. */
function* csvWith(subjects: number, canaryAt: number): Generator<Uint8Array> {
  const rows = Array.from({ length: subjects }, (_, at) =>
    at === canaryAt ? `${CANARY_ID},${CANARY},individual` : `c-${at},Anne Abel ${at},individual`,
  );
  rows.push(`${CANARY_ID},${CANARY} again,individual`);
  yield Buffer.from(`external_id,full_name,type\n${rows.join('\n')}\n`);
}

async function* streamed(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** As another process, which has read nothing yet. */
function portsOf(): EraseSubjectsPorts {
  const { installation } = house;
  const { audit } = installation.storage;
  const read = { ...installation, audit };
  return {
    ...installation,
    batches: house.batches,
    erasures: new Erasures(read),
    results: signedResults(read),
    store: audit,
  };
}

const proofPorts = () => {
  const { keyRing, storage } = house.installation;
  return { ...portsOf(), audit: storage.audit, keyRing };
};

async function textOf(batch: Batch, name: BatchFile): Promise<string> {
  const ports = portsOf();
  const { rejected, reports } = await currentFiles(ports, batch);
  const file = name === 'rejected' ? rejected : reports?.[name as 'csv'];
  if (file === undefined) throw new Error(`${name}: not there`);
  const pieces: Uint8Array[] = [];
  for await (const piece of await openBatchFile(ports, batch, { file, name })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function rewritten(batch: Batch): Promise<void> {
  const isThere = async () => (await currentFiles(portsOf(), batch)).reports !== undefined;
  await vi.waitUntil(isThere, { interval: 20, timeout: 60_000 });
}

/** Every file below DATA_DIR that has the words, as it is or unpacked. */
function filesWith(words: readonly string[]): string[] {
  const root = house.installation.config.dataDir;
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  return names
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      const texts = [bytes, unpacked(bytes)];
      return words.some((word) => texts.some((text) => text.includes(word)));
    });
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch {
    return Buffer.alloc(0); // most files are no gzip
  }
}

/** An entry that has nothing to do with it. */
const said = () =>
  entry(house.installation, { action: 'aml.batch.canceled', actor: 'cli:test', target: 'else' });

const erase = (batch: Batch, ordinals: readonly number[], externalIds: readonly string[] = []) =>
  eraseSubjects(portsOf(), { actor: 'cli:test', batch, externalIds, ordinals, reason: 'asked' });

async function exported({ tenantId }: Batch): Promise<Buffer> {
  const { installation } = house;
  const store = installation.storage.audit;
  const lines: string[] = [];
  for await (const line of exportAudit({ ...installation, chainId: chainOf(tenantId), store })) {
    lines.push(line);
  }
  return Buffer.from(lines.join(''));
}

const verified = async (batch: Batch) =>
  verifyExport({ input: [await exported(batch)], keys: house.installation.keyRing });

const hasPython =
  spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0;
if (!hasPython) console.warn('SKIPPED: the second verifier, python3 3.9 or later is not there');
const VERIFIER = join(import.meta.dirname, '../../reports/verify_batch.py');

/** What the verifier in Python says of a proof, beside an export of the chain. */
function verdicts(proofs: readonly object[], chain: Buffer): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'verify-erased-'));
  try {
    const [file, keys, lines] = ['proof', 'keys', 'export'].map((name) => join(folder, name));
    writeFileSync(String(keys), JSON.stringify(house.installation.keyRing));
    writeFileSync(String(lines), chain);
    return proofs.map((proof) => {
      writeFileSync(String(file), JSON.stringify(proof));
      const words = [VERIFIER, String(file), String(keys), '--export', String(lines)];
      const { stderr, stdout } = spawnSync('python3', words, { encoding: 'utf8' });
      return `${stdout.split(' ').slice(0, 2).join(' ').trim()}${stderr}`;
    });
  } finally {
    rmSync(folder, { force: true, recursive: true });
  }
}

test('an erased subject is nowhere any more, and roots, proofs and reports hold', async () => {
  const csv = streamed(csvWith(1_200, 1_100));
  const batch = await house.completed(await house.submit({ csv, subjects: 0 }));
  const { resultsRoot } = batch;
  const ports = proofPorts();
  expect(await ordinalsOf(ports, batch, CANARY_ID)).toEqual([1_100]);
  expect(await textOf(batch, 'csv')).toContain(CANARY);
  expect(await textOf(batch, 'rejected')).toContain(CANARY_ID);
  const before = await proveSubject(ports, batch, { externalId: CANARY_ID });
  const other = await proveSubject(ports, batch, { externalId: 'c-7' });
  expect(filesWith([CANARY])).toEqual([]);

  const { seq } = await erase(batch, [1_100], [CANARY_ID]);
  await rewritten(batch);
  expect(filesWith([CANARY, CANARY_ID])).toEqual([]);
  const report = await textOf(batch, 'csv');
  expect(report).not.toContain(CANARY);
  expect(report).not.toContain(CANARY_ID);
  expect(report.split('\r\n')).toHaveLength(1_202);
  expect(report.split('\r\n').filter((row) => row.includes(',1102,1100,'))).toHaveLength(1);
  expect(await textOf(batch, 'rejected')).not.toContain(CANARY_ID);
  expect(await ordinalsOf(proofPorts(), batch, CANARY_ID)).toEqual([]);

  const { keyRing } = house.installation;
  for (const proof of [before, other]) {
    const bytes = Buffer.from(JSON.stringify(proof));
    expect(verifyProof(bytes, keyRing)).toMatchObject({ ok: true });
  }
  const after = await proveSubject(proofPorts(), batch, { externalId: 'c-7' });
  expect(after.result).toBe(other.result);
  expect(after.attestation).toMatchObject({
    reissue: { attestation_sha256: batch.reports?.attestation.address, erased_subjects: 1 },
    results_root: resultsRoot,
  });
  expect(verifyProof(Buffer.from(JSON.stringify(after)), keyRing)).toMatchObject({ ok: true });
  expect(await verified(batch)).toMatchObject({ ok: true });
  const forged = { ...before, subject: { ...before.subject, external_id: 'c-8' } };
  expect(verifyProof(Buffer.from(JSON.stringify(forged)), keyRing)).toMatchObject({ ok: false });
  if (hasPython) {
    expect(verdicts([before, other, after, forged], await exported(batch))).toEqual([
      'ok proof',
      'ok proof',
      'ok proof',
      'bad result',
    ]);
  }
  const event = await house.installation.storage.audit.findBySeq(chainOf(batch.tenantId), seq);
  expect(JSON.parse(event?.body ?? '{}')).toMatchObject({
    action: 'audit.personal_data.erased',
    erased_in: batch.batchId,
    ordinals: [1_100],
  });
  await expect(erase(batch, [1_100])).rejects.toMatchObject({ code: 'state-conflict' });
  await expect(erase(batch, [1_200])).rejects.toMatchObject({ code: 'not-found' });
}, 120_000);

test('a hit of an erased subject is shown without him, and its notes are gone', async () => {
  const batch = await house.completed(await house.submit({ subjects: 30 }));
  const ask = { batch, filter: {}, limit: 100 };
  const { hits } = await readHits(proofPorts(), ask);
  const [first] = hits;
  if (first === undefined) throw new Error('somebody is listed');
  const { audit, clock, random } = house.installation;
  await decideHit(
    { ...proofPorts(), clock, commit: (chain, commit) => audit.commit(chain, commit), random },
    {
      actor: 'cli:test',
      batch,
      decision: 'false_positive',
      hitId: first.hit.hit_id,
      notes: NOTE,
      reviewerId: 'r-1',
    },
  );
  expect(filesWith([NOTE])).not.toEqual([]);
  await erase(batch, [first.place.ordinal]);
  const after = await readHits(proofPorts(), ask);
  expect(after.hits[0]).toMatchObject({
    hit: { hit_id: first.hit.hit_id },
    review: { decision: 'false_positive', notes: '' },
    subject: { erased: true, external_id: '', subject: { full_name: '' } },
  });
  expect(after.hits.slice(1).map(({ subject }) => subject.external_id)).toEqual(
    hits.slice(1).map(({ subject }) => subject.external_id),
  );
  const decided = { action: 'aml.batch.hit.decided', chainId: chainOf(batch.tenantId), fromSeq: 1 };
  for await (const page of entryPages(house.installation.storage.audit, decided)) {
    expect(page.map(({ open }) => open)).toEqual([undefined]);
  }
  expect(await verified(batch)).toMatchObject({ ok: true });
}, 120_000);

test('a key that is gone without an entry is found, and so is one put back', async () => {
  const batch = await house.completed(await house.submit({ subjects: 20 }));
  const { audit, dataKeys, storage } = house.installation;
  const keyId = batchKeyId(batch.batchId);
  const { tables } = storage;
  const record = await tables.find(dataKeyTable, { keyId });
  if (record === undefined) throw new Error('the batch has a key');
  const key = dataKeys.open(record);
  const robbed = dataKeys.without(key, [{ depth: 20, index: 0 }]);
  const put = (change: ReturnType<typeof dataKeyTable.put>) =>
    audit.commit(chainOf(batch.tenantId), { bus: [], changes: [change], events: [said()] });
  await put(dataKeyTable.put(robbed.record, record.version));
  const read = async () => {
    const subjects: string[] = [];
    for await (const { lines, parse } of readFindings(proofPorts(), batch)) {
      for (const line of lines) subjects.push(parse(line).external_id);
    }
    return subjects;
  };
  await expect(read()).rejects.toMatchObject({ code: 'results-altered' });
  const { key: whole } = dataKeys.make({ keyId, tenantId: batch.tenantId }, key);
  const back = dataKeys.without({ ...whole, version: robbed.record.version }, []);
  await put(dataKeyTable.put(back.record, robbed.record.version));
  expect(await read()).toHaveLength(20);
  await erase(batch, [3]);
  const erased = await tables.find(dataKeyTable, { keyId });
  if (erased === undefined) throw new Error('the batch has a key');
  const again = dataKeys.without({ ...whole, version: erased.version }, []);
  await put(dataKeyTable.put(again.record, erased.version));
  expect((await read()).map((id) => id === '')).toEqual(
    Array.from({ length: 20 }, (_, at) => at === 3),
  );
}, 60_000);

test('a batch goes on from one of which somebody was erased, without him', async () => {
  const base = await house.completed(await house.submit({ subjects: 1_050 }));
  const { tenantId } = base;
  await erase(base, [10, 11, 1_049]);
  const next = await house.submit({ mode: 'listsdelta', subjects: 0, tenantId });
  const completed = await house.completed(next);
  expect(completed).toMatchObject({ chunksTotal: 2, subjectsTotal: 1_047 });
}, 60_000);
