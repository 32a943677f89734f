/** Merkle trees against the vectors of Certificate Transparency, and against themselves. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inclusionProof, isIncluded, leafHash, merkleRoot } from '../../src/platform/merkleTree.ts';

/** Vectors of the reference implementations: eight leaves, and the root of the first n of them. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => leafHash(Buffer.from(hex, 'hex')));
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
/** Proofs of single leaves, from the same implementations. */
const PROOFS = [
  {
    index: 5,
    size: 8,
    proof: [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  },
  {
    index: 2,
    size: 3,
    proof: ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  },
];
const hex = (hashes: readonly Uint8Array[]): string[] =>
  hashes.map((hash) => Buffer.from(hash).toString('hex'));

describe('a Merkle tree', () => {
  test.each(ROOTS.map((root, size) => ({ root, size })))(
    'of $size leaves has the published root',
    ({ root, size }) => {
      expect(hex([merkleRoot(LEAVES.slice(0, size))])).toEqual([root]);
    },
  );

  test.each(PROOFS)('proves leaf $index of $size as published', ({ index, size, proof }) => {
    expect(hex(inclusionProof(LEAVES.slice(0, size), index))).toEqual(proof);
  });

  const list = fc.array(fc.string(), { maxLength: 70, minLength: 1 });

  test('proves each of its leaves, at its place alone', () => {
    fc.assert(
      fc.property(list, (texts) => {
        const leaves = texts.map(leafHash);
        const root = merkleRoot(leaves);
        leaves.forEach((leaf, index) => {
          const proof = inclusionProof(leaves, index);
          const size = leaves.length;
          expect(isIncluded(root, leaf, { index, proof, size })).toBe(true);
          const other = (index + 1) % size;
          const isTwin = Buffer.compare(leaf, leaves[other] ?? leaf) === 0;
          if (!isTwin) expect(isIncluded(root, leaf, { index: other, proof, size })).toBe(false);
        });
      }),
    );
  });

  test('a changed leaf, root or proof, a missing and a surplus hash prove nothing', () => {
    fc.assert(
      fc.property(list, fc.nat(), fc.nat({ max: 255 }), (texts, pick, bit) => {
        const leaves = texts.map(leafHash);
        const [size, index] = [leaves.length, pick % leaves.length];
        const root = merkleRoot(leaves);
        const leaf = leaves[index] ?? root;
        const proof = inclusionProof(leaves, index);
        const changed = (hash: Uint8Array): Uint8Array =>
          hash.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        const place = { index, proof, size };
        expect(isIncluded(root, changed(leaf), place)).toBe(false);
        expect(isIncluded(changed(root), leaf, place)).toBe(false);
        expect(isIncluded(root, leaf, { ...place, proof: [...proof, root] })).toBe(false);
        expect(isIncluded(root, leaf, { ...place, proof: [...proof, Buffer.of(1)] })).toBe(false);
        proof.forEach((hash, at) => {
          expect(isIncluded(root, leaf, { ...place, proof: proof.toSpliced(at, 1) })).toBe(false);
          const swapped = proof.with(at, Buffer.from(changed(hash)));
          expect(isIncluded(root, leaf, { ...place, proof: swapped })).toBe(false);
        });
      }),
    );
  });

  test('places that are none prove nothing', () => {
    const root = merkleRoot(LEAVES);
    for (const [index, size] of [
      [-1, 8],
      [8, 8],
      [0, 0],
      [0.5, 8],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
    ] as const) {
      expect(isIncluded(root, LEAVES[0] ?? root, { index, proof: [], size })).toBe(false);
    }
    expect(() => inclusionProof(LEAVES, 8)).toThrow(/index/);
  });

  test('a node is no leaf: two leaves and the one of their hashes have different roots', () => {
    const [left, right] = [leafHash('a'), leafHash('b')];
    expect(merkleRoot([leafHash(Buffer.concat([left, right]))])).not.toEqual(
      merkleRoot([left, right]),
    );
  });
});
