/**
 * Pre-signed links to the signed bundles of published versions (interface.md 4.9). A link's holder
 * may fetch that one bundle for five minutes, without a credential.
 *
 *   base64url( JSON [source, run, blob, expiry, tenant] ) "." base64url( HMAC-SHA-256 )
 *
 * The tenant is the one that asked for the link; a bundle belongs to no tenant. The blob is in the
 * link, so it leads to the bytes for which it was made or nowhere.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';

export const SNAPSHOT_LINK_MS = 5 * 60_000;
/** Versions of a source that are shown and linked to; older ones are kept only for replay. */
export const SNAPSHOTS_LISTED_MAX = 10;
const TOKEN_CHARS_MAX = 1_024;
const MAC_BYTES = 32;

export interface SnapshotLink {
  readonly sourceId: string;
  readonly runId: string;
  /** Content address of the bundle. */
  readonly blob: string;
  readonly tenantId: TenantId;
}

export interface SnapshotLinks {
  issue(link: SnapshotLink): { readonly token: string; readonly expiresAt: EpochMs };
  /** Throws `not-found` for a token that is not ours, `link-expired` for one that was. */
  open(token: string): SnapshotLink;
}

/** `key` is at least 32 bytes, the same in every gateway of an installation. */
export function createSnapshotLinks(options: {
  readonly key: Uint8Array;
  readonly clock: Pick<Clock, 'now'>;
}): SnapshotLinks {
  const { clock, key } = options;
  if (key.byteLength < MAC_BYTES) throw new RangeError('link key: expected at least 32 bytes');
  const macOf = (payload: string): Buffer =>
    createHmac('sha256', key).update(`snapshot-link-v1\0${payload}`).digest();
  return {
    issue({ blob, runId, sourceId, tenantId }) {
      const expiresAt = (clock.now() + SNAPSHOT_LINK_MS) as EpochMs;
      const fields = [sourceId, runId, blob, expiresAt, tenantId];
      const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
      return { expiresAt, token: `${payload}.${macOf(payload).toString('base64url')}` };
    },
    open(token) {
      const [payload = '', mac = '', ...rest] = token.split('.');
      const bytes = Buffer.from(mac, 'base64url');
      const isOurs =
        token.length <= TOKEN_CHARS_MAX &&
        rest.length === 0 &&
        bytes.byteLength === MAC_BYTES &&
        bytes.toString('base64url') === mac &&
        timingSafeEqual(bytes, macOf(payload));
      if (!isOurs) throw new DomainError('not-found');
      // Written by us, as the MAC proves.
      const [sourceId, runId, blob, expiresAt, tenantId] = JSON.parse(
        Buffer.from(payload, 'base64url').toString(),
      ) as [string, string, string, number, TenantId];
      if (clock.now() >= expiresAt) throw new DomainError('link-expired');
      return { blob, runId, sourceId, tenantId };
    },
  };
}
