/**
 * The rules of the hash chain: what is hashed, what is signed, and how an event links to the one
 * before it. docs/audit-format.md says the same for outsiders; the two must change together.
 *
 * Each event is serialised once. `prepareEvent` canonicalises every member; it knows neither seq
 * nor previous hash, so it runs before the head is taken. `sealEvent` only joins the pieces, so a
 * group that lost its head is sealed again without serialising 50 candidates a second time.
 */
import assert from 'node:assert/strict';
import type { ChainId } from '#core/kernel';
import { CanonicalText, canonicalJson } from '#platform/canonicalJson';
import { toTimestamp } from '#platform/clock';
import { type Signer, sha256Hex } from '#platform/crypto';
import type { Random } from '#platform/random';
import type { ChainHead, EventDraft, SealedEvent } from './ports.ts';

/** The previous hash of a chain's first event: 32 zero bytes in hex. */
export const GENESIS_HASH = '0'.repeat(64);
/** Bytes of random salt in a commitment (docs/audit-format.md). */
export const SALT_BYTES = 16;
const EVENT_DOMAIN = Buffer.from('audit-event-v1\0');
const SIGNATURE_DOMAIN = Buffer.from('audit-signature-v1\0');
const HEX_HASH = /^[0-9a-f]{64}$/;

/**
 * Names of the members that hold personal data. They are stored beside the event and never hashed
 * as they are.
 */
export interface OpenNames {
  readonly value: string;
  readonly salt: string;
  /** Name of the hashed member: SHA-256(salt ‖ JCS(value)) in hex. */
  readonly commitment: string;
}

/** Names of the open members and of their commitment, by type of event. */
export const OPEN_NAMES: Readonly<Record<SealedEvent['type'], OpenNames>> = {
  screening: {
    value: 'query_normalized',
    salt: 'query_salt',
    commitment: 'query_commitment',
  },
  entry: { value: 'details', salt: 'details_salt', commitment: 'details_commitment' },
};

/** Members that the chain itself writes: a draft may not bring them. */
export const CHAIN_MEMBERS: ReadonlySet<string> = new Set([
  'event_id',
  'hash',
  'key_id',
  'occurred_at',
  'previous_event_hash',
  'seq',
  'signature',
  'tenant_id',
  'type',
  ...Object.values(OPEN_NAMES).flatMap((names) => [names.value, names.salt, names.commitment]),
]);

/**
 * The event's hash, 64 hex characters: SHA-256(domain ‖ previous hash ‖ body). `body` is the JCS of
 * the event without hash, signature and the open members.
 */
export function eventHash(previousHash: string, body: string): string {
  assert(HEX_HASH.test(previousHash));
  const preimage = Buffer.allocUnsafe(EVENT_DOMAIN.length + 32 + Buffer.byteLength(body));
  EVENT_DOMAIN.copy(preimage);
  preimage.write(previousHash, EVENT_DOMAIN.length, 'hex');
  preimage.write(body, EVENT_DOMAIN.length + 32, 'utf8');
  return sha256Hex(preimage);
}

/** The bytes that a key signs for an event: "audit-signature-v1\0" ‖ the 32 bytes of its hash. */
export function signatureMessage(hash: string): Uint8Array {
  assert(HEX_HASH.test(hash));
  return Buffer.concat([SIGNATURE_DOMAIN, Buffer.from(hash, 'hex')]);
}

/** Binds an open member: SHA-256(salt ‖ JCS(value)), 64 hex characters. */
export function commitmentOf(salt: Uint8Array, canonicalValue: string): string {
  assert(salt.length === SALT_BYTES);
  return sha256Hex(Buffer.concat([salt, Buffer.from(canonicalValue, 'utf8')]));
}

/** The link between two events. It is checked before a write and again when a chain is verified. */
export interface Link {
  readonly seq: number;
  readonly previousHash: string;
}

/**
 * Compares two hashes of a chain. They are public, so the time of the comparison reveals nothing.
 */
export function isSameHash(left: string, right: string): boolean {
  return left === right;
}

/** Why `next` does not follow `previous`; undefined where it does. */
export function refuseLink(previous: ChainHead, next: Link): string | undefined {
  if (next.seq !== previous.seq + 1) return `expected seq ${previous.seq + 1}, got ${next.seq}`;
  if (!isSameHash(next.previousHash, previous.hash))
    return `does not continue the hash of seq ${previous.seq}`;
  return undefined;
}

/**
 * Asserts that `next` follows `previous`. A wrong link here is a broken invariant of our own, and
 * nothing that does not link is ever written.
 */
export function assertLinked(previous: ChainHead, next: Link): void {
  const refusal = refuseLink(previous, next);
  assert(refusal === undefined, refusal);
}

/** Members that are known only once the event has its place in the chain, in code-unit order. */
const PLACED_NAMES = ['hash', 'key_id', 'previous_event_hash', 'seq', 'signature'] as const;
type PlacedName = (typeof PLACED_NAMES)[number];

/** A draft after all work that does not depend on its place in the chain. */
export interface PreparedEvent {
  readonly draft: EventDraft;
  /** Members before, between and after PLACED_NAMES, joined; empty where there are none. */
  readonly runs: readonly string[];
  /** JCS of the open members. */
  readonly open: string;
  /** Characters to be stored, estimated closely enough for the limits of a group. */
  readonly size: number;
}

