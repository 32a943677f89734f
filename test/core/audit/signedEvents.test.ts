/** What the service answers from: events as they were signed, and open members that are there. */
import { beforeEach, expect, test } from 'vitest';
import { exportAudit, type SealedEvent, signCheckpoint, signedEvents } from '#core/audit';
import { buildChain, clock, erase, exportLines, type Fixture } from './chainFixture.ts';
import { TENANT } from './drafts.ts';

const ALTERED = { code: 'evidence-altered' };
let fixture: Fixture;
beforeEach(async () => {
  fixture = await buildChain(9);
});

const reading = () => signedEvents({ audit: fixture.store, keyRing: fixture.ring });
async function at(seq: number): Promise<SealedEvent> {
  const event = await fixture.store.findBySeq(TENANT, seq);
  if (event === undefined) throw new Error(`no event ${seq}`);
  return event;
}

test('an event as it was signed is read', async () => {
  expect(await reading().read(TENANT, await at(4))).toMatchObject({ seq: 4 });
});

test('a changed event, or one in the place of another, is refused', async () => {
  const event = await at(4);
  const body = event.body.replace('"seq":4', '"seq":5');
  for (const changed of [
    { ...event, body },
    { ...(await at(5)), seq: 4 },
  ]) {
    await expect(reading().read(TENANT, changed)).rejects.toMatchObject(ALTERED);
  }
});

test('open members may be gone where an entry says so, and nowhere else', async () => {
  const events = reading();
  await erase(fixture, 4);
  expect(await events.read(TENANT, await at(4))).toMatchObject({ seq: 4 });
  await fixture.store.eraseOpen(TENANT, 5);
  await expect(events.read(TENANT, await at(5))).rejects.toMatchObject(ALTERED);
  await erase(fixture, 5);
  expect(await events.read(TENANT, await at(5))).toMatchObject({ seq: 5 });
});

test('many are read together, and one that was changed refuses them all', async () => {
  const events = reading();
  await erase(fixture, 4);
  const all = await Promise.all([3, 4, 5].map(at));
  expect(await events.readAll(TENANT, all)).toMatchObject([{ seq: 3 }, { seq: 4 }, { seq: 5 }]);
  await fixture.store.eraseOpen(TENANT, 5);
  const gone = await Promise.all([3, 4, 5].map(at));
  await expect(events.readAll(TENANT, gone)).rejects.toMatchObject(ALTERED);
  const moved = all.map((one) => (one.seq === 3 ? { ...one, seq: 2 } : one));
  await expect(events.readAll(TENANT, moved)).rejects.toMatchObject(ALTERED);
});

test('the entry of an erasure counts only as it was signed', async () => {
  await erase(fixture, 4);
  await fixture.store.eraseOpen(TENANT, 5);
  const { events } = fixture.store.chain(TENANT);
  const entry = await at(10);
  const body = entry.body.replace('"erased_seq":4', '"erased_seq":5');
  expect(body).not.toBe(entry.body);
  events[9] = { ...entry, body };
  await expect(reading().read(TENANT, await at(5))).rejects.toMatchObject(ALTERED);
});

test('a head behind a known checkpoint, or beside it, is never signed by an export', async () => {
  const { signer, store } = fixture;
  const checkpoint = signCheckpoint(TENANT, await store.head(TENANT), { at: clock.now(), signer });
  const written = async () => {
    const lines: string[] = [];
    for await (const line of exportAudit({ ...fixture, clock, known: [checkpoint] })) {
      lines.push(line);
    }
    return lines;
  };
  expect(await written()).toHaveLength(11);
  const whole = store.chain(TENANT).events;
  store.chain(TENANT).events = whole.slice(0, 6);
  // As it was: the cut tail is under a fresh signature, and looks whole.
  expect(await exportLines(fixture)).toHaveLength(8);
  await expect(written()).rejects.toMatchObject({
    code: 'audit-chain-behind',
    message: expect.stringContaining('head is seq 6, seq 9 was signed before'),
  });
  store.chain(TENANT).events = (await buildChain(9, { seed: 'b' })).store.chain(TENANT).events;
  await expect(written()).rejects.toMatchObject({ code: 'audit-chain-behind' });
});
