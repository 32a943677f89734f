/**
 * Several processes write the same chains through the embedded store: no fork, no gap, nothing
 * acknowledged that is not there, and a verifier that reads meanwhile sees an unbroken chain.
 * AUDIT_WRITERS and AUDIT_EVENTS scale it (64 and 1000 is the full size).
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportAudit, newKeyRing, type VerifyReport, verifyExport } from '#core/audit';
import { systemClock } from '../../../src/platform/clock.ts';
import { openStorage, type Storage } from '../../../src/storage/index.ts';
import { chainName, seededSigner } from './drafts.ts';

const PROCESSES = 3;
const CHAINS = 5;
const WRITERS = Number(process.env.AUDIT_WRITERS ?? 10);
const EVENTS = Number(process.env.AUDIT_EVENTS ?? 15);
const signer = seededSigner('a');
const keys = newKeyRing(signer.publicKey);

let dataDir: string;
let storage: Storage;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'writers-'));
  storage = await openStorage({ dataDir, clock: systemClock });
});
afterAll(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Written {
  readonly tookMs: number;
  readonly acknowledged: readonly [string, number, string][];
}

async function runWriter(name: string): Promise<Written> {
  const script = join(import.meta.dirname, 'writeEvents.ts');
  const args = [script, dataDir, name, String(WRITERS), String(EVENTS)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 28 });
  return JSON.parse(stdout) as Written;
}

function verify(chainId: ReturnType<typeof chainName>): Promise<VerifyReport> {
  async function* bytes() {
    const options = { store: storage.audit, signer, clock: systemClock, chainId };
    for await (const line of exportAudit(options)) yield Buffer.from(line);
  }
  return verifyExport({ input: bytes(), keys });
}

test('three processes, five chains: no fork, no gap, nothing lost', async () => {
  const names = Array.from({ length: PROCESSES }, (_, index) => `gateway-${index}`);
  let isRunning = true;
  const running = Promise.all(names.map(runWriter)).finally(() => {
    isRunning = false;
  });
  const watching = (async () => {
    for (let look = 0; isRunning; look++) {
      expect((await verify(chainName(look % CHAINS))).firstBad).toBeUndefined();
    }
  })();
  const [written] = await Promise.all([running, watching]);

  const acknowledged = written.flatMap((one) => one.acknowledged);
  expect(acknowledged).toHaveLength(PROCESSES * WRITERS * EVENTS);
  let total = 0;
  for (let n = 0; n < CHAINS; n++) {
    const report = await verify(chainName(n));
    expect(report).toMatchObject({ ok: true, erased: 0 });
    expect(report.head.seq).toBe(report.events);
    total += report.events;
  }
  expect(total).toBe(acknowledged.length);
  expect(new Set(acknowledged.map(([chain, seq]) => `${chain} ${seq}`)).size).toBe(total);
  for (const [chainId, seq, eventId] of acknowledged) {
    const found = await storage.audit.findBySeq(chainId as ReturnType<typeof chainName>, seq);
    expect(found?.eventId).toBe(eventId);
  }
  const seconds = Math.max(...written.map((one) => one.tookMs)) / 1000;
  console.info(
    `${Math.round(total / seconds)} events/s over ${CHAINS} chains, ${PROCESSES} processes`,
  );
}, 300_000);
