/**
 * What a receiver does with a call (interface.md 6.1): the signature over the bytes as they came,
 * the time, and in constant time. `webhook listen` does it as docs/webhooks.md tells customers to.
 */
import { constantTimeEqual, HmacSha256 } from '#platform/crypto';
import { keyOfSecret } from './signing.ts';

/** Seconds by which the signed time may differ from the receiver's. */
export const TOLERANCE_S = 300;

/** Why a call is refused; undefined where it is genuine. */
export type CallRefusal = 'header-malformed' | 'too-old' | 'too-new' | 'signature-wrong';

const HEADER = /^t=([0-9]{1,12})((?:,v1=[0-9a-f]{64}){1,8})$/;

/** `header` is X-Service-Signature; `nowS` the receiver's time in seconds. */
export function refusalOf(of: {
  readonly secret: string;
  readonly header: string;
  readonly body: string;
  readonly nowS: number;
}): CallRefusal | undefined {
  const [, t = '', signatures = ''] = HEADER.exec(of.header) ?? [];
  if (t === '') return 'header-malformed';
  const ageS = of.nowS - Number(t);
  if (ageS > TOLERANCE_S) return 'too-old';
  if (ageS < -TOLERANCE_S) return 'too-new';
  const hmac = new HmacSha256(keyOfSecret(of.secret));
  const expected = hmac.digest(Buffer.from(`${t}.${of.body}`)).toString('hex');
  const given = signatures.split(',v1=').slice(1);
  return given.some((one) => constantTimeEqual(one, expected)) ? undefined : 'signature-wrong';
}
