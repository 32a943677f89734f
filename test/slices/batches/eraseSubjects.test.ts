/**
 * Subjects of a batch are erased: nothing that is kept says who they were, and everything that was
 * proven stays so.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  Erasures,
  entry,
  entryPages,
  exportAudit,
  repeatErasures,
  verifyExport,
} from '#core/audit';
import { dataKeyTable, seedAt } from '#core/blobs';
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
import { openProcess } from '../../../src/app/process.ts';
import { eraseParts } from '../../../src/slices/batches/edge/answers.ts';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import type { CliProcess } from '../../../src/slices/processes.ts';
import { onEachInstallation } from '../../storage/eachInstallation.ts';
import { quietLog } from '../../workers/quietWorker.ts';
import { BatchHouse } from './batchHouse.ts';
import { filesWith, hasPython, verdicts } from './erasureChecks.ts';
import { externalId } from './inventedCohort.ts';
import { type BatchParts, openBatches } from './workParts.ts';

onEachInstallation((env) => {
  let house: BatchHouse;
  let parts: BatchParts;
  let runner: ReturnType<typeof startBatchRunner>;
  beforeAll(async () => {
    house = await BatchHouse.open(env());
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

  const dataDir = (): string => house.installation.config.dataDir;

  async function expectNowhere(words: readonly string[]): Promise<void> {
    expect(filesWith(dataDir(), words)).toEqual([]);
    expect(await house.forger.holds(words)).toBe(false);
  }

  const openCommandLine = async () =>
    openProcess<CliProcess>(house.installation, { wake: async () => undefined });

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
    await expectNowhere([CANARY]);

    const { seq } = await erase(batch, [1_100], [CANARY_ID]);
    await rewritten(batch);
    await expectNowhere([CANARY, CANARY_ID]);
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
      expect(verdicts([before, other, after, forged], await exported(batch), keyRing)).toEqual([
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
  });

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
    const isKept = filesWith(dataDir(), [NOTE]).length > 0 || (await house.forger.holds([NOTE]));
    expect(isKept).toBe(true);
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
    const decided = {
      action: 'aml.batch.hit.decided',
      chainId: chainOf(batch.tenantId),
      fromSeq: 1,
    };
    for await (const page of entryPages(house.installation.storage.audit, decided)) {
      expect(page.map(({ open }) => open)).toEqual([undefined]);
    }
    expect(await verified(batch)).toMatchObject({ ok: true });
  });

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
  });

  test('a batch goes on from one of which somebody was erased, without him', async () => {
    const base = await house.completed(await house.submit({ subjects: 1_050 }));
    const { tenantId } = base;
    await erase(base, [10, 11, 1_049]);
    const next = await house.submit({ mode: 'listsdelta', subjects: 0, tenantId });
    const completed = await house.completed(next);
    expect(completed).toMatchObject({ chunksTotal: 2, subjectsTotal: 1_047 });
  });

  /** A worker over the same store that is the only one while `use` runs. */
  async function alone(ports: BatchParts['ports'], use: () => Promise<void>): Promise<void> {
    await runner.close();
    const other = startBatchRunner({ holder: 'test/two/0/0', log: quietLog, pollMs: 20, ports });
    try {
      await use();
    } finally {
      await other.close();
      const holder = 'test/three/0/0';
      runner = startBatchRunner({ holder, log: quietLog, pollMs: 20, ports: parts.ports });
    }
  }

  /** Ordinals of the rows that say so. */
  function erasedIn(report: string): readonly (string | undefined)[] {
    const [header = [], ...rows] = report.split('\r\n').map((row) => row.split(','));
    const [erased, ordinal] = [header.indexOf('erased'), header.indexOf('ordinal')];
    return rows.filter((row) => row[erased] === 'true').map((row) => row[ordinal]);
  }

  test('a batch runs on while a subject of it is erased, and one waits for its turn', async () => {
    const goOn = Promise.withResolvers<void>();
    const screen: BatchParts['ports']['threads']['screen'] = async (asked, signal) => {
      if (asked.chunk.chunkNo === 1) await goOn.promise;
      return parts.ports.threads.screen(asked, signal);
    };
    await alone({ ...parts.ports, threads: { ...parts.ports.threads, screen } }, async () => {
      const batch = await house.submit({ subjects: 1_500 });
      await house.until(
        batch,
        ({ chunksTotal, counts }) => chunksTotal === 2 && counts.chunks === 1,
      );
      await erase(batch, [5]);
      await expect(erase(batch, [1_200])).rejects.toMatchObject({ code: 'state-conflict' });
      goOn.resolve();
      const completed = await house.completed(batch);
      expect(erasedIn(await textOf(completed, 'csv'))).toEqual(['5']);
      expect((await house.batches.latestIssue(batch.batchId))?.endedAt).toBeDefined();
      expect(await verified(batch)).toMatchObject({ ok: true });
    });
  });

  test('reports that were being written when one was erased are written once more', async () => {
    let writings = 0;
    const writeReports: BatchParts['ports']['writeReports'] = async (batch, ...rest) => {
      const reports = await parts.ports.writeReports(batch, ...rest);
      // Not those of a batch whose keys another test has taken away.
      if (batch.status === 'running' && writings++ === 0) await erase(batch, [7]);
      return reports;
    };
    await alone({ ...parts.ports, writeReports }, async () => {
      const completed = await house.completed(await house.submit({ subjects: 20 }));
      expect(writings).toBe(2);
      expect(erasedIn(await textOf(completed, 'csv'))).toEqual(['7']);
    });
  });

  test('an erasure that dies before its commit is begun anew, and none is half done', async () => {
    const kind = 'sanctions';
    const batch = await house.completed(await house.submit({ kind, subjects: 20 }));
    const ports = portsOf();
    const dies = async (...[chainId, commit]: Parameters<typeof ports.audit.commit>) => {
      if (commit.changes.length > 0) throw new Error('died before the commit');
      return ports.audit.commit(chainId, commit);
    };
    const ask = {
      actor: 'cli:test',
      batch,
      externalIds: [],
      ordinals: [0],
      reason: 'asked',
    } as const;
    const dying = eraseSubjects({ ...ports, audit: { commit: dies } }, ask);
    await expect(dying).rejects.toThrow('died before the commit');
    expect(await ordinalsOf(proofPorts(), batch, externalId(0))).toEqual([0]);
    await erase(batch, [0]);
    expect(await ordinalsOf(proofPorts(), batch, externalId(0))).toEqual([]);
    const screenings = { chainId: chainOf(batch.tenantId), fromSeq: 1, limit: 1_000 };
    const events = await house.installation.storage.audit.readEvents(screenings);
    const open = events.filter(({ type }) => type === 'screening').map((event) => event.open);
    expect(open.filter((one) => one === undefined)).toHaveLength(1);
    expect(await verified(batch)).toMatchObject({ ok: true });
  });

  test('erasures that a newer export names are repeated, of a store that is older', async () => {
    const batch = await house.completed(await house.submit({ subjects: 20 }));
    const { audit, dataKeys, storage } = house.installation;
    const keyId = batchKeyId(batch.batchId);
    const before = await storage.tables.find(dataKeyTable, { keyId });
    const repeat = (chain: Buffer) =>
      openCommandLine().then(({ close, process }) =>
        repeatErasures(
          {
            ...portsOf(),
            eraseParts: (of) =>
              eraseParts(process)({ ...of, actor: 'cli:test', tenantId: batch.tenantId }),
            erasePerson: async () => false,
            keyRing: house.installation.keyRing,
          },
          { actor: 'cli:test', chainId: chainOf(batch.tenantId), open: () => streamed([chain]) },
        ).finally(close),
      );
    await erase(batch, [3]);
    expect(await repeat(await exported(batch))).toEqual({ named: 1, repeated: 0 });
    const now = await storage.tables.find(dataKeyTable, { keyId });
    if (before === undefined || now === undefined) throw new Error('the batch has a key');
    // As an old copy of the keys would bring it back.
    const { seeds } = dataKeys.open(before);
    const back = dataKeys.without({ ...dataKeys.open(now), seeds }, []);
    const changes = [dataKeyTable.put(back.record, now.version)];
    await audit.commit(chainOf(batch.tenantId), { bus: [], changes, events: [said()] });
    expect(await repeat(await exported(batch))).toEqual({ named: 1, repeated: 1 });
    const after = await storage.tables.find(dataKeyTable, { keyId });
    expect(after && seedAt(dataKeys.open(after).seeds, { depth: 20, index: 0 })).toBeUndefined();
  });
});
