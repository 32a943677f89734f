/** Links to archives: for one caller, one request and half an hour. */
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { constantTimeEqual, HmacSha256 } from '#platform/crypto';
import { ARCHIVE_LINK_MS } from './limits.ts';

/** Whom a link is for, and to what. */
export interface ArchiveLinkOf {
  readonly tenantId: TenantId;
  /** The caller's account, or key. */
  readonly caller: string;
  readonly requestId: string;
}

/** Makes links and opens them; `key` is the installation's, and stored nowhere. */
export class ArchiveLinks {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #mac: HmacSha256;

  constructor(key: Uint8Array, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#mac = new HmacSha256(key);
  }

  make(of: ArchiveLinkOf): { readonly token: string; readonly expiresAt: EpochMs } {
    const expiresAt = (this.#clock.now() + ARCHIVE_LINK_MS) as EpochMs;
    return { expiresAt, token: `${expiresAt}.${this.#tag(of, expiresAt)}` };
  }

  /** Throws `privacy-link-expired`. */
  open(token: string, of: ArchiveLinkOf): void {
    const [expires = '', tag = ''] = token.split('.');
    const expiresAt = Number(expires) as EpochMs;
    const isGood = constantTimeEqual(tag, this.#tag(of, expiresAt));
    if (!isGood || expiresAt <= this.#clock.now()) throw new DomainError('privacy-link-expired');
  }

  #tag({ caller, requestId, tenantId }: ArchiveLinkOf, expiresAt: EpochMs): string {
    const text = ['privacy-archive-link-v1', tenantId, caller, requestId, expiresAt].join('\0');
    return this.#mac.digest(Buffer.from(text)).toString('base64url');
  }
}
