/** A crash in the middle of everything, and clients that send the very same requests again. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { eventOf, Load, RAISED, readiness, type Sent, send } from './load.ts';
import { cleanUp, type FirstRun, isRedisHere, newFolder, startProduct } from './product.ts';

const KILLS = 2;
const CLIENTS = 16;
const UNTIL = { interval: 20, timeout: 120_000 };

/** A request that was answered gets that answer once more; one that was not gets an answer now. */
async function sendAgain(first: FirstRun, one: Sent): Promise<void> {
  const again = await send(first, one);
  assert(again !== undefined, 'no answer');
  expect(again.status).toBe(200);
  if (one.reply !== undefined) expect(again).toEqual({ ...one.reply, isReplay: true });
  one.reply = again;
}

describe.skipIf(!isRedisHere)('kill -9 of the gateway under load', () => {
  afterAll(cleanUp);

  test('then the same keys and bodies again: each key has one event, and one answer', async () => {
    const product = startProduct(join(newFolder(), 'data'));
    const first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
    const sent: Sent[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const load = new Load(first, CLIENTS);
      await vi.waitUntil(() => load.answered().length >= 50 * kill, UNTIL);
      const { gateway } = await product.children();
      assert(gateway !== undefined);
      // Answers come in groups: at times nobody waits for one.
      await vi.waitUntil(() => load.open().length >= CLIENTS / 2, { ...UNTIL, interval: 1 });
      process.kill(gateway, 'SIGKILL');
      await load.end();
      expect(load.open().length).toBeGreaterThan(0);
      sent.push(...load.sent);
      await vi.waitUntil(async () => (await readiness(first)) === 200, UNTIL);
    }

    await Promise.all(sent.map((one) => sendAgain(first, one)));
    const events = sent.map(({ reply }) => reply && eventOf(reply));
    expect(new Set(events.map((event) => event?.screeningId)).size).toBe(sent.length);

    const out = join(newFolder(), 'evidence.jsonl');
    await product.cli('audit', 'export', '--tenant', first.tenant_id, '--out', out);
    await product.cli('keys', 'public', '--out', `${out}.keys`);
    const report = await product.cli('audit', 'verify', '--file', out, '--keys', `${out}.keys`);
    expect(report).toMatchObject({ code: 0, stderr: '' });
    const exported = readFileSync(out, 'utf8').match(/"screening_id":"[^"]+"/g) ?? [];
    const expected = events.map((event) => `"screening_id":"${event?.screeningId}"`);
    expect(exported.sort()).toEqual(expected.sort());
    expect((await product.interrupt()).code).toBe(0);
  });
});
