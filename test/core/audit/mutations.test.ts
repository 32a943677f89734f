/**
 * The mutation matrix: whatever is done to an export, the verifier finds it, and at its place; and
 * a hundred clean chains raise no alarm.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  commitmentOf,
  eventHash,
  newKeyRing,
  rotateKeyRing,
  signatureMessage,
  signCheckpoint,
} from '#core/audit';
import { canonicalJson } from '../../../src/platform/canonicalJson.ts';
import type { Signer } from '../../../src/platform/crypto.ts';
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

type Event = Record<string, unknown>;

const COUNT = 1000;
let fixture: Fixture;
let lines: string[];

beforeAll(async () => {
  fixture = await buildChain(COUNT);
  lines = await exportLines(fixture);
});

const eventOf = (line: string | undefined): Event =>
  (JSON.parse(line ?? '') as { event: Event }).event;
const lineOf = (event: Event): string => `{"type":"event","event":${canonicalJson(event)}}`;

/**
 * Verifies a window of the chain around the mutation: the export is cut by a checkpoint in front,
 * so that thousands of mutations do not hash a thousand events each.
 */
async function verifyAround(seq: number, mutate: (window: string[]) => string[]) {
  const from = Math.max(1, seq - 3);
  const to = Math.min(COUNT, seq + 3);
  const { events } = fixture.store.chain(TENANT);
  const checkpoint = (at: number) =>
    JSON.stringify({
      type: 'checkpoint',
      checkpoint: signCheckpoint(
        TENANT,
        { seq: at, hash: events[at - 1]?.hash ?? '0'.repeat(64) },
        { at: clock.now(), signer: fixture.signer },
      ),
    });
  const header = JSON.stringify({ type: 'export', version: 1, tenant_id: TENANT, from_seq: from });
  const front = from > 1 ? [header, checkpoint(from - 1)] : [header];
  const window = [...front, ...mutate(lines.slice(from, to + 1)), checkpoint(to)];
  return verifyLines(window, { keys: fixture.ring });
}

/** Every value inside, with how to replace it. */
function* places(
  value: unknown,
  path: readonly string[] = [],
): Generator<[readonly string[], unknown]> {
  if (typeof value !== 'object' || value === null) {
    yield [path, value];
    return;
  }
  if (Object.keys(value).length === 0) yield [path, value];
  for (const [key, member] of Object.entries(value)) yield* places(member, [...path, key]);
}

function replaced(root: Event, path: readonly string[], next: unknown): Event {
  const copy = structuredClone(root);
  let at: Record<string, unknown> = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  if (next === undefined && Array.isArray(at)) at.splice(Number(last), 1);
  else if (next === undefined) delete at[last];
  else at[last] = next;
  return copy;
}

/** Another value of the same type, another type of the same value, and none. */
function* variants(value: unknown): Generator<unknown> {
  yield undefined;
  if (typeof value === 'string') {
    for (const at of new Set([0, value.length >> 1, value.length - 1])) {
      const code = value.charCodeAt(at);
      if (Number.isNaN(code)) continue;
      yield value.slice(0, at) + String.fromCharCode(code ^ 1) + value.slice(at + 1);
    }
    yield `${value} `;
    yield value.toUpperCase() === value ? value.toLowerCase() : value.toUpperCase();
    yield [value];
    if (value !== '' && Number.isFinite(Number(value))) yield Number(value);
  } else if (typeof value === 'number') {
    yield* [value + 1, -value - 1, value + 2 ** -20, String(value), null];
  } else if (typeof value === 'boolean') {
    yield* [!value, String(value), value ? 1 : 0];
  } else {
    yield* [false, 'null', 0, { added: 1 }];
  }
}

