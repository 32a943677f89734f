/**
 * Pre-signed links to the report of a screening and to its signature, good for thirty minutes
 * (interface.md 4.8). The holder of a link needs no credential.
 *
 *   base64url( JSON of ReportLink and its expiry ) "." base64url( HMAC-SHA-256 )
 *
 * The blob is sealed under a key of the installation, so that the link alone leads to the file, and
 * the store alone does not.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import type { Locale } from '#platform/locales';

export const REPORT_LINK_MS = 30 * 60_000;
const TOKEN_CHARS_MAX = 1_024;
const MAC_BYTES = 32;

/** What a link leads to. */
export interface ReportLink {
  readonly part: 'pdf' | 'signature';
  readonly tenantId: TenantId;
  readonly screeningId: string;
  readonly lang: Locale;
  /** Address of the sealed file. */
  readonly blob: string;
  /** Digest of the PDF, in hex. */
  readonly sha256: string;
  /** Whether the query was erased when it was made: erased since, the file is served no more. */
  readonly isErased: boolean;
}

export interface ReportLinks {
  issue(link: ReportLink, expiresAt: EpochMs): string;
  /** Throws `not-found` for a token that is not ours, `link-expired` for one that was. */
  open(token: string): ReportLink;
}

/** `key` is at least 32 bytes, the same in every gateway of an installation. */
export function createReportLinks(options: {
  readonly key: Uint8Array;
  readonly clock: Pick<Clock, 'now'>;
}): ReportLinks {
  const { clock, key } = options;
  if (key.byteLength < MAC_BYTES) throw new RangeError('link key: expected at least 32 bytes');
  const macOf = (payload: string): Buffer =>
    createHmac('sha256', key).update(`screening-pdf-v1\0${payload}`).digest();
  return {
    issue(link, expiresAt) {
      const payload = Buffer.from(JSON.stringify({ ...link, expiresAt })).toString('base64url');
      return `${payload}.${macOf(payload).toString('base64url')}`;
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
      const { expiresAt, ...link } = JSON.parse(
        Buffer.from(payload, 'base64url').toString(),
      ) as ReportLink & { readonly expiresAt: number };
      if (clock.now() >= expiresAt) throw new DomainError('link-expired');
      return link;
    },
  };
}
