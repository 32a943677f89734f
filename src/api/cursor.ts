/**
 * Cursors of lists (decisions 1.4): opaque to the caller, stateless for us, and good only for the
 * tenant, the list and the filters that they were given for.
 *
 *   base64url( JSON {v, k: sort key, i: id, f: filter hash} ) "." base64url( HMAC-SHA-256 )
 *
 * The HMAC also covers tenant and list, which are not written into the cursor. A cursor names the
 * last line seen, so a page stays right while lines are inserted before and after it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TenantId } from '#core/kernel';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { CURSOR_CHARS_MAX } from '#platform/limits';

export interface CursorScope {
  readonly tenantId: TenantId;
  /** Operation id: a cursor of one list means nothing to another. */
  readonly list: string;
  /** Every filter of the request; `limit` is none, a page may change its size. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** The last line of a page: where the next one begins. */
export interface CursorPosition {
  readonly key: string | number;
  readonly id: string;
}

export interface CursorCodec {
  encode(scope: CursorScope, position: CursorPosition): string;
  /** Throws `cursor-invalid` for a forged one, another tenant's, list's or filter's. */
  decode(scope: CursorScope, cursor: string): CursorPosition;
}

const VERSION = 1;
const MAC_BYTES = 32;
const FILTER_HASH_CHARS = 16;

/** `key` is at least 32 bytes, the same in every gateway of an installation. */
export function createCursorCodec(key: Uint8Array): CursorCodec {
  if (key.byteLength < MAC_BYTES) throw new RangeError('cursor key: expected at least 32 bytes');
  const macOf = (scope: CursorScope, payload: string): Buffer =>
    createHmac('sha256', key)
      .update(`cursor-v1\0${scope.tenantId}\0${scope.list}\0${payload}`)
      .digest();
  return {
    decode(scope, cursor) {
      const [payload, mac] = split(cursor);
      if (!timingSafeEqual(macOf(scope, payload), mac)) throw invalid();
      // Written by us, as the MAC shows; only the filters may still be others.
      const value = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
        v: number;
        k: string | number;
        i: string;
        f: string;
      };
      if (value.v !== VERSION || value.f !== filterHash(scope)) throw invalid();
      return { id: value.i, key: value.k };
    },
    encode(scope, position) {
      const value = { f: filterHash(scope), i: position.id, k: position.key, v: VERSION };
      const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${payload}.${macOf(scope, payload).toString('base64url')}`;
    },
  };
}

function split(cursor: string): [payload: string, mac: Buffer] {
  const [payload = '', mac = '', ...rest] = cursor.split('.');
  const bytes = Buffer.from(mac, 'base64url');
  if (cursor.length > CURSOR_CHARS_MAX || rest.length > 0 || bytes.byteLength !== MAC_BYTES) {
    throw invalid();
  }
  // Another spelling of the same bytes is refused: one position has one cursor.
  if (bytes.toString('base64url') !== mac) throw invalid();
  return [payload, bytes];
}

function filterHash(scope: CursorScope): string {
  const filters = Object.fromEntries(
    Object.entries(scope.filters).filter(([, value]) => value !== undefined),
  );
  return createHash('sha256')
    .update(canonicalJson(filters))
    .digest('hex')
    .slice(0, FILTER_HASH_CHARS);
}

function invalid(): DomainError {
  return new DomainError('cursor-invalid');
}