describe('one event changed', () => {
  test('every member of a screening and of an entry, every way: found at its seq', async () => {
    let count = 0;
    for (const seq of [1, 500, 501, COUNT]) {
      const event = eventOf(lines[seq]);
      for (const [path, value] of places(event)) {
        for (const variant of variants(value)) {
          if (canonicalJson(variant ?? null) === canonicalJson(value) && variant !== undefined)
            continue;
          const changed = lineOf(replaced(event, path, variant));
          const own = seq - Math.max(1, seq - 3);
          const { ok, firstBad } = await verifyAround(seq, (window) => window.with(own, changed));
          expect({ path, variant, ok, seq: firstBad?.seq }).toEqual({
            path,
            variant,
            ok: false,
            seq,
          });
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(600);
  });

  test('every bit of the line: found, or the line says the same', async () => {
    const seq = 501;
    const bytes = Buffer.from(lines[seq] ?? '');
    const same = canonicalJson(JSON.parse(bytes.toString('utf8')));
    let kept = 0;
    for (let bit = 0; bit < bytes.length * 8; bit += 13) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      // Broken UTF-8 as decoders mend it; verifyExport.test.ts leaves it broken.
      const { ok } = await verifyAround(seq, (window) => window.with(3, flipped.toString('utf8')));
      if (ok) expect(canonicalJson(JSON.parse(flipped.toString('utf8')))).toBe(same);
      if (ok) kept++;
    }
    expect(kept).toBe(0);
  });

  test('an added member is found', async () => {
    for (const extra of [{ note: 1 }, { query_hint: null }, { details_extra: 'x' }, { '': 0 }]) {
      const added = lineOf({ ...eventOf(lines[500]), ...extra });
      const { firstBad } = await verifyAround(500, (window) => window.with(3, added));
      expect(firstBad).toMatchObject({ reason: 'hash-mismatch', seq: 500 });
    }
  });

  test('a personal member exchanged with its own salt and commitment is found', async () => {
    const event = eventOf(lines[500]);
    const salt = Buffer.alloc(16);
    const open = { name: 'somebody else' };
    const forged = {
      ...event,
      query_normalized: open,
      query_salt: salt.toString('base64'),
      query_commitment: commitmentOf(salt, canonicalJson(open)),
    };
    const { firstBad } = await verifyAround(500, (window) => window.with(3, lineOf(forged)));
    expect(firstBad).toMatchObject({ reason: 'hash-mismatch', seq: 500 });
  });

  test('other key order is no alarm', async () => {
    for (const seq of [1, 500, COUNT]) {
      const turned = Object.fromEntries(Object.entries(eventOf(lines[seq])).reverse());
      const line = JSON.stringify({ event: turned, type: 'event' });
      const own = seq - Math.max(1, seq - 3);
      expect((await verifyAround(seq, (window) => window.with(own, line))).ok).toBe(true);
    }
  });
});

describe('the chain changed', () => {
  const cases: [string, (all: string[]) => string[], number][] = [
    ['the first event deleted', (all) => all.toSpliced(1, 1), 1],
    ['one in the middle deleted', (all) => all.toSpliced(500, 1), 500],
    ['ten in the middle deleted', (all) => all.toSpliced(500, 10), 500],
    ['the last event deleted', (all) => all.toSpliced(COUNT, 1), COUNT],
    ['the checkpoint deleted', (all) => all.slice(0, -1), COUNT + 1],
    ['the tail cut with its checkpoint', (all) => all.slice(0, 900), 900],
    [
      'cut in the middle of a line',
      (all) => [...all.slice(0, 900), all[900]?.slice(0, 300) ?? ''],
      900,
    ],
    [
      'two neighbours swapped',
      (all) => all.with(500, all[501] ?? '').with(501, all[500] ?? ''),
      500,
    ],
    ['two far ones swapped', (all) => all.with(10, all[990] ?? '').with(990, all[10] ?? ''), 10],
    ['one repeated', (all) => all.toSpliced(501, 0, all[500] ?? ''), 501],
    ['an older one inserted', (all) => all.toSpliced(501, 0, all[10] ?? ''), 501],
    ['all of it twice', (all) => [...all.slice(0, -1), ...all.slice(1)], COUNT + 1],
    ['events behind the checkpoint', (all) => [...all, all[COUNT] ?? ''], COUNT + 1],
    ['the header repeated', (all) => all.toSpliced(500, 0, all[0] ?? ''), 500],
  ];
  test.each(cases)('%s', async (_name, mutate, seq) => {
    const report = await verifyLines(mutate(lines), { keys: fixture.ring });
    expect(report).toMatchObject({ ok: false, firstBad: { seq } });
  });

  test("another tenant's events do not fit in, nor all of them renamed", async () => {
    const other = await exportLines(await buildChain(20, { chainId: OTHER_TENANT }));
    const one = await verifyLines(lines.with(7, other[7] ?? ''), { keys: fixture.ring });
    expect(one.firstBad).toMatchObject({ seq: 7, reason: 'event-malformed' });
    const renamed = other.map((line) => line.replaceAll(OTHER_TENANT, TENANT));
    const all = await verifyLines(renamed, { keys: fixture.ring });
    expect(all.firstBad).toMatchObject({ seq: 1, reason: 'hash-mismatch' });
  });
});

/** Rewrites the chain from `seq` on, as somebody would who can write but has only `signer`. */
function rechain(from: number, change: (event: Event) => Event, signer?: Signer): string[] {
  let previous = String(eventOf(lines[from - 1]).hash);
  return lines.map((line, seq) => {
    if (seq < from || seq > COUNT) return line;
    const old = eventOf(line);
    const event = {
      ...(seq === from ? change(old) : old),
      previous_event_hash: previous,
      ...(signer && { key_id: signer.keyId }),
    };
    const {
      hash: _hash,
      signature: _signature,
      query_normalized: _query,
      query_salt: _salt,
      details: _details,
      details_salt: _detailsSalt,
      ...hashed
    } = event as Event;
    const hash = eventHash(previous, canonicalJson(hashed));
    const signature = signer?.sign(signatureMessage(hash));
    previous = hash;
    return lineOf({
      ...event,
      hash,
      ...(signature && { signature: Buffer.from(signature).toString('base64') }),
    });
  });
}

describe('a suffix hashed anew', () => {
  const acquit = (event: Event): Event => ({ ...event, verdict: { decision: 'CLEAR' } });

  test('without the key: the first signature shows it', async () => {
    const forged = rechain(500, acquit);
    expect((await verifyLines(forged, { keys: fixture.ring })).firstBad).toMatchObject({
      seq: 500,
      reason: 'signature-invalid',
    });
  });

  test('without signatures being checked the checkpoint still shows it', async () => {
    const report = await verifyLines(rechain(500, acquit), {
      keys: fixture.ring,
      signatures: false,
    });
    expect(report.firstBad).toMatchObject({ reason: 'checkpoint-mismatch' });
  });

  test('with a key that nobody knows', async () => {
    const forged = rechain(500, acquit, seededSigner('forger'));
    expect((await verifyLines(forged, { keys: fixture.ring })).firstBad).toMatchObject({
      seq: 500,
      reason: 'key-unknown',
    });
  });

  test('with a retired key that was stolen', async () => {
    const thief = seededSigner('retired');
    const ring = rotateKeyRing(newKeyRing(thief.publicKey), fixture.signer.publicKey, []);
    expect((await verifyLines(lines, { keys: ring })).ok).toBe(true);
    const forged = rechain(500, acquit, thief);
    expect((await verifyLines(forged, { keys: ring })).firstBad).toMatchObject({
      seq: 500,
      reason: 'key-not-held',
    });
  });

  test('with the key itself: a checkpoint from outside shows it', async () => {
    const forged = rechain(500, acquit, fixture.signer);
    const head = eventOf(forged[COUNT]);
    const closing = signCheckpoint(
      TENANT,
      { seq: COUNT, hash: String(head.hash) },
      { at: clock.now(), signer: fixture.signer },
    );
    const whole = forged.with(-1, JSON.stringify({ type: 'checkpoint', checkpoint: closing }));
    expect((await verifyLines(whole, { keys: fixture.ring })).ok).toBe(true);
    const honest = (JSON.parse(lines.at(-1) ?? '') as { checkpoint: typeof closing }).checkpoint;
    const report = await verifyLines(whole, { keys: fixture.ring, checkpoint: honest });
    expect(report.firstBad).toMatchObject({ reason: 'checkpoint-mismatch', seq: COUNT });
  });

  test('one signature exchanged for that of another event', async () => {
    const event = { ...eventOf(lines[700]), signature: eventOf(lines[701]).signature };
    const report = await verifyLines(lines.with(700, lineOf(event)), { keys: fixture.ring });
    expect(report.firstBad).toMatchObject({ seq: 700, line: 701, reason: 'signature-invalid' });
  });
});

test('a signature that fails is found before a hash that breaks later', async () => {
  const event = { ...eventOf(lines[990]), signature: eventOf(lines[989]).signature };
  const broken = lineOf({ ...eventOf(lines[995]), note: 1 });
  const report = await verifyLines(lines.with(990, lineOf(event)).with(995, broken), {
    keys: fixture.ring,
  });
  expect(report.firstBad).toMatchObject({ seq: 990, reason: 'signature-invalid' });
});

test('a hundred clean chains, some of them erased and rotated, raise no alarm', async () => {
  for (let n = 0; n < 100; n++) {
    const chain = await buildChain(n % 13, { seed: `key ${n}` });
    const seqs = Array.from({ length: n % 13 }, (_, at) => at + 1).filter(
      (seq) => seq % (1 + (n % 3)) === 0,
    );
    await erase(chain, ...seqs);
    const last = (n % 13) + seqs.length;
    const next = seededSigner(`next ${n}`);
    const ring = rotateKeyRing(chain.ring, next.publicKey, [{ chainId: TENANT, seq: last }]);
    await extendChain({ ...chain, signer: next }, last + 1, last + 3);
    const report = await verifyLines(await exportLines({ ...chain, signer: next }), { keys: ring });
    expect(report).toMatchObject({ ok: true, erased: seqs.length, events: last + 3 });
  }
});
