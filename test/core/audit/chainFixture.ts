/** Whole chains as exports, for the tests that break them. */
import {
  createAuditLog,
  ERASED_ACTION,
  entry,
  exportAudit,
  type KeyRing,
  newKeyRing,
  type VerifyOptions,
  type VerifyReport,
  verifyExport,
} from '#core/audit';
import type { ChainId } from '#core/kernel';
import type { Signer } from '../../../src/platform/crypto.ts';
import { clockAt, commitOf, draft, seededRandom, seededSigner, TENANT } from './drafts.ts';
import { MemoryAuditStore } from './memoryAuditStore.ts';

export interface Fixture {
  readonly store: MemoryAuditStore;
  readonly signer: Signer;
  readonly ring: KeyRing;
  readonly chainId: ChainId;
}

export const clock = clockAt('2026-05-04T09:00:00.000Z');

export async function buildChain(
  count: number,
  options: { chainId?: ChainId; seed?: string } = {},
): Promise<Fixture> {
  const store = new MemoryAuditStore();
  const signer = seededSigner(options.seed ?? 'a');
  const chainId = options.chainId ?? TENANT;
  await extendChain({ store, signer, chainId }, 1, count);
  return { store, signer, ring: newKeyRing(signer.publicKey), chainId };
}

export async function extendChain(
  fixture: Pick<Fixture, 'store' | 'signer' | 'chainId'>,
  from: number,
  to: number,
): Promise<void> {
  const random = seededRandom(`salts ${from} ${fixture.signer.keyId}`);
  const log = createAuditLog({ ...fixture, clock, random, holder: 'fixture' });
  const drafts = Array.from({ length: to - from + 1 }, (_, index) => draft(from + index));
  if (drafts.length > 0) await log.commit(fixture.chainId, commitOf(drafts));
  await log.close();
}

/** Takes open members away as the service does: an entry that names the event comes first. */
export async function erase(
  fixture: Pick<Fixture, 'store' | 'signer' | 'chainId'>,
  ...seqs: readonly number[]
): Promise<void> {
  const random = seededRandom(`erasures ${seqs.join()}`);
  const log = createAuditLog({ ...fixture, clock, random, holder: 'erasing' });
  const events = seqs.map((seq) =>
    entry(
      { clock, random },
      {
        action: ERASED_ACTION,
        actor: 'cli:test',
        members: { erased_seq: seq },
        open: { reason: 'asked for' },
        target: `event ${seq}`,
      },
    ),
  );
  if (events.length > 0) await log.commit(fixture.chainId, commitOf(events));
  await log.close();
  for (const seq of seqs) await fixture.store.eraseOpen(fixture.chainId, seq);
}

/** Without line feeds. Line 0 is the header, line n the event of seq n, the last a checkpoint. */
export async function exportLines(fixture: Omit<Fixture, 'ring'>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportAudit({ ...fixture, clock })) lines.push(line.slice(0, -1));
  return lines;
}

export function verifyLines(
  lines: readonly string[],
  options: Omit<VerifyOptions, 'input'>,
): Promise<VerifyReport> {
  return verifyExport({
    ...options,
    input: [Buffer.from(lines.map((one) => `${one}\n`).join(''))],
  });
}
