/**
 * Links to files: for one caller, to one thing, and for a while. What a link is for stands in its
 * tag and not in the link, so it is good for nobody else.
 */
import type { Clock, EpochMs } from './clock.ts';
import { constantTimeEqual, HmacSha256 } from './crypto.ts';

/** What the links of one kind are made with. */
export interface CallerLinksOf {
  /** The installation's, and stored nowhere. */
  readonly key: Uint8Array;
  readonly clock: Pick<Clock, 'now'>;
  /** No two kinds share it. */
  readonly purpose: string;
  /** Milliseconds for which a link is good. */
  readonly lifeMs: number;
}

/** What a link is for: tenant, caller, and the ids of the thing. */
export type LinkParts = readonly (number | string)[];

/** Makes links and says whether one is good. */
export class CallerLinks {
  readonly #of: CallerLinksOf;
  readonly #mac: HmacSha256;

  constructor(of: CallerLinksOf) {
    this.#of = of;
    this.#mac = new HmacSha256(of.key);
  }

  make(parts: LinkParts): { readonly token: string; readonly expiresAt: EpochMs } {
    const expiresAt = (this.#of.clock.now() + this.#of.lifeMs) as EpochMs;
    return { expiresAt, token: `${expiresAt}.${this.#tag(parts, expiresAt)}` };
  }

  isGood(token: string, parts: LinkParts): boolean {
    const [expires = '', tag = ''] = token.split('.');
    const expiresAt = Number(expires);
    return constantTimeEqual(tag, this.#tag(parts, expiresAt)) && expiresAt > this.#of.clock.now();
  }

  #tag(parts: LinkParts, expiresAt: number): string {
    const text = [this.#of.purpose, ...parts, expiresAt].join('\0');
    return this.#mac.digest(Buffer.from(text)).toString('base64url');
  }
}
