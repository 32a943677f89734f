/** Ed25519 on the public vectors, and against @noble/ed25519 in its strict mode. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sign as nobleSign, verify as nobleVerify, Point } from '@noble/ed25519';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  constantTimeEqual,
  generatePrivateKeyPem,
  jwkSet,
  KeyError,
  publicKeyFromRaw,
  publicKeyFromX,
  refusePublicKey,
  sha256Hex,
  signerFromSeed,
  signerFromText,
  verifyEd25519,
} from '../../src/platform/crypto.ts';

const dataDir = process.env.TEST_DATA_DIR;
if (!dataDir) console.warn('SKIPPED: Ed25519 vectors, TEST_DATA_DIR is not set');
const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? 150);
const file = (name: string) => join(dataDir ?? '', 'crypto', name);
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const noble = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  signature.length === 64 && nobleVerify(signature, message, key, { zip215: false });

interface Wycheproof {
  testGroups: {
    publicKey: { pk: string };
    tests: { tcId: number; msg: string; sig: string; result: string }[];
  }[];
}

describe.skipIf(!dataDir)('public vectors', () => {
  test('Wycheproof: 151 of 151', () => {
    const suite = JSON.parse(
      readFileSync(file('wycheproof/ed25519_test.json'), 'utf8'),
    ) as Wycheproof;
    const cases = suite.testGroups.flatMap((group) =>
      group.tests.map((one) => ({ ...one, pk: group.publicKey.pk })),
    );
    const wrong = cases.filter(
      ({ pk, msg, sig, result }) =>
        verifyEd25519(hex(pk), hex(msg), hex(sig)) !== (result === 'valid'),
    );
    expect(cases).toHaveLength(151);
    expect(wrong).toEqual([]);
  });

  test('ZIP-215: all 196 keys are of small order, so none verifies and none registers', () => {
    const cases = JSON.parse(readFileSync(file('ed25519/zip215.json'), 'utf8')) as {
      vk_bytes: string;
      sig_bytes: string;
    }[];
    expect(cases).toHaveLength(196);
    for (const { vk_bytes, sig_bytes } of cases) {
      expect(verifyEd25519(hex(vk_bytes), Buffer.from('Zcash'), hex(sig_bytes))).toBe(false);
      expect(refusePublicKey(hex(vk_bytes))).toBe('small-order');
    }
  });

  test('speccheck edge cases: as noble in strict mode, and as its published table', () => {
    const cases = JSON.parse(readFileSync(file('ed25519/edge-cases.json'), 'utf8')) as {
      message: string;
      pub_key: string;
      signature: string;
    }[];
    const got = cases.map((one) =>
      verifyEd25519(hex(one.pub_key), hex(one.message), hex(one.signature)),
    );
    expect(got).toEqual(
      cases.map((one) => noble(hex(one.pub_key), hex(one.message), hex(one.signature))),
    );
    // Cofactored, S reduced, A canonical and not small: 2, 3, 4 and 5 pass.
    expect(got.flatMap((good, index) => (good ? [index] : []))).toEqual([2, 3, 4, 5]);
    expect(cases.map((one) => refusePublicKey(hex(one.pub_key)) ?? 'taken').join(' ')).toBe(
      'small-order small-order mixed-order mixed-order mixed-order mixed-order taken taken ' +
        'mixed-order mixed-order small-order small-order',
    );
  });

  test('ed25519.cr.yp.to: 1,024 keys and signatures, and a changed bit in each', () => {
    const text = execFileSync('xz', ['-dc', file('ed25519/vectors.txt.xz')], {
      maxBuffer: 1 << 26,
    }).toString();
    const lines = text.split('\n').filter(Boolean);
    expect(lines).toHaveLength(1024);
    for (const [index, line] of lines.entries()) {
      const [secret = '', publicHex = '', message = '', signed = ''] = line.split(':');
      const signer = signerFromSeed(hex(secret.slice(0, 64)));
      const signature = signer.sign(hex(message));
      expect(Buffer.from(signer.publicKey.raw).toString('hex')).toBe(publicHex);
      expect(Buffer.from(signature).toString('hex')).toBe(signed.slice(0, 128));
      expect(signer.publicKey.verify(hex(message), signature)).toBe(true);
      if (index % 8 > 0) continue; // a refusal asks noble too: 2 ms
      const changed = Uint8Array.from(signature);
      changed[index % 64] = (changed[index % 64] ?? 0) ^ (1 << (index % 8));
      expect(signer.publicKey.verify(hex(message), changed)).toBe(false);
    }
  });
});

describe('public keys', () => {
  const SMALL_ORDER = [
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  ];
  const signs = SMALL_ORDER.flatMap((text) => {
    const negative = hex(text);
    negative[31] = (negative[31] ?? 0) | 0x80;
    return [hex(text), negative];
  });

  test.each(signs.map((raw) => ({ raw })))(
    'small order, encoding %#, is refused and forges nothing',
    ({ raw }) => {
      const forgery = new Uint8Array(64);
      forgery[0] = 1;
      expect(refusePublicKey(raw)).toBe('small-order');
      expect(verifyEd25519(raw, Buffer.from('pay'), forgery)).toBe(false);
      expect(() => publicKeyFromRaw(raw)).toThrow(KeyError);
    },
  );

  test('unreduced, off the curve, of mixed order, or of another length: each says so', () => {
    expect(refusePublicKey(hex(`f0${'ff'.repeat(30)}7f`))).toBe('non-canonical');
    expect(refusePublicKey(hex(`02${'00'.repeat(31)}`))).toBe('off-curve');
    expect(refusePublicKey(new Uint8Array(31))).toBe('length');
    const torsion = Point.fromHex(SMALL_ORDER[5] ?? '');
    const mixed = Point.fromBytes(signerFromSeed(new Uint8Array(32)).publicKey.raw).add(torsion);
    expect(refusePublicKey(mixed.toBytes())).toBe('mixed-order');
  });

  test('bytes that are no key verify nothing and throw nothing', () => {
    for (const raw of [new Uint8Array(0), hex(`02${'00'.repeat(31)}`), new Uint8Array(33)]) {
      expect(verifyEd25519(raw, new Uint8Array(0), new Uint8Array(64))).toBe(false);
    }
    const { publicKey } = signerFromSeed(new Uint8Array(32));
    expect(publicKey.verify(new Uint8Array(0), new Uint8Array(63))).toBe(false);
  });

  test('the key id is the thumbprint of RFC 8037, appendix A.3', () => {
    const key = publicKeyFromX('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo');
    expect(key.keyId).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect(jwkSet([key])).toEqual({
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          use: 'sig',
          alg: 'EdDSA',
        },
      ],
    });
    expect(() => publicKeyFromX('11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo')).toThrow(KeyError);
  });
});

describe('private keys', () => {
  test('PEM, PEM on one line and base64 seed give the same signer', () => {
    const pem = generatePrivateKeyPem();
    const seed = Buffer.from(pem.split('\n')[1] ?? '', 'base64').subarray(-32);
    const ids = [pem, pem.replaceAll('\n', '\\n'), seed.toString('base64')].map(
      (text) => signerFromText(text, 'AUDIT_KEY').keyId,
    );
    expect(new Set(ids).size).toBe(1);
  });

  test('a wrong text names the setting and not the material', () => {
    for (const text of [
      '',
      'hunter2',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
    ]) {
      expect(() => signerFromText(text, 'AUDIT_KEY')).toThrow(
        'AUDIT_KEY: expected an Ed25519 private key as PKCS#8 PEM or base64 seed',
      );
    }
  });
});

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });

test('what one implementation signs the other signs alike, and both verify', async () => {
  await fc.assert(
    fc.asyncProperty(seeds, fc.uint8Array({ maxLength: 300 }), async (seed, message) => {
      const signer = signerFromSeed(seed);
      const signature = Uint8Array.from(signer.sign(message));
      expect(signature).toEqual(nobleSign(message, seed));
      expect(noble(signer.publicKey.raw, message, signature)).toBe(true);
      expect(await signer.publicKey.verifyAsync(message, signature)).toBe(true);
    }),
    { numRuns: FUZZ_RUNS },
  );
});

test('on mutated keys, messages and signatures both always agree', () => {
  const place = fc.nat({ max: 127 * 8 });
  fc.assert(
    fc.property(seeds, place, fc.boolean(), (seed, bit, isKeySpecial) => {
      const signer = signerFromSeed(seed);
      const all = new Uint8Array(128); // key, message, signature
      all.set(isKeySpecial ? hex('ee'.padEnd(62, 'f').concat('7f')) : signer.publicKey.raw, 0);
      all.set(signer.sign(all.subarray(32, 64)), 64);
      all[bit >> 3] = (all[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const [key, message, signature] = [all.slice(0, 32), all.slice(32, 64), all.slice(64)];
      expect(verifyEd25519(key, message, signature)).toBe(noble(key, message, signature));
    }),
    { numRuns: FUZZ_RUNS },
  );
});

test('secrets compare by content, whatever their lengths', () => {
  expect(constantTimeEqual('cp_live_a', 'cp_live_a')).toBe(true);
  expect(constantTimeEqual('cp_live_a', 'cp_live_b')).toBe(false);
  expect(constantTimeEqual('a', Buffer.from('a'))).toBe(true);
  expect(constantTimeEqual('', 'a')).toBe(false);
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
