/**
 * The signed bundle of a list version (interface.md 2.12), as the blob store has it: JSON lines, so
 * that neither writing nor reading needs the whole list as one string.
 *
 *   line 1       {"$schema", "fetched_at", "kind", "list_version", "source"}
 *   line 2 …     one entity, sorted by ftm_id
 *   last line    {"signature": {"alg": "Ed25519", "key_id", "sig"}}
 *
 * Every line is canonical JSON (RFC 8785).
 *
 * The signature covers "list-bundle-v1\0" ‖ SHA-256(JCS(bundle without signature)), where the
 * bundle is the one object of the specification, {"$schema", "entities": […], "fetched_at", …}. Its
 * canonical text is put together from these lines, so a verifier can take the lines or the object.
 * A bundle that was cut lacks its last line; one with a changed byte fails its signature.
 */
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { bytesFromBase64, type PublicKey, type Signer } from '#platform/crypto';
import { type BundleSignature, readSignatureLine, signatureLine } from './bundleSignature.ts';
import { objectOf } from './lineObject.ts';
import { signedTextAside } from './linesAside.ts';
import { LIST_FORMAT, SignedText } from './signedText.ts';

export { LIST_FORMAT };

const SIGNATURE_HEAD = Buffer.from('{"signature":');
const LINE_FEED = 0x0a;

export interface BundleHeader {
  readonly list_version: string;
  readonly source: string;
  readonly kind: 'full' | 'delta';
  /** RFC 3339 UTC. */
  readonly fetched_at: string;
}

/**
 * The bundle's bytes. `pieces` are canonical entities sorted by ftm_id, each ended by a line feed;
 * a piece holds whole lines and is not written to again. `expectedBytes` is the approximate sum of
 * all pieces, where it is known. Throws `list-damaged` where the signer's own key refuses the
 * signature.
 */
export async function* writeBundle(
  header: BundleHeader,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signer: Pick<Signer, 'keyId' | 'sign' | 'publicKey'>,
  expectedBytes?: number,
): AsyncGenerator<Uint8Array> {
  yield headOf(header);
  const text = signedTextAside(tailOf(header), { expectedBytes });
  let message: Uint8Array;
  try {
    for await (const lines of pieces) {
      await text.add(lines);
      yield lines;
    }
    message = await text.finish();
  } finally {
    await text.close();
  }
  const signed = signer.sign(message);
  if (!signer.publicKey.verify(message, signed)) throw damaged('its signature does not verify');
  yield Buffer.concat([signatureLine(signer.keyId, signed), Buffer.from('\n')]);
}

/** Where the first entity begins in a bundle with this header, in bytes. */
export const bytesOfHead = (header: BundleHeader): number => headOf(header).length;

const headOf = ({ fetched_at, kind, list_version, source }: BundleHeader): Buffer =>
  Buffer.from(
    `${canonicalJson({ $schema: LIST_FORMAT, fetched_at, kind, list_version, source })}\n`,
  );

/** The members after the entities, in the bundle as one object. */
const tailOf = ({ fetched_at, kind, list_version, source }: BundleHeader): string =>
  canonicalJson({ fetched_at, kind, list_version, source }).slice(1);

export interface ReadBundle {
  readonly header: BundleHeader;
  readonly keyId: string;
  readonly entityCount: number;
}

type KeyOf = (keyId: string) => Pick<PublicKey, 'verify'> | undefined;

/**
 * The entities' lines in batches, for bundles of any size; a batch is valid until the next one.
 * Throws DomainError `list-damaged` where the bundle is cut, changed, or signed by a key that
 * `keyOf` does not know. This may happen only at the end, so nothing before it may be acted on.
 * Without `keyOf` the signature is not verified: for blobs of our own, whose address is verified.
 */
export async function* readBundleLines(
  pieces: AsyncIterable<Uint8Array>,
  options: { readonly keyOf?: KeyOf; readonly onEnd?: (bundle: ReadBundle) => void } = {},
): AsyncGenerator<readonly Buffer[]> {
  const bundle = new BundleLines(options.keyOf);
  let rest: Uint8Array = Buffer.of();
  for await (const piece of pieces) {
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = text.indexOf(LINE_FEED); end >= 0; end = text.indexOf(LINE_FEED, start)) {
      const own = text.subarray(start, end);
      // The end of the previous piece is copied, not the whole piece.
      const line = rest.length === 0 ? own : Buffer.concat([rest, own]);
      rest = Buffer.of();
      if (bundle.take(line)) lines.push(line);
      start = end + 1;
    }
    const last = text.subarray(start);
    rest = rest.length === 0 ? last : Buffer.concat([rest, last]);
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) throw damaged('cut within a line');
  // Not as an argument of the call below: without `onEnd` it would not be evaluated.
  const end = bundle.finish();
  options.onEnd?.(end);
}

/** The lines of a bundle, one after another. */
class BundleLines {
  readonly #keyOf: KeyOf | undefined;
  /** Absent where the signature is not verified. */
  #text: SignedText | undefined;
  #header: BundleHeader | undefined;
  #signature: BundleSignature | undefined;
  #entityCount = 0;

  constructor(keyOf: KeyOf | undefined) {
    this.#keyOf = keyOf;
  }

  /** Whether the line is an entity. */
  take(line: Buffer): boolean {
    if (this.#signature) throw damaged('lines after the signature');
    if (this.#header === undefined) {
      this.#header = toHeader(objectOf(line, damaged));
      if (this.#keyOf) this.#text = new SignedText(tailOf(this.#header));
      return false;
    }
    if (line.subarray(0, SIGNATURE_HEAD.length).equals(SIGNATURE_HEAD)) {
      this.#signature = readSignatureLine(line);
      return false;
    }
    this.#text?.addEntity(line);
    this.#entityCount++;
    return true;
  }

  finish(): ReadBundle {
    const header = this.#header;
    if (!header || !this.#signature) throw damaged('cut before its signature');
    const { keyId, sig } = this.#signature;
    if (this.#keyOf && this.#text) {
      const bytes = bytesFromBase64(sig, 64);
      if (!bytes || !this.#keyOf(keyId)?.verify(this.#text.finish(), bytes)) {
        throw damaged('its signature does not verify');
      }
    }
    return { entityCount: this.#entityCount, header, keyId };
  }
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

const damaged = (what: string, cause?: unknown) =>
  new DomainError('list-damaged', { detail: `bundle: ${what}`, cause });
