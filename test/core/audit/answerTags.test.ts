/** Stored answers: only what this installation wrote, as it wrote it, is repeated. */
import { expect, test } from 'vitest';
import { answerTags, createAuditLog, entry, type IdempotencyRecord } from '#core/audit';
import { chainOf } from '#core/kernel';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import { secretBox } from '#platform/secretBox';
import { createIdempotencyGate } from '../../../src/api/middleware/idempotency.ts';
import type { StoreHarness } from '../../storage/contract/harness.ts';
import { onEachStore } from '../../storage/eachStore.ts';

const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as never;
const boxOf = (byte: number) => secretBox([new Uint8Array(32).fill(byte)], systemRandom);
const tags = answerTags(boxOf(3));

const BODY: IdempotencyRecord = {
  answer: {
    body: '{"decision":"MATCH"}',
    contentType: 'application/json',
    kind: 'body',
    status: 200,
  },
  createdAt: 1_000_000 as never,
  fingerprint: 'f'.repeat(64),
  scope: 's'.repeat(64),
};
const EVENT: IdempotencyRecord = {
  ...BODY,
  answer: { kind: 'event', seq: 7, status: 200, tookMs: 3 },
};

test.each<[string, IdempotencyRecord, { answer?: object; [member: string]: unknown }]>([
  ['another body', BODY, { answer: { body: '{"decision":"CLEAR"}' } }],
  ['another media type', BODY, { answer: { contentType: 'text/html' } }],
  ['another status', BODY, { answer: { status: 201 } }],
  ['no tag', BODY, { answer: { tag: undefined } }],
  ['a tag of nothing', BODY, { answer: { tag: '' } }],
  ['another scope', BODY, { scope: 't'.repeat(64) }],
  ['another request', BODY, { fingerprint: 'e'.repeat(64) }],
  ['a later time', BODY, { createdAt: 2_000_000 }],
  ['the event of another screening', EVENT, { answer: { seq: 8 } }],
  ['another duration', EVENT, { answer: { tookMs: 4 } }],
  ['a body instead of an event', EVENT, { answer: { body: '', contentType: '', kind: 'body' } }],
])('%s is not the installation’s', (_, record, change) => {
  const own = tags.tagged(record);
  expect(tags.isOwn(own)).toBe(true);
  const forged = { ...own, ...change, answer: { ...own.answer, ...change.answer } };
  expect(tags.isOwn(forged as IdempotencyRecord)).toBe(false);
});

test('a tag of another key is none; one of a former key is one', () => {
  const former = answerTags(boxOf(4)).tagged(BODY);
  expect(tags.isOwn(former)).toBe(false);
  const both = secretBox(
    [3, 4].map((byte) => new Uint8Array(32).fill(byte)),
    systemRandom,
  );
  expect(answerTags(both).isOwn(former)).toBe(true);
});

onEachStore((makeHarness) => {
  /** Writes the answer of a request, and asks for it again as a gateway does. */
  async function answered(harness: StoreHarness, answers?: typeof tags) {
    const { clock } = harness;
    const storage = await harness.open();
    const signer = signerFromSeed(new Uint8Array(32).fill(7));
    const [random, store] = [systemRandom, storage.audit];
    const log = createAuditLog({
      clock,
      holder: 'test',
      random,
      signer,
      store,
      ...(answers && { answers }),
    });
    await log.commit(chainOf(TENANT), {
      bus: [],
      changes: [],
      events: [entry({ clock, random }, { action: 'webhook.tested', actor: 'cron', target: 'x' })],
      idempotency: () => ({ ...BODY, createdAt: clock.now() }),
    });
    const gate = createIdempotencyGate({ answers: tags, clock, store });
    const found = gate.find(BODY);
    await found.catch(() => undefined);
    await log.close();
    await storage.close();
    await harness.dispose();
    return found;
  }

  test('what the log has written is found', async () => {
    expect(await answered(await makeHarness(), tags)).toMatchObject({
      fingerprint: BODY.fingerprint,
    });
  });

  test('what somebody else has written is refused', async () => {
    const forged = answered(await makeHarness(), { ...tags, tagged: (record) => record });
    await expect(forged).rejects.toMatchObject({ code: 'state-altered' });
  });
});
