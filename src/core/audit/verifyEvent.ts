/**
 * What one event alone can prove: its shape, its hash under the previous hash that it names, and
 * its open members under their commitment. verifyExport.ts checks the chain and the signature.
 *
 * An exported event is nearly always JCS already. The text is therefore parsed the fast way,
 * canonicalised, and compared. Equal texts mean that there is only one reading of it (no key twice,
 * no other spelling). Only where they differ does the strict parser read it. Another key order or
 * white space is the same event; anything that two readers could take differently is refused.
 */
import { isUtf8 } from 'node:buffer';
import { canonicalJson } from '#platform/canonicalJson';
import { bytesFromBase64, SIGNATURE_BYTES } from '#platform/crypto';
import { parseStrictJson } from '#platform/strictJson';
import {
  commitmentOf,
  eventHash,
  eventText,
  isSameHash,
  OPEN_NAMES,
  type OpenNames,
  SALT_BYTES,
} from './chain.ts';
import { type Gap, gapOf } from './gap.ts';

/** A JSON object of unknown shape. */
export type JsonRecord = Record<string, unknown>;

/** An event whose shape, hash and commitment are verified; its signature and link are not yet. */
export interface CheckedEvent {
  readonly seq: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly keyId: string;
  readonly signature: Uint8Array;
  /** Whether the open members were present. If so they match their commitment. */
  readonly isOpen: boolean;
  /** The gap before it, where it says that events are lost. */
  readonly gap?: Gap;
}

/** Why an event is refused by itself; part of BadReason. */
export type EventReason = 'event-malformed' | 'hash-mismatch' | 'commitment-mismatch';

/** An event that fails a check of checkEvent or wordEvent. The message has no personal data. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
  readonly reason: EventReason;

  constructor(reason: EventReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

const LINE_START = '{"type":"event","event":';
const DEPTH_MAX = 200;
/** SALT_BYTES in base64. */
const SALT_CHARS = 24;
const HEX_HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An event, and its canonical text with all of its members. */
interface WordedEvent {
  readonly event: JsonRecord;
  readonly text: string;
}

/**
 * The event of a line as our export writes it. Undefined for any other line: `parseLine` then
 * decides.
 */
export function readEventLine(bytes: Uint8Array): WordedEvent | undefined {
  if (!isUtf8(bytes)) return undefined;
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  if (!line.startsWith(LINE_START) || !line.endsWith('}')) return undefined;
  const text = line.slice(LINE_START.length, -1);
  try {
    const worded = wordEvent(JSON.parse(text));
    return worded.text === text ? worded : undefined;
  } catch {
    return undefined; // the strict parser gives the reason
  }
}

/** Parses any line strictly, at most 200 levels deep. Throws StrictJsonError. */
export function parseLine(bytes: Uint8Array): unknown {
  return parseStrictJson(bytes, { depthMax: DEPTH_MAX });
}

/** An event with its canonical text (RFC 8785). Throws EventRefused where it is no object. */
export function wordEvent(value: unknown): WordedEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EventRefused('event-malformed', 'event: expected an object');
  }
  return { event: value as JsonRecord, text: canonicalJson(value) };
}

/** An event as it was stored, verified as `checkEvent` does. */
export interface CheckedStored extends CheckedEvent {
  /** Its members, the open ones included while they are kept. */
  readonly members: JsonRecord;
}

/**
 * The same for an event as the store has it, where the very texts are those that were signed: they
 * are hashed as they stand, and nothing is serialised. Undefined where they are not, or where it is
 * not certain that there is one reading of them: `checkEvent` decides then. Throws EventRefused,
 * SyntaxError and AssertionError.
 */
export function checkStored(
  event: Parameters<typeof eventText>[0],
  tenantId: string,
): CheckedStored | undefined {
  const { body, open, type } = event;
  if (!Object.hasOwn(OPEN_NAMES, type)) return undefined;
  const members = JSON.parse(eventText(event)) as JsonRecord | null;
  if (members?.type !== type || !matches(members.hash, HEX_HASH)) return undefined;
  const names = OPEN_NAMES[type];
  const isOpen = open !== undefined;
  if (names.value in members !== isOpen || names.salt in members !== isOpen) return undefined;
  // Signed texts have neither member, so what is cut out are the two that were read.
  const own = [`"hash":"${members.hash}",`, `"signature":"${String(members.signature)}",`];
  const hashed = withoutMembers(body, own);
  const shape = readShape(members, tenantId);
  const isSigned =
    hashed !== undefined && isSameHash(eventHash(shape.previousHash, hashed), shape.hash);
  if (!isSigned || (isOpen && commitmentIn(open, names) !== members[names.commitment])) {
    return undefined;
  }
  const gap = gapOf(members);
  return { ...shape, isOpen, members, ...(gap && { gap }) };
}

