/** Links to packages: for one caller, one package and five minutes. */
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { constantTimeEqual, HmacSha256 } from '#platform/crypto';
import { LINK_MS } from './limits.ts';

/** Whom a link is for, and to what. */
export interface LinkOf {
  readonly tenantId: TenantId;
  /** The caller's account, or key. */
  readonly caller: string;
  readonly strId: string;
  readonly number: number;
}

/** Makes links and opens them; `key` is the installation's, and stored nowhere. */
export class PackageLinks {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #mac: HmacSha256;

  constructor(key: Uint8Array, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#mac = new HmacSha256(key);
  }

  make(of: LinkOf): { readonly token: string; readonly expiresAt: EpochMs } {
    const expiresAt = (this.#clock.now() + LINK_MS) as EpochMs;
    return { expiresAt, token: `${of.number}.${expiresAt}.${this.#tag(of, expiresAt)}` };
  }

  /** The number of the submission. Throws `str-link-expired`. */
  open(token: string, of: Omit<LinkOf, 'number'>): number {
    const [number = '', expires = '', tag = ''] = token.split('.');
    const expiresAt = Number(expires) as EpochMs;
    const good = this.#tag({ ...of, number: Number(number) }, expiresAt);
    if (constantTimeEqual(tag, good) && expiresAt > this.#clock.now()) return Number(number);
    throw new DomainError('str-link-expired');
  }

  #tag({ caller, number, strId, tenantId }: LinkOf, expiresAt: EpochMs): string {
    const text = ['str-package-link-v1', tenantId, caller, strId, number, expiresAt].join('\0');
    return this.#mac.digest(Buffer.from(text)).toString('base64url');
  }
}
