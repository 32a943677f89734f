/** Preimages, byte by byte, computed here without the code under test. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { describe, expect, test } from 'vitest';
import { assertLinked, eventText, GENESIS_HASH, prepareEvent, sealEvent } from '#core/audit';
import { draft, seededRandom, seededSigner, TENANT } from './drafts.ts';

const signer = seededSigner('a');
const seal = (n: number, head = { seq: 0, hash: GENESIS_HASH }) =>
  sealEvent(prepareEvent(TENANT, draft(n), seededRandom(`salt ${n}`)), head, signer);
const parsed = (text: string | undefined) => JSON.parse(text ?? '') as Record<string, unknown>;

describe.each([
  ['a screening', 1, 'query_normalized', 'query_salt', 'query_commitment'],
  ['an entry', 3, 'details', 'details_salt', 'details_commitment'],
])('%s', (_name, n, value, salt, commitment) => {
  const head = { seq: 41, hash: createHash('sha256').update('before').digest('hex') };
  const event = seal(n, head);
  const body = parsed(event.body);

  test('its hash is SHA-256("audit-event-v1\\0" ‖ previous hash ‖ JCS)', () => {
    const { hash, signature: _signature, ...hashed } = body;
    const expected = createHash('sha256')
      .update('audit-event-v1\0')
      .update(Buffer.from(head.hash, 'hex'))
      .update(canonicalize(hashed) ?? '')
      .digest('hex');
    expect(hash).toBe(expected);
    expect(event.hash).toBe(expected);
  });

  test('its signature is over "audit-signature-v1\\0" ‖ hash', () => {
    const message = Buffer.concat([
      Buffer.from('audit-signature-v1\0'),
      Buffer.from(event.hash, 'hex'),
    ]);
    const signature = Buffer.from(String(body.signature), 'base64');
    expect(signer.publicKey.verify(message, signature)).toBe(true);
  });

  test('its open member is bound by SHA-256(salt ‖ JCS)', () => {
    const open = parsed(event.open);
    const saltBytes = Buffer.from(String(open[salt]), 'base64');
    expect(saltBytes).toHaveLength(16);
    const expected = createHash('sha256')
      .update(saltBytes)
      .update(canonicalize(open[value]) ?? '')
      .digest('hex');
    expect(body[commitment]).toBe(expected);
    expect(body).not.toHaveProperty(value);
    expect(body).not.toHaveProperty(salt);
  });

  test('body, open members and the shown event are JCS', () => {
    for (const text of [event.body, event.open ?? '', eventText(event)]) {
      expect(text).toBe(canonicalize(parsed(text)));
    }
    expect(parsed(eventText(event))).toEqual({ ...body, ...parsed(event.open) });
    const { open: _open, ...erased } = event;
    expect(eventText(erased)).toBe(event.body);
  });

  test('has the members that the format names', () => {
    expect(body).toMatchObject({
      type: event.type,
      tenant_id: TENANT,
      seq: 42,
      event_id: event.eventId,
      occurred_at: new Date(event.occurredAt).toISOString(),
      previous_event_hash: head.hash,
      hash: event.hash,
      key_id: signer.keyId,
    });
  });
});

test('a salt is never used twice', () => {
  const random = seededRandom('one');
  const salts = [1, 2, 4].map(
    (n) => parsed(prepareEvent(TENANT, draft(n), random).open).query_salt,
  );
  expect(new Set(salts).size).toBe(3);
});

test('what does not link is an assertion', () => {
  const head = { seq: 1, hash: 'a'.repeat(64) };
  expect(() => assertLinked(head, { seq: 2, previousHash: head.hash })).not.toThrow();
  expect(() => assertLinked(head, { seq: 3, previousHash: head.hash })).toThrow('expected seq 2');
  expect(() => assertLinked(head, { seq: 2, previousHash: GENESIS_HASH })).toThrow('seq 1');
});

test('an event of 12 KB is prepared and sealed well within a millisecond', () => {
  const one = draft(1);
  const candidates = Array.from({ length: 50 }, (_, index) => ({
    aliasUnfoldScore: 0.123456789,
    categories: ['SAN'],
    dobScore: 0.5,
    finalScore: 0.812345678,
    ftm_id: `OFAC-${10_000 + index}`,
    matched_name: `JOHN SMITH-DOE ${index}`,
    nameScore: 0.932,
    phoneticScore: 1,
    primary_name: `AL-ZAWAHIRI, Ayman Muhammed ${index}`,
    schema: 'Person',
    source_lists_hits: ['OFAC_SDN'],
  }));
  const big = { ...one, members: { ...one.members, candidates } };
  const random = seededRandom('fast');
  const times = Array.from({ length: 300 }, () => {
    const startedAt = performance.now();
    sealEvent(prepareEvent(TENANT, big, random), { seq: 0, hash: GENESIS_HASH }, signer);
    return performance.now() - startedAt;
  }).sort((a, b) => a - b);
  // The median here is about 0.15 ms, half of it the signature; the bound is for a busy machine.
  expect(times[150]).toBeLessThan(1);
});