/** The commitment of open members; undefined where they are not in the form of the store. */
function commitmentIn(open: string, { salt, value }: OpenNames): string | undefined {
  // {"<value>":…,"<salt>":"<24 characters>"}
  const start = `{"${value}":`;
  const end = `,"${salt}":"`;
  const endAt = open.length - end.length - SALT_CHARS - '"}'.length;
  const isWhole = open.startsWith(start) && open.startsWith(end, endAt) && open.endsWith('"}');
  const bytes = isWhole && bytesFromBase64(open.slice(endAt + end.length, -2), SALT_BYTES);
  return bytes ? commitmentOf(bytes, open.slice(start.length, endAt)) : undefined;
}

/** Verifies shape, hash and open members of an event of this tenant. Throws EventRefused. */
export function checkEvent({ event, text }: WordedEvent, tenantId: string): CheckedEvent {
  const checked = readShape(event, tenantId);
  const names = OPEN_NAMES[event.type as keyof typeof OPEN_NAMES];
  const open = event[names.value];
  const openText = open === undefined ? undefined : canonicalJson(open);
  const own = [`"hash":"${checked.hash}",`, `"signature":"${String(event.signature)}",`];
  const opened = [
    ...(openText === undefined ? [] : [`"${names.value}":${openText},`]),
    ...(event[names.salt] === undefined ? [] : [`"${names.salt}":"${String(event[names.salt])}",`]),
  ];
  // In the order in which they stand: details, hash, query, signature.
  const unhashed = event.type === 'entry' ? [...opened, ...own] : own.toSpliced(1, 0, ...opened);
  const hashed = withoutMembers(text, unhashed);
  const isHashOf = (body: string): boolean =>
    isSameHash(eventHash(checked.previousHash, body), checked.hash);
  if (!(hashed !== undefined && isHashOf(hashed)) && !isHashOf(hashedText(event, names))) {
    throw new EventRefused('hash-mismatch', 'hash is not that of the event');
  }
  const gap = gapOf(event);
  return { ...checked, isOpen: checkOpen(event, openText, names), ...(gap && { gap }) };
}

/**
 * Cuts members out of the canonical text instead of serialising it anew. Each is followed by a
 * comma, because `tenant_id` and `type` sort after all of them. A cut at a wrong place (the same
 * text inside another member) cannot give the right hash, so hashedText then decides.
 */
function withoutMembers(text: string, members: readonly string[]): string | undefined {
  let rest = '';
  let from = 0;
  for (const member of members) {
    const at = text.indexOf(member, from);
    if (at < 0) return undefined;
    rest += text.slice(from, at);
    from = at + member.length;
  }
  return rest + text.slice(from);
}

/** The text that is hashed, serialised anew. */
function hashedText(event: JsonRecord, names: OpenNames): string {
  const unhashed = new Set(['hash', 'signature', names.value, names.salt]);
  return canonicalJson(
    Object.fromEntries(Object.entries(event).filter(([key]) => !unhashed.has(key))),
  );
}

function readShape(event: JsonRecord, tenantId: string): Omit<CheckedEvent, 'isOpen'> {
  const { seq, hash, previous_event_hash, key_id, signature, type } = event;
  const bad = (name: string, expected: string): never => {
    throw new EventRefused('event-malformed', `${name}: expected ${expected}`);
  };
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) {
    return bad('seq', 'an integer from 1');
  }
  if (event.tenant_id !== tenantId) return bad('tenant_id', 'the one of the export');
  if (typeof type !== 'string' || !Object.hasOwn(OPEN_NAMES, type)) {
    return bad('type', 'screening or entry');
  }
  if (!matches(hash, HEX_HASH)) return bad('hash', '64 lower-case hex characters');
  if (!matches(previous_event_hash, HEX_HASH)) {
    return bad('previous_event_hash', '64 lower-case hex characters');
  }
  if (typeof key_id !== 'string') return bad('key_id', 'a string');
  if (!matches(event.event_id, UUID)) return bad('event_id', 'a UUID');
  if (type === 'screening' && !matches(event.screening_id, UUID))
    return bad('screening_id', 'a UUID');
  if (!matches(event.occurred_at, TIMESTAMP)) return bad('occurred_at', 'RFC 3339 UTC with ms');
  const bytes =
    typeof signature === 'string' ? bytesFromBase64(signature, SIGNATURE_BYTES) : undefined;
  if (!bytes) return bad('signature', '64 bytes in base64');
  return { seq, hash, previousHash: previous_event_hash, keyId: key_id, signature: bytes };
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

/** False where both open members were erased, which is allowed; erasing only one of them is not. */
function checkOpen(event: JsonRecord, openText: string | undefined, names: OpenNames): boolean {
  const refuse = (detail: string): never => {
    throw new EventRefused('commitment-mismatch', detail);
  };
  const commitment = event[names.commitment];
  if (!matches(commitment, HEX_HASH)) {
    return refuse(`${names.commitment}: expected 64 hex characters`);
  }
  const salt = event[names.salt];
  if (openText === undefined && salt === undefined) return false;
  const bytes = typeof salt === 'string' ? bytesFromBase64(salt, SALT_BYTES) : undefined;
  if (openText === undefined || bytes === undefined) {
    return refuse(`${names.value} and ${names.salt}: expected both, whole, or neither`);
  }
  const isBound = commitmentOf(bytes, openText) === commitment;
  return isBound || refuse(`${names.value} is not what was committed`);
}
