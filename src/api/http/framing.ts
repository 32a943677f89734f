/**
 * Whether a request's head can be read in one way only (RFC 9112). Where two readers could differ
 * on where a message ends or whom it is for, a proxy and this server might differ too, and one
 * client's bytes would become another's request. So the answer is 400 and the connection ends.
 *
 * Both adapters hand in what their parser let through: names and values in order, repeated lines
 * not yet joined. What a parser hides from us is listed in
 * docs/decisions/0002-http-adapters.md.
 */

/** Origin-form: visible ASCII, no fragment (RFC 9112, 3.2.1; RFC 3986, 3.5 is never sent). */
const ORIGIN_FORM = /^\/[\x21\x22\x24-\x7e]*$/;
/** `uri-host [":" port]`, without userinfo (RFC 9110, 4.2.4 and 7.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::\d{0,5})?$/;
const CONTENT_LENGTH = /^\d{1,15}$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)((?:[/?][^#]*)?)$/i;

/** RFC 9110, 5.6.2: method and field names. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110, 5.5: visible characters, space and tab; obs-text is one byte a character here. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Characters that no field value may contain, in any encoding (RFC 9110, 5.5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

export function isFieldValue(text: string): boolean {
  return FIELD_VALUE.test(text);
}

export interface Target {
  readonly path: string;
  readonly query: string;
}

/**
 * Path and query of a request target, or `undefined` where it names something else.
 * Absolute-form must be accepted (RFC 9112, 3.2.2); where its authority is not the Host line's,
 * the two disagree on whom the request is for, which is refused rather than resolved.
 */
export function parseTarget(method: string, target: string, host: string): Target | undefined {
  if (target.charCodeAt(0) !== 0x2f) {
    if (target === '*' && method === 'OPTIONS') return { path: '*', query: '' };
    const [, authority, rest] = ABSOLUTE_FORM.exec(target) ?? [];
    if (authority === undefined || authority.toLowerCase() !== host.toLowerCase()) return undefined;
    return parseTarget(method, rest?.startsWith('/') ? rest : `/${rest ?? ''}`, host);
  }
  if (!ORIGIN_FORM.test(target)) return undefined;
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/**
 * What the head declares about the body. `declaredBytes` is undefined for a chunked one,
 * 0 where there is none.
 */
export interface Framing {
  readonly host: string;
  readonly declaredBytes: number | undefined;
}

/** Collects the lines that decide framing, and says at the end whether they agree. */
export class FramingCheck {
  #host: string | undefined;
  #contentLength: string | undefined;
  #transferEncoding: string | undefined;
  #ambiguous = false;

  /** `name` in any case. Its length rules out most lines without a look at its characters. */
  see(name: string, value: string): void {
    if (name.length === 4) {
      if (name.toLowerCase() === 'host') this.#host = this.#only(this.#host, value);
    } else if (name.length === 14) {
      if (name.toLowerCase() === 'content-length')
        this.#contentLength = this.#only(this.#contentLength, value);
    } else if (name.length === 17) {
      if (name.toLowerCase() === 'transfer-encoding')
        this.#transferEncoding = this.#only(this.#transferEncoding, value);
    } else if (name.length === 0) {
      this.#ambiguous = true;
    }
  }

  /** `undefined`: refuse. HTTP/1.0 has no Host line of need and no transfer codings (6.1). */
  result(isHttp10: boolean): Framing | undefined {
    const host = this.#host;
    const contentLength = this.#contentLength;
    const transferEncoding = this.#transferEncoding;
    if (this.#ambiguous) return undefined;
    // RFC 9112, 3.2: none, several or an invalid one is a 400.
    if (host === undefined ? !isHttp10 : !HOST.test(host)) return undefined;
    if (transferEncoding !== undefined) {
      // 6.3: with a Content-Length it is an attempt at smuggling until proven otherwise. Only
      // `chunked` is understood here (6.1), and a list of codings hides it from simpler readers.
      if (contentLength !== undefined || isHttp10) return undefined;
      if (transferEncoding.toLowerCase() !== 'chunked') return undefined;
      return { host: host ?? '', declaredBytes: undefined };
    }
    if (contentLength === undefined) return { host: host ?? '', declaredBytes: 0 };
    // 8.6 of RFC 9110: digits only. Lists such as `5, 5` may be merged; a strict reader refuses.
    if (!CONTENT_LENGTH.test(contentLength)) return undefined;
    return { host: host ?? '', declaredBytes: Number(contentLength) };
  }

  #only(seen: string | undefined, value: string): string {
    if (seen !== undefined) this.#ambiguous = true;
    return value;
  }
}
