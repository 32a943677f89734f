/**
 * Ids of a batch's subjects and hits: UUIDs (version 8, RFC 9562) that contain their own place, so
 * a hit is found without a record of it. No one can invent or enumerate them: the rest is an HMAC
 * under the batch's secret.
 *
 *   bytes 0–3   ordinal of the subject in the batch, from 0, big-endian
 *   byte 4      place of the hit among the subject's, from 0; 255 for the subject itself
 *   bytes 5–15  the first 11 bytes of HMAC-SHA-256(secret, "batch-id-v1\0" ‖ batch id ‖ 0 ‖ bytes
 *               0–4), with the version (8) and the variant (2) of RFC 9562 written over
 *
 * The salts of result lines come from the same secret: a leaf hash beside another subject's proof
 * reveals nothing about its own subject.
 */
import { timingSafeEqual } from 'node:crypto';
import { HmacSha256 } from '#platform/crypto';
import type { Batch } from './batch.ts';

export const HITS_PER_SUBJECT_MAX = 50;
const SUBJECT_ITSELF = 255;
const PLACE_BYTES = 5;
const ID_BYTES = 16;
const SALT_BYTES = 16;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Keyed = Pick<Batch, 'batchId' | 'secret'>;

export interface HitPlace {
  readonly ordinal: number;
  readonly position: number;
}

/** A batch's ids; the key is read once. */
export class BatchIds {
  readonly #mac: HmacSha256;
  readonly #batchId: string;
  readonly #idPrefix: Buffer;

  constructor({ batchId, secret }: Keyed) {
    this.#mac = new HmacSha256(Buffer.from(secret, 'base64'));
    this.#batchId = batchId;
    this.#idPrefix = Buffer.from(`batch-id-v1\0${batchId}\0`);
  }

  subject(ordinal: number): string {
    return this.#id(ordinal, SUBJECT_ITSELF);
  }

  hit({ ordinal, position }: HitPlace): string {
    return this.#id(ordinal, position);
  }

  /** 16 bytes, base64. */
  salt(ordinal: number): string {
    const text = Buffer.from(`batch-salt-v1\0${this.#batchId}\0${ordinal}`);
    return this.#mac.digest(text).toString('base64', 0, SALT_BYTES);
  }

  /** Undefined where it is no id of a hit of this batch. */
  placeOfHit(id: string): HitPlace | undefined {
    if (!UUID.test(id)) return undefined;
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
    const place = { ordinal: bytes.readUInt32BE(0), position: bytes.readUInt8(4) };
    if (place.position >= HITS_PER_SUBJECT_MAX) return undefined;
    return timingSafeEqual(bytes, this.#bytes(place.ordinal, place.position)) ? place : undefined;
  }

  #id(ordinal: number, position: number): string {
    const hex = this.#bytes(ordinal, position).toString('hex');
    const [a, b, c] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16)];
    return `${a}-${b}-${c}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  #bytes(ordinal: number, position: number): Buffer {
    const bytes = Buffer.alloc(ID_BYTES);
    bytes.writeUInt32BE(ordinal, 0);
    bytes.writeUInt8(position, 4);
    const place = bytes.subarray(0, PLACE_BYTES);
    const mac = this.#mac.digest(Buffer.concat([this.#idPrefix, place]));
    mac.copy(bytes, PLACE_BYTES, 0, ID_BYTES - PLACE_BYTES);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes;
  }
}
