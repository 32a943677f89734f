/** HMAC-SHA-256 beside Node's own. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HmacSha256 } from '#platform/crypto';

test('digests are those of createHmac, for keys and messages of every length', () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(bytes, fc.array(bytes, { maxLength: 3 }), (key, messages) => {
      const mac = new HmacSha256(key);
      for (const message of messages) {
        const expected = createHmac('sha256', key).update(message).digest();
        expect(mac.digest(message)).toEqual(expected);
      }
    }),
  );
});
