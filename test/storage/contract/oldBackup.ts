/**
 * A store that is older than what was signed, as an old backup is: nothing is signed behind it, and
 * the documented way on leaves no number used twice. The checkpoints beside the store know more
 * than it; to a process that is the same as a store that was set back.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  appendCheckpoint,
  checkpointCopies,
  createAuditLog,
  createHeadGuard,
  exportAudit,
  guardedStore,
  newKeyRing,
  RESUME_SKIP_SEQS,
  resumeChain,
  signCheckpoint,
  verifyExport,
  writeCheckpoints,
} from '#core/audit';
import { DomainError } from '#core/kernel';
import { systemRandom } from '#platform/random';
import type { Storage } from '../../../src/storage/index.ts';
import { commitOf, draft, seededSigner, TENANT } from '../../core/audit/drafts.ts';
import type { MakeHarness, StoreHarness } from './harness.ts';

const LOST_SEQ = 10;
const GOES_ON = LOST_SEQ + RESUME_SKIP_SEQS + 1;

export function oldBackupContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: an old backup`, () => {
    const signer = seededSigner('backup');
    const keyRing = newKeyRing(signer.publicKey);
    let directory: string;
    let harness: StoreHarness;
    let storage: Storage;
    let close: () => Promise<void>;

    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'checkpoints-'));
      harness = await makeHarness();
      storage = await harness.open();
      close = async () => undefined;
    });
    afterEach(async () => {
      await close();
      await storage.close();
      await harness.dispose();
      await rm(directory, { force: true, recursive: true });
    });

    /** A process of the installation. */
    function start() {
      const parts = { clock: harness.clock, directory, keyRing, signer };
      const guard = createHeadGuard({ ...parts, store: storage.audit });
      const store = guardedStore(storage.audit, guard);
      const log = createAuditLog({ ...parts, holder: 'one', random: systemRandom, store });
      close = () => log.close();
      return { guard, log, parts };
    }
    const commit = async (log: ReturnType<typeof start>['log'], n: number) =>
      (await log.commit(TENANT, commitOf([draft(n)]))).events[0]?.seq;
    const attested = (seq: number, hash = '7'.repeat(64)) =>
      signCheckpoint(TENANT, { hash, seq }, { at: harness.clock.now(), signer });
    const resume = (parts: ReturnType<typeof start>['parts']) =>
      resumeChain(
        { ...parts, holder: 'cli', random: systemRandom, store: storage.audit },
        { actor: 'cli:test', chainId: TENANT, reason: 'disk lost' },
      );
    async function exported(outside?: ReturnType<typeof attested>) {
      const lines: Buffer[] = [];
      const of = { chainId: TENANT, clock: harness.clock, signer, store: storage.audit };
      for await (const line of exportAudit(of)) lines.push(Buffer.from(line));
      return verifyExport({
        input: lines,
        keys: keyRing,
        ...(outside !== undefined && { checkpoint: outside }),
      });
    }

    test('is not signed behind, and says so', async () => {
      const first = start();
      for (const n of [1, 2, 3]) await commit(first.log, n);
      await first.log.close();
      await appendCheckpoint(directory, TENANT, attested(LOST_SEQ));
      const { guard, log } = start();
      await expect(commit(log, 4)).rejects.toMatchObject({ code: 'audit-chain-behind' });
      expect(await storage.audit.head(TENANT)).toMatchObject({ seq: 3 });
      expect(await guard.behind()).toEqual([
        { chainId: TENANT, reason: 'head is seq 3, seq 10 was signed before' },
      ]);
    });

    test('restored under a running process is not signed behind either', async () => {
      const { guard, log } = start();
      expect(await commit(log, 1)).toBe(1);
      guard.wrote(TENANT, { hash: '7'.repeat(64), seq: 5 });
      harness.clock.advance(60_000);
      await log.close();
      expect(await guard.refuse(TENANT, await storage.audit.head(TENANT))).toBe(
        'head is seq 1, this process wrote seq 5',
      );
    });

    test('that was signed behind by an earlier release is refused', async () => {
      const first = start();
      for (const n of [1, 2, 3]) await commit(first.log, n);
      await first.log.close();
      await appendCheckpoint(directory, TENANT, attested(2));
      await expect(commit(start().log, 4)).rejects.toMatchObject({ code: 'audit-chain-behind' });
    });

    test('is resumed behind a gap that the chain names', async () => {
      const before = start();
      for (const n of [1, 2, 3]) await commit(before.log, n);
      await before.log.close();
      await appendCheckpoint(directory, TENANT, attested(LOST_SEQ));
      const { guard, log, parts } = start();
      await expect(commit(log, 4)).rejects.toMatchObject({ code: 'audit-chain-behind' });
      expect(await resume(parts)).toMatchObject({
        gap: { fromSeq: 4, untilSeq: GOES_ON - 1 },
        seq: GOES_ON,
      });
      expect(await commit(log, 4)).toBe(GOES_ON + 1);
      expect(await guard.behind()).toEqual([]);
      expect((await storage.audit.findBySeq(TENANT, GOES_ON))?.action).toBe('audit.chain.resumed');
      expect(await storage.audit.findBySeq(TENANT, LOST_SEQ)).toBeUndefined();
      expect(await exported()).toMatchObject({
        events: 5,
        gaps: [{ fromSeq: 4, untilSeq: GOES_ON - 1 }],
        ok: true,
      });
      expect((await exported(attested(LOST_SEQ))).firstBad).toMatchObject({
        reason: 'checkpoint-lost',
        seq: LOST_SEQ,
      });
      const onProblem = (problem: unknown) => expect(problem).toBeUndefined();
      const [written] = await writeCheckpoints({ ...parts, onProblem, store: storage.audit });
      expect(written?.seq).toBe(GOES_ON + 1);
      expect(await exported(written)).toMatchObject({ ok: true });
      await expect(resume(parts)).rejects.toMatchObject({ code: 'state-conflict' });
    });

    test('is known by the copy in a bucket, though the directory went back too', async () => {
      const first = start();
      for (const n of [1, 2, 3]) await commit(first.log, n);
      await first.log.close();
      const notes = new Map<string, string>();
      const copies = checkpointCopies({
        get: async (name) => notes.get(name),
        names: async function* () {
          yield* notes.keys();
        },
        put: async (name, text) => void notes.set(name, text),
      });
      const { parts } = start();
      const onProblem = (problem: unknown) => expect(problem).toBeUndefined();
      const of = { ...parts, copies, onProblem, store: storage.audit };
      const [written] = await writeCheckpoints(of);
      expect(await copies.latest(TENANT)).toEqual(written);
      await copies.save(attested(LOST_SEQ));
      const guard = createHeadGuard({ ...parts, copies, store: storage.audit });
      expect(await guard.refuse(TENANT, await storage.audit.head(TENANT))).toContain('seq 10');
      expect(await guard.behind()).toMatchObject([{ chainId: TENANT }]);
      expect((await guard.known(TENANT))?.seq).toBe(LOST_SEQ);
      // A bucket that is out of reach holds nobody up.
      const unreachable = new DomainError('store-unavailable', { detail: 'the bucket' });
      const away = { ...copies, latest: () => Promise.reject(unreachable) };
      const lenient = createHeadGuard({ ...parts, copies: away, store: storage.audit });
      expect(await lenient.refuse(TENANT, await storage.audit.head(TENANT))).toBeUndefined();
    });

    test('a crash between the entry and its checkpoint leaves the chain resumed', async () => {
      const before = start();
      await commit(before.log, 1);
      await before.log.close();
      await appendCheckpoint(directory, TENANT, attested(LOST_SEQ));
      const { log, parts } = start();
      const lost = { ...storage.audit, saveCheckpoint: () => Promise.reject(new Error('killed')) };
      const elsewhere = { ...parts, directory: `${directory}/elsewhere` };
      await appendCheckpoint(elsewhere.directory, TENANT, attested(LOST_SEQ));
      const ports = { ...elsewhere, holder: 'cli', random: systemRandom, store: lost };
      const request = { actor: 'cli:test', chainId: TENANT, reason: 'disk lost' } as const;
      await expect(resumeChain(ports, request)).rejects.toThrow('killed');
      expect(await commit(log, 2)).toBe(GOES_ON + 1);
    });
  });
}
