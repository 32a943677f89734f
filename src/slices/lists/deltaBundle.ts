/**
 * The signed bundle of a version that names the whole bundle of another version and holds only the
 * differences to it: JSON lines, each canonical.
 *
 *   line 1       {"$schema", "base", "content_digest", "entity_count", "fetched_at", "kind",
 *                "list_digest", "list_version", "source"}; `base` is the SHA-256 of a whole bundle
 *   line 2 …     by ftm_id: an entity that is new or different, or {"removed": ftm_id}
 *   last line    {"signature": …}, as of a whole bundle
 *
 * The signature covers "list-delta-v1\0" ‖ SHA-256(all lines before the signature, with their line
 * feeds). The base is always whole, so a version is never more than one delta away from a text. The
 * base and these lines give the whole version, and the two digests confirm it.
 */
import { createHash } from 'node:crypto';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { bytesFromBase64, type PublicKey, type Signer } from '#platform/crypto';
import { readSignatureLine, signatureLine } from './bundleSignature.ts';
import { lineId } from './entityLine.ts';
import { objectOf } from './lineObject.ts';
import { type LineChanges, sortedIds } from './lineTable.ts';

export const DELTA_FORMAT = 'urn:compliance-platform:list-delta:v1';
const DOMAIN = Buffer.from('list-delta-v1\0');
const REMOVED_HEAD = Buffer.from('{"removed":');
const SIGNATURE_HEAD = Buffer.from('{"signature":');
const LINE_FEED = Buffer.from('\n');
const PIECE_BYTES = 512 * 1024;

export interface DeltaHeader {
  /** Content address of the whole bundle to which the differences apply. */
  readonly base: string;
  readonly content_digest: string;
  /** Entities of the version as a whole. */
  readonly entity_count: number;
  /** RFC 3339 UTC. */
  readonly fetched_at: string;
  readonly list_digest: string;
  readonly list_version: string;
  readonly source: string;
}

export interface DeltaBundle {
  readonly header: DeltaHeader;
  readonly keyId: string;
  readonly changes: LineChanges;
}

/** The bundle's bytes. Throws `list-damaged` where the signer's own key refuses the signature. */
export function* writeDeltaBundle(
  header: DeltaHeader,
  changes: LineChanges,
  signer: Pick<Signer, 'keyId' | 'sign' | 'publicKey'>,
): Generator<Uint8Array> {
  const hash = createHash('sha256');
  for (const piece of gathered(deltaLines(header, changes))) {
    hash.update(piece);
    yield piece;
  }
  const message = Buffer.concat([DOMAIN, hash.digest()]);
  const signed = signer.sign(message);
  if (!signer.publicKey.verify(message, signed)) throw damaged('its signature does not verify');
  yield Buffer.concat([signatureLine(signer.keyId, signed), LINE_FEED]);
}

/** Whole lines with their line feeds, in pieces large enough for one write. */
function* gathered(lines: Iterable<Buffer>): Generator<Buffer> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const line of lines) {
    parts.push(line, LINE_FEED);
    bytes += line.length + 1;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    [parts, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(parts);
}

function* deltaLines(header: DeltaHeader, changes: LineChanges): Generator<Buffer> {
  yield Buffer.from(canonicalJson({ $schema: DELTA_FORMAT, kind: 'delta', ...header }));
  for (const id of sortedIds(changes)) {
    yield changes.get(id) ?? Buffer.from(canonicalJson({ removed: id }));
  }
}

/**
 * Reads a delta; its lines are views of `bytes`. Throws `list-damaged` where it is cut, changed, or
 * signed by a key that `keyOf` does not know. Without `keyOf` the signature is not verified: for
 * blobs of our own, whose address is verified.
 */
export function readDeltaBundle(
  bytes: Uint8Array,
  keyOf?: (keyId: string) => Pick<PublicKey, 'verify'> | undefined,
): DeltaBundle {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [first, ...lines] = linesOf(all);
  const last = lines.pop();
  if (!first || !last?.subarray(0, SIGNATURE_HEAD.length).equals(SIGNATURE_HEAD)) {
    throw damaged('cut before its signature');
  }
  const { keyId, sig } = readSignatureLine(last);
  if (keyOf) {
    const signed = all.subarray(0, all.length - last.length - 1);
    const message = Buffer.concat([DOMAIN, createHash('sha256').update(signed).digest()]);
    const signature = bytesFromBase64(sig, 64);
    if (!signature || !keyOf(keyId)?.verify(message, signature)) {
      throw damaged('its signature does not verify');
    }
  }
  const changes = new Map<string, Buffer | undefined>();
  let former: string | undefined;
  for (const line of lines) {
    const isRemoval = line.subarray(0, REMOVED_HEAD.length).equals(REMOVED_HEAD);
    const id = isRemoval ? removedId(line) : lineId(line);
    if (former !== undefined && id <= former) throw damaged('lines out of order');
    former = id;
    changes.set(id, isRemoval ? undefined : line);
  }
  return { changes, header: toHeader(objectOf(first, damaged)), keyId };
}

function linesOf(all: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = all.indexOf(LINE_FEED); end >= 0; end = all.indexOf(LINE_FEED, start)) {
    lines.push(all.subarray(start, end));
    start = end + 1;
  }
  if (start < all.length) throw damaged('cut within a line');
  return lines;
}

function removedId(line: Buffer): string {
  const { removed } = objectOf(line, damaged);
  if (typeof removed === 'string') return removed;
  throw damaged('a removal of nobody');
}

function toHeader(value: Record<string, unknown>): DeltaHeader {
  const { $schema, kind, entity_count, ...rest } = value;
  const { base, content_digest, fetched_at, list_digest, list_version, source } = rest;
  if (
    $schema === DELTA_FORMAT &&
    kind === 'delta' &&
    typeof entity_count === 'number' &&
    typeof base === 'string' &&
    typeof content_digest === 'string' &&
    typeof fetched_at === 'string' &&
    typeof list_digest === 'string' &&
    typeof list_version === 'string' &&
    typeof source === 'string'
  ) {
    return { base, content_digest, entity_count, fetched_at, list_digest, list_version, source };
  }
  throw damaged('no header of a delta');
}

const damaged = (what: string, cause?: unknown) =>
  new DomainError('list-damaged', { detail: `delta bundle: ${what}`, cause });
