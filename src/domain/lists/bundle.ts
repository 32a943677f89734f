/**
 * The signed bundle of a list version (interface.md 2.12), as it stands in the blob store: JSON
 * lines, so that neither writing nor reading needs the whole list as one string.
 *
 *   line 1       {"$schema", "fetched_at", "kind", "list_version", "source"}
 *   line 2 …     one entity, sorted by ftm_id
 *   last line    {"signature": {"alg": "Ed25519", "key_id", "sig"}}
 *
 * Every line is canonical JSON (RFC 8785).
 *
 * Signed is "list-bundle-v1\0" ‖ SHA-256(JCS(bundle without signature)), where the bundle is the
 * one object of the specification, {"$schema", "entities": […], "fetched_at", …}: its canonical
 * text is put together from these lines, so a verifier can take the lines or the object. A bundle
 * that was cut lacks its last line; one with a changed byte fails its signature.
 */
import { createHash, type Hash } from 'node:crypto';
import { canonicalJson } from '#platform/canonicalJson';
import { bytesFromBase64, type PublicKey, type Signer } from '#platform/crypto';
import { DomainError } from '../kernel/index.ts';
import type { ListEntity } from './entity.ts';

export const LIST_FORMAT = 'urn:compliance-platform:list-format:v1';
const DOMAIN = 'list-bundle-v1\0';
/** Bytes gathered before they are handed on. */
const PIECE_BYTES = 256 * 1024;

export interface BundleHeader {
  readonly list_version: string;
  readonly source: string;
  readonly kind: 'full' | 'delta';
  /** RFC 3339 UTC. */
  readonly fetched_at: string;
}

/** The canonical text of the whole bundle, hashed piece by piece. */
class BundleText {
  readonly #hash: Hash = createHash('sha256').update(
    `{"$schema":${JSON.stringify(LIST_FORMAT)},"entities":[`,
  );
  #count = 0;

  add(entity: string | Uint8Array): void {
    if (this.#count++ > 0) this.#hash.update(',');
    this.#hash.update(entity);
  }

  /** What is signed. */
  finish({ fetched_at, kind, list_version, source }: BundleHeader): Uint8Array {
    const rest = canonicalJson({ fetched_at, kind, list_version, source });
    this.#hash.update(`],${rest.slice(1)}`);
    return Buffer.concat([Buffer.from(DOMAIN), this.#hash.digest()]);
  }
}

/** The bundle's bytes. `entities` are canonical texts, sorted by ftm_id. */
export async function* writeBundle(
  header: BundleHeader,
  entities: Iterable<string>,
  signer: Pick<Signer, 'keyId' | 'sign'>,
): AsyncGenerator<Uint8Array> {
  const text = new BundleText();
  const { fetched_at, kind, list_version, source } = header;
  const first = { $schema: LIST_FORMAT, fetched_at, kind, list_version, source };
  let piece = `${canonicalJson(first)}\n`;
  for (const entity of entities) {
    text.add(entity);
    piece += `${entity}\n`;
    if (piece.length < PIECE_BYTES) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  const sig = Buffer.from(signer.sign(text.finish(header))).toString('base64');
  const signature = { alg: 'Ed25519', key_id: signer.keyId, sig };
  yield Buffer.from(`${piece}${canonicalJson({ signature })}\n`);
}

export interface ReadBundle {
  readonly header: BundleHeader;
  readonly keyId: string;
  readonly entityCount: number;
}

/**
 * Hands every entity on, in order, and verifies the whole. Throws DomainError `list-damaged` where
 * the bundle is cut, changed or signed by a key that `keyOf` does not know. Entities are handed on
 * before the end is seen: act on them only once this has returned.
 */
export function readBundle(
  bytes: Uint8Array,
  keyOf: (keyId: string) => Pick<PublicKey, 'verify'> | undefined,
  onEntity: (entity: ListEntity) => void,
): ReadBundle {
  const text = new BundleText();
  let header: BundleHeader | undefined;
  let signature: SignatureLine | undefined;
  let entityCount = 0;
  for (const line of linesOf(bytes)) {
    if (signature) throw damaged('lines after the signature');
    const value = parseLine(line);
    if (header === undefined) header = toHeader(value);
    else if (isSignatureLine(value)) signature = exactly(value, line);
    else {
      text.add(line);
      entityCount++;
      onEntity(value as unknown as ListEntity);
    }
  }
  if (!header || !signature) throw damaged('cut before its signature');
  const { key_id, sig } = signature.signature;
  const sigBytes = bytesFromBase64(sig, 64);
  if (!sigBytes || !keyOf(key_id)?.verify(text.finish(header), sigBytes)) {
    throw damaged('its signature does not verify');
  }
  return { header, keyId: key_id, entityCount };
}

interface SignatureLine {
  readonly signature: { readonly key_id: string; readonly sig: string };
}

/** Nothing stands beside the signature that it does not cover. */
function exactly({ signature }: SignatureLine, line: Uint8Array): SignatureLine {
  const { key_id, sig } = signature;
  const expected = canonicalJson({ signature: { alg: 'Ed25519', key_id, sig } });
  if (Buffer.from(expected).equals(line)) return { signature };
  throw damaged('its signature is not of the one form');
}

/** A last line without its line feed was cut, so it is not yielded. */
function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

function parseLine(line: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(line.buffer, line.byteOffset, line.length).toString(),
    );
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw damaged('a line that is not JSON', cause);
  }
  throw damaged('a line that is not an object');
}

function toHeader(value: Record<string, unknown>): BundleHeader {
  const { $schema, list_version, source, kind, fetched_at } = value;
  if (
    $schema === LIST_FORMAT &&
    typeof list_version === 'string' &&
    typeof source === 'string' &&
    (kind === 'full' || kind === 'delta') &&
    typeof fetched_at === 'string'
  ) {
    return { list_version, source, kind, fetched_at };
  }
  throw damaged('no header of list format v1');
}

function isSignatureLine(value: object): value is SignatureLine {
  if (!('signature' in value)) return false;
  const signature = value.signature;
  return (
    typeof signature === 'object' &&
    signature !== null &&
    'key_id' in signature &&
    typeof signature.key_id === 'string' &&
    'sig' in signature &&
    typeof signature.sig === 'string'
  );
}

const damaged = (what: string, cause?: unknown) =>
  new DomainError('list-damaged', { detail: `bundle: ${what}`, cause });
