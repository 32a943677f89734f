/** A screening of ten years ago is, on every route, as one that never was. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAIN_MEMBERS, type EventDraft } from '#core/audit';
import { chainOf, type EventId, type ScreeningId, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { systemRandom, uuidV7 } from '#platform/random';
import { replayTable, type ScreeningReplay } from '#slices/sanctions';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';

const LISTED = 'Tarek Velmorani';
const DAY_MS = 24 * 3_600_000;

let gateway: RealGateway;
let tenantId: TenantId;
let caller: Caller;
beforeAll(async () => {
  if (!hasRedis) return;
  gateway = await openRealGateway('node:http');
  tenantId = await gateway.tenant('sandbox');
  caller = await gateway.caller(tenantId, 'agent_l2', 'mlro', 'auditor');
});
afterAll(() => gateway?.close());

/** What was screened now, as if it had been then, and repeated; ids of both. */
async function screenedAt(occurredAt: EpochMs) {
  const { audit, clock, storage } = gateway.installation;
  const answer = await caller.screen({ name: LISTED });
  const { hits, screening_id } = answer.json<{
    readonly screening_id: ScreeningId;
    readonly hits: readonly { readonly candidate: { readonly ftm_id: string } }[];
  }>();
  const event = await storage.audit.findByScreening(chainOf(tenantId), screening_id);
  const members = JSON.parse(event?.body ?? '') as Record<string, never>;
  const { query_normalized } = JSON.parse(event?.open ?? '') as { query_normalized: never };
  const screeningId = uuidV7(clock.now(), systemRandom) as string as ScreeningId;
  const own = Object.entries(members).filter(([name]) => !CHAIN_MEMBERS.has(name));
  const draft: EventDraft = {
    decision: event?.decision ?? '',
    eventId: uuidV7(clock.now(), systemRandom) as string as EventId,
    members: { ...Object.fromEntries(own), screening_id: screeningId },
    occurredAt,
    open: query_normalized,
    screeningId,
    type: 'screening',
  };
  const replay: ScreeningReplay = {
    replayId: uuidV7(clock.now(), systemRandom),
    requestedAt: occurredAt,
    requestedBy: 'cli:test',
    screeningId,
    status: 'queued',
    tenantId,
    version: 1,
  };
  const changes = [replayTable.insert(replay)];
  await audit.commit(chainOf(tenantId), { bus: [], changes, events: [draft] });
  return { ftmId: hits[0]?.candidate.ftm_id ?? '', replayId: replay.replayId, screeningId };
}

/** Problems, or statuses, of all that is answered about a screening. */
async function answersOf(of: Awaited<ReturnType<typeof screenedAt>>) {
  const { ftmId, replayId, screeningId } = of;
  const path = `/v1/sanctions/screenings/${screeningId}`;
  const asked = [
    await caller.get(path),
    await caller.get(`${path}/audit`),
    await caller.get(`${path}/hits`),
    await caller.get(`${path}/replays/${replayId}`),
    await caller.get(`${path}/export.pdf`),
    await caller.post(`${path}/replay`),
    await caller.send(`${path}/hits/${ftmId}`, {
      body: JSON.stringify({ decision: 'true_positive', notes: 'It is them' }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      method: 'PATCH',
    }),
  ];
  return asked.map((answer) => (answer.status >= 400 ? answer.problem() : answer.status));
}

test.skipIf(!hasRedis)('on the day it is ten years old every route answers 404', async () => {
  const now = gateway.installation.clock.now();
  const then = new Date(now);
  then.setUTCFullYear(then.getUTCFullYear() - 10);
  const old = await screenedAt(then.getTime() as EpochMs);
  const younger = await screenedAt((then.getTime() + DAY_MS) as EpochMs);
  const unknown = { ...old, screeningId: uuidV7(now, systemRandom) as string as ScreeningId };
  const answers = await answersOf(old);
  expect(answers).toEqual(await answersOf(unknown));
  for (const answer of answers.slice(0, -1)) expect(answer).toMatchObject({ status: 404 });
  const read = (await answersOf(younger)).slice(0, 4);
  expect(read).toEqual([200, 200, 200, 200]);
});