/**
 * Canonicalises a draft and draws its salt. Throws where a member has no canonical JSON or has a
 * name that the chain writes itself.
 */
export function prepareEvent(chainId: ChainId, draft: EventDraft, random: Random): PreparedEvent {
  assert((draft.type === 'screening') === (draft.screeningId !== undefined));
  const names = OPEN_NAMES[draft.type];
  const salt = random.bytes(SALT_BYTES);
  const value = canonicalJson(draft.open);
  const saltText = Buffer.from(salt).toString('base64');
  const open = `{"${names.value}":${value},"${names.salt}":"${saltText}"}`;
  const members = new Map<string, unknown>([
    ['event_id', draft.eventId],
    ['occurred_at', toTimestamp(draft.occurredAt)],
    ['tenant_id', chainId],
    ['type', draft.type],
    [names.commitment, commitmentOf(salt, value)],
  ]);
  for (const [key, member] of Object.entries(draft.members)) {
    assert(!CHAIN_MEMBERS.has(key), `event member ${key}: the chain writes it`);
    members.set(key, member);
  }
  // The store finds events by these two, so they must equal what was hashed.
  bindMember(members, 'screening_id', draft.screeningId);
  bindMember(members, 'action', draft.action);
  const runs = runsOf(members);
  const size = runs.reduce((sum, run) => sum + run.length + 1, open.length + 400);
  return { draft, runs, open, size };
}

function runsOf(members: ReadonlyMap<string, unknown>): string[] {
  const runs: string[][] = [...PLACED_NAMES, ''].map(() => []);
  // RFC 8785, 3.2.3: by UTF-16 code units, which is the order of sort() without a comparer.
  let at = 0;
  for (const key of [...members.keys()].sort()) {
    while (at < PLACED_NAMES.length && key > (PLACED_NAMES[at] ?? '')) at += 1;
    const value = members.get(key);
    const text = value instanceof CanonicalText ? value.text : canonicalJson(value);
    runs[at]?.push(`${canonicalJson(key)}:${text}`);
  }
  return runs.map((run) => run.join(','));
}

function bindMember(members: Map<string, unknown>, key: string, value: string | undefined): void {
  if (value === undefined) return;
  assert(!members.has(key) || members.get(key) === value, `event member ${key}: two values`);
  members.set(key, value);
}

/**
 * Gives the event its place after `head`, hashed and signed. Only the holder of the head calls it.
 * `seq` is another number for the entry alone that names a gap before it.
 */
export function sealEvent(
  prepared: PreparedEvent,
  head: ChainHead,
  signer: Signer,
  seq: number = head.seq + 1,
): SealedEvent {
  const { draft, open } = prepared;
  assertLinked({ ...head, seq: Math.max(head.seq, seq - 1) }, { seq, previousHash: head.hash });
  const placed = { key_id: signer.keyId, previous_event_hash: head.hash, seq };
  const hash = eventHash(head.hash, objectText(prepared.runs, placed));
  const signature = Buffer.from(signer.sign(signatureMessage(hash))).toString('base64');
  const body = objectText(prepared.runs, { ...placed, hash, signature });
  return {
    seq,
    eventId: draft.eventId,
    type: draft.type,
    occurredAt: draft.occurredAt,
    ...(draft.screeningId !== undefined && { screeningId: draft.screeningId }),
    ...(draft.action !== undefined && { action: draft.action }),
    ...(draft.decision !== undefined && { decision: draft.decision }),
    hash,
    body,
    open,
  };
}

/** The event's JCS. Placed values are numbers, and texts that need no escape. */
function objectText(
  runs: readonly string[],
  placed: Readonly<Partial<Record<PlacedName, string | number>>>,
): string {
  let text = '';
  const add = (members: string): void => {
    if (members !== '') text += text === '' ? members : `,${members}`;
  };
  PLACED_NAMES.forEach((name, at) => {
    add(runs[at] ?? '');
    const value = placed[name];
    if (value === undefined) return;
    add(typeof value === 'number' ? `"${name}":${value}` : `"${name}":"${value}"`);
  });
  add(runs[PLACED_NAMES.length] ?? '');
  return `{${text}}`;
}

/**
 * The event as it is shown and exported, with its open members as long as they are kept. They are
 * inserted beside their commitment, which is their place in JCS. So an export is written without
 * parsing 12 KB of JSON per event, and its text is canonical already when a verifier reads it.
 */
export function eventText(event: Pick<SealedEvent, 'type' | 'body' | 'open'>): string {
  if (event.open === undefined) return event.body;
  assert(Object.hasOwn(OPEN_NAMES, event.type), 'event of an unknown type');
  const names = OPEN_NAMES[event.type];
  const marker = `"${names.commitment}":"`;
  const start = event.body.indexOf(marker);
  assert(start >= 0, `event without ${names.commitment}`);
  const end = start + marker.length + 64 + 1;
  // {"<value>":…,"<salt>":"<24 characters>"}
  const saltAt = event.open.length - 1 - (names.salt.length + 5 + 24);
  const value = event.open.slice(1, saltAt - 1);
  const salt = event.open.slice(saltAt, -1);
  const commitment = event.body.slice(start, end);
  const opened =
    names.value < names.commitment
      ? `${value},${commitment},${salt}`
      : `${commitment},${value},${salt}`;
  return event.body.slice(0, start) + opened + event.body.slice(end);
}
