/**
 * One process of concurrentWriters.test.ts: `node writeEvents.ts DATA_DIR NAME WRITERS EVENTS`.
 * Each writer commits its events one after the other, over five chains in turn, with an idempotency
 * record each; at the end it prints what was acknowledged.
 */
import { createAuditLog } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemRandom, uuidV7 } from '../../../src/platform/random.ts';
import { openStorage } from '../../../src/storage/index.ts';
import { chainName, commitOf, draft, seededSigner } from './drafts.ts';

const [dataDir = '', name = '', writers = '1', events = '1'] = process.argv.slice(2);
const storage = await openStorage({ dataDir, clock: systemClock });
const log = createAuditLog({
  store: storage.audit,
  signer: seededSigner('a'),
  clock: systemClock,
  random: systemRandom,
  holder: name,
});

const acknowledged: [ChainId, number, string][] = [];
const startedAt = performance.now();
async function write(writer: number): Promise<void> {
  for (let n = 0; n < Number(events); n++) {
    const chainId = chainName((writer + n) % 5);
    const eventId = uuidV7(Date.now(), systemRandom);
    const one = { ...draft(3), eventId: eventId as ReturnType<typeof draft>['eventId'] };
    const { events: sealed } = await log.commit(
      chainId,
      commitOf([one], {
        idempotency: ([event]) => ({
          scope: `${name}/${writer}/${n}`,
          fingerprint: 'f',
          createdAt: systemClock.now(),
          answer: { kind: 'event', status: 200, seq: event?.seq ?? 0, tookMs: 1 },
        }),
      }),
    );
    acknowledged.push([chainId, sealed[0]?.seq ?? 0, eventId]);
  }
}
await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)));
const tookMs = performance.now() - startedAt;
await log.close();
await storage.close();
process.stdout.write(JSON.stringify({ tookMs, acknowledged }));
