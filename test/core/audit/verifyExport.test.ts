/** The verifier on good exports, and what it says of bad ones. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Checkpoint,
  exportAudit,
  keyRingOf,
  newKeyRing,
  rotateKeyRing,
  signCheckpoint,
  verifyExport,
} from '#core/audit';
import { jwkSet } from '../../../src/platform/crypto.ts';
import {
  buildChain,
  clock,
  erase,
  exportLines,
  extendChain,
  type Fixture,
  verifyLines,
} from './chainFixture.ts';
import { OTHER_TENANT, seededSigner, TENANT } from './drafts.ts';

let fixture: Fixture;
let lines: string[];
const at = clock.now();

beforeAll(async () => {
  fixture = await buildChain(30);
  lines = await exportLines(fixture);
});

const checkpointAt = (seq: number): Checkpoint => {
  const hash = fixture.store.chain(TENANT).events[seq - 1]?.hash ?? '0'.repeat(64);
  return signCheckpoint(TENANT, { seq, hash }, { at, signer: fixture.signer });
};
const asLine = (checkpoint: Checkpoint) => JSON.stringify({ type: 'checkpoint', checkpoint });

async function* chunked(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

describe('a good export', () => {
  test('verifies, and is counted', async () => {
    const report = await verifyLines(lines, { keys: fixture.ring });
    expect(report).toMatchObject({
      ok: true,
      tenantId: TENANT,
      events: 30,
      erased: 0,
      checkpoints: 1,
    });
    expect(report.head.seq).toBe(30);
    expect(report.firstBad).toBeUndefined();
  });

  test('is read alike in chunks of any size, with or without the last line feed', async () => {
    for (const size of [1, 7, 100, 1 << 20]) {
      for (const end of ['\n', '']) {
        const input = chunked(lines.join('\n') + end, size);
        expect(await verifyExport({ input, keys: fixture.ring })).toMatchObject({
          ok: true,
          events: 30,
        });
      }
    }
  });

  test('verifies with a plain JWK set, and with the ring as its tenant may see it', async () => {
    const plain = jwkSet([fixture.signer.publicKey]);
    expect((await verifyLines(lines, { keys: plain })).ok).toBe(true);
    expect((await verifyLines(lines, { keys: keyRingOf(fixture.ring, TENANT) })).ok).toBe(true);
  });

  test('of an empty chain is a header and a checkpoint of seq 0', async () => {
    const empty = await buildChain(0);
    const two = await exportLines(empty);
    expect(two).toHaveLength(2);
    expect(await verifyLines(two, { keys: empty.ring })).toMatchObject({ ok: true, events: 0 });
  });

  test('is canonical event by event, so that a verifier can compare texts', () => {
    for (const line of lines.slice(1, -1)) {
      const keys = Object.keys((JSON.parse(line) as { event: object }).event);
      expect(keys).toEqual([...keys].sort());
    }
  });

  test('other key order, white space and escapes are the same event', async () => {
    const reordered = lines.map((line) => {
      const value = JSON.parse(line) as Record<string, unknown>;
      const event = value.event as Record<string, unknown> | undefined;
      if (!event) return line;
      const turned = Object.fromEntries(Object.entries(event).reverse());
      return JSON.stringify({ event: turned, type: 'event' }, null, 1).replaceAll('\n', ' ');
    });
    const escaped = reordered.map((line) =>
      line.replaceAll('é', '\\u00e9').replaceAll('type', '\\u0074ype'),
    );
    expect((await verifyLines(reordered, { keys: fixture.ring })).ok).toBe(true);
    expect((await verifyLines(escaped, { keys: fixture.ring })).ok).toBe(true);
  });

  test('more checkpoints in the middle are welcome where they are true', async () => {
    const more = [...lines.slice(0, 11), asLine(checkpointAt(10)), ...lines.slice(11)];
    expect(await verifyLines(more, { keys: fixture.ring })).toMatchObject({
      ok: true,
      checkpoints: 2,
    });
    const wrong = [...lines.slice(0, 11), asLine(checkpointAt(9)), ...lines.slice(11)];
    expect((await verifyLines(wrong, { keys: fixture.ring })).firstBad).toMatchObject({
      reason: 'checkpoint-mismatch',
      line: 12,
    });
  });
});

describe('erasure', () => {
  test('takes the open members away for good, and the chain still verifies', async () => {
    const erasable = await buildChain(12);
    await erase(erasable, 3, 4, 12);
    const left = await exportLines(erasable);
    expect(left[4]).not.toContain('query_normalized');
    expect(left[3]).not.toContain('Zoë');
    expect(await verifyLines(left, { keys: erasable.ring })).toMatchObject({
      ok: true,
      events: 15,
      erased: 3,
    });
  });

  test('without an entry that says so is none: the first event is named', async () => {
    const stripped = await buildChain(110);
    for (let seq = 1; seq <= 110; seq++) await stripped.store.eraseOpen(TENANT, seq);
    const report = await verifyLines(await exportLines(stripped), { keys: stripped.ring });
    expect(report).toMatchObject({ erased: 110, events: 110, ok: false });
    expect(report.firstBad).toMatchObject({ line: 2, reason: 'erasure-missing', seq: 1 });
  });

  test('of others than the entries name is found among those', async () => {
    const some = await buildChain(20);
    await erase(some, 2, 5, 9);
    await some.store.eraseOpen(TENANT, 7);
    const report = await verifyLines(await exportLines(some), { keys: some.ring });
    expect(report.firstBad).toMatchObject({ line: 8, reason: 'erasure-missing', seq: 7 });
  });

  test('that happens while the chain is exported stands in the export with its entry', async () => {
    const busy = await buildChain(450);
    const written: string[] = [];
    for await (const line of exportAudit({ ...busy, clock })) {
      if (written.length === 100) await erase(busy, 400);
      written.push(line.slice(0, -1));
    }
    const report = await verifyLines(written, { keys: busy.ring });
    expect(report).toMatchObject({ erased: 1, events: 451, ok: true });
  });

  test('half an erasure is none', async () => {
    for (const name of ['query_salt', 'query_normalized']) {
      const event = (JSON.parse(lines[1] ?? '') as { event: Record<string, unknown> }).event;
      delete event[name];
      const half = lines.with(1, JSON.stringify({ type: 'event', event }));
      expect((await verifyLines(half, { keys: fixture.ring })).firstBad).toMatchObject({
        reason: 'commitment-mismatch',
        seq: 1,
      });
    }
  });
});

describe('an export that begins late', () => {
  test('begins with its checkpoint and verifies', async () => {
    const late: string[] = [];
    for await (const line of exportAudit({ ...fixture, clock, after: checkpointAt(20) }))
      late.push(line.slice(0, -1));
    expect(late).toHaveLength(13);
    expect(await verifyLines(late, { keys: fixture.ring })).toMatchObject({
      ok: true,
      events: 10,
      head: { seq: 30 },
    });
    const unanchored = late.toSpliced(1, 1);
    expect((await verifyLines(unanchored, { keys: fixture.ring })).firstBad).toMatchObject({
      reason: 'start-unanchored',
    });
    const elsewhere = late.with(1, asLine(checkpointAt(19)));
    expect((await verifyLines(elsewhere, { keys: fixture.ring })).firstBad).toMatchObject({
      reason: 'start-unanchored',
    });
    const before = await verifyLines(late, { keys: fixture.ring, checkpoint: checkpointAt(10) });
    expect(before.firstBad).toMatchObject({ reason: 'checkpoint-uncovered' });
    const same = await verifyLines(late, { keys: fixture.ring, checkpoint: checkpointAt(20) });
    expect(same.ok).toBe(true);
  });
});

describe('a checkpoint from outside', () => {
  test('agrees with the chain it was taken of, at any seq', async () => {
    for (const seq of [1, 17, 30]) {
      const report = await verifyLines(lines, {
        keys: fixture.ring,
        checkpoint: checkpointAt(seq),
      });
      expect(report.ok).toBe(true);
    }
  });

  test('shows an old backup: the chain is smaller than the checkpoint', async () => {
    const backup = await buildChain(25);
    const report = await verifyLines(await exportLines(backup), {
      keys: fixture.ring,
      checkpoint: checkpointAt(30),
    });
    expect(report.firstBad).toMatchObject({ reason: 'tail-missing', seq: 26 });
    expect(report.firstBad?.detail).toContain('smaller than the checkpoint');
  });

  test('shows a chain that was written anew with the key', async () => {
    const forged = await buildChain(30);
    forged.store.chain(TENANT).events.splice(19);
    await extendChain(forged, 21, 31);
    const report = await verifyLines(await exportLines(forged), {
      keys: fixture.ring,
      checkpoint: checkpointAt(30),
    });
    expect(report.firstBad).toMatchObject({ reason: 'checkpoint-mismatch', seq: 30 });
  });

  test('is itself checked: another chain, another key, a changed member', async () => {
    const other = signCheckpoint(
      OTHER_TENANT,
      { seq: 1, hash: '0'.repeat(64) },
      { at, signer: fixture.signer },
    );
    const stranger = signCheckpoint(TENANT, checkpointAt(3), { at, signer: seededSigner('x') });
    const changed = { ...checkpointAt(3), seq: 4 };
    for (const checkpoint of [other, stranger, changed]) {
      const report = await verifyLines(lines, { keys: fixture.ring, checkpoint });
      expect(report.firstBad).toMatchObject({ reason: 'checkpoint-invalid' });
    }
  });
});

describe('keys', () => {
  test('a rotated chain verifies: each key held in its range', async () => {
    const rotated = await buildChain(10);
    const next = seededSigner('b');
    const ring = rotateKeyRing(rotated.ring, next.publicKey, [{ chainId: TENANT, seq: 10 }]);
    await extendChain({ ...rotated, signer: next }, 11, 20);
    const both = await exportLines({ ...rotated, signer: next });
    expect(await verifyLines(both, { keys: ring })).toMatchObject({ ok: true, events: 20 });
    expect((await verifyLines(both, { keys: rotated.ring })).firstBad).toMatchObject({
      reason: 'key-unknown',
      seq: 11,
    });
  });

  test('a retired key signs nothing new, on old chains and on chains that came later', async () => {
    const old = await buildChain(10);
    const ring = rotateKeyRing(old.ring, seededSigner('b').publicKey, [
      { chainId: TENANT, seq: 8 },
    ]);
    expect((await verifyLines(await exportLines(old), { keys: ring })).firstBad).toMatchObject({
      reason: 'key-not-held',
      seq: 9,
    });
    const later = await buildChain(3, { chainId: OTHER_TENANT });
    expect((await verifyLines(await exportLines(later), { keys: ring })).firstBad).toMatchObject({
      reason: 'key-not-held',
      seq: 1,
    });
  });

  test('a new key did not hold before its time', async () => {
    const early = await buildChain(3, { seed: 'b' });
    const ring = rotateKeyRing(newKeyRing(seededSigner('a').publicKey), early.signer.publicKey, [
      { chainId: TENANT, seq: 2 },
    ]);
    expect((await verifyLines(await exportLines(early), { keys: ring })).firstBad).toMatchObject({
      reason: 'key-not-held',
      seq: 1,
    });
  });

  test('a key under another name, twice, or unreadable is refused', async () => {
    const [key] = fixture.ring.keys;
    for (const keys of [
      undefined,
      { keys: [] },
      { keys: [{ ...key, kid: 'k1' }] },
      { keys: [key, key] },
      { keys: [{ ...key, held: { default: { from: 0, until: null } } }] },
      { keys: [{ ...key, x: 'AAAA' }] },
    ]) {
      await expect(verifyLines(lines, { keys })).rejects.toThrow(/key/);
    }
  });
});

describe('what is no export', () => {
  test.each([
    ['nothing', '', 'header-missing'],
    ['no header', '{"type":"event","event":{}}', 'header-missing'],
    [
      'another version',
      '{"type":"export","version":2,"tenant_id":"t","from_seq":1}',
      'version-unknown',
    ],
    ['no tenant', '{"type":"export","version":1,"from_seq":1}', 'header-missing'],
    ['no JSON', 'hello', 'line-malformed'],
  ])('%s', async (_name, text, reason) => {
    const report = await verifyExport({ input: [Buffer.from(text)], keys: fixture.ring });
    expect(report.firstBad).toMatchObject({ reason });
  });

  test.each([
    ['a line of another type', '{"type":"note"}'],
    ['a member beside the event', '{"type":"event","event":{},"note":1}'],
    ['an event that is none', '{"type":"event","event":[]}'],
    ['an empty line', ''],
    ['200,000 brackets', '['.repeat(200_000)],
  ])('%s in the middle is bad at its place', async (_name, line) => {
    const report = await verifyLines(lines.toSpliced(6, 0, line), { keys: fixture.ring });
    expect(report.firstBad).toMatchObject({ line: 7, seq: 6 });
    expect(report.firstBad?.reason).toMatch(/^(line|event)-malformed$/);
  });

  test('the same member twice has two readings, and is refused', async () => {
    const doubled = lines.with(
      2,
      (lines[2] ?? '').replace('"verdict":', '"verdict":{"decision":"CLEAR"},"verdict":'),
    );
    expect((await verifyLines(doubled, { keys: fixture.ring })).firstBad).toMatchObject({
      reason: 'line-malformed',
      seq: 2,
    });
  });

  test('a broken byte that decoders replace alike is refused', async () => {
    const text = lines.join('\n').replaceAll('Zoë', 'Zo\ufffd');
    const bytes = Buffer.from(text, 'utf8');
    const place = bytes.indexOf(Buffer.from('\ufffd'));
    const broken = Buffer.concat([
      bytes.subarray(0, place),
      Buffer.from([0xff]),
      bytes.subarray(place + 3),
    ]);
    const report = await verifyExport({ input: [broken], keys: fixture.ring });
    expect(report.firstBad).toMatchObject({ reason: 'line-malformed', seq: 3 });
  });
});
