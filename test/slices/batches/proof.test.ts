/** The attestation of a batch, and the proof of one subject: good as they are, bad if touched. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newKeyRing, rotateKeyRing } from '#core/audit';
import { chainOf } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { sha256, signerFromSeed } from '#platform/crypto';
import {
  type Attestation,
  attest,
  attestationText,
  cutProof,
  refuseReportSignature,
  type ScreenedBatch,
  type SubjectProof,
  signedResults,
  signReport,
  verifyAttestation,
  verifyProof,
  verifyProofValue,
} from '#slices/batches';
import { type Sample, type SampleOptions, sampleBatch } from '../../reports/sampleBatch.ts';
import { storeOf } from '../../reports/sampleStore.ts';

const FILE = { address: 'cd'.repeat(32), bytes: 1 };

const attestationOf = ({ from, signer }: Sample): Attestation =>
  attest(from, { csv: FILE, xlsx: FILE }, signer);

async function proofOf(sample: Sample, externalId: string): Promise<SubjectProof> {
  const attestation = attestationOf(sample);
  return cutProof(await storeOf(sample), { attestation, batch: sample.batch, externalId });
}

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('the attestation', () => {
  const sample = sampleBatch({ subjects: 40, tenantName: 'بنك' });

  test('verifies by the public keys, in any order of its members', () => {
    const attestation = attestationOf(sample);
    expect(verifyAttestation(Buffer.from(attestationText(attestation)), sample.keys).ok).toBe(true);
    const turned = Object.fromEntries(Object.entries(attestation).reverse());
    expect(verifyAttestation(bytesOf(turned), sample.keys).ok).toBe(true);
  });

  test('is the same for the same batch', () => {
    expect(attestationText(attestationOf(sample))).toBe(attestationText(attestationOf(sample)));
  });

  test('with any member changed, left out or added does not verify', () => {
    const attestation = attestationOf(sample);
    for (const [name, value] of Object.entries(attestation)) {
      const other = typeof value === 'number' ? value + 1 : 'another';
      expect(verifyAttestation(bytesOf({ ...attestation, [name]: other }), sample.keys).ok).toBe(
        false,
      );
      const { [name as keyof Attestation]: _, ...rest } = attestation;
      expect(verifyAttestation(bytesOf(rest), sample.keys).ok).toBe(false);
    }
    expect(verifyAttestation(bytesOf({ ...attestation, more: 1 }), sample.keys).ok).toBe(false);
  });

  test('by another key, or one that never held, is refused', () => {
    const bytes = Buffer.from(attestationText(attestationOf(sample)));
    const stranger = newKeyRing(signerFromSeed(Buffer.alloc(32, 9)).publicKey);
    expect(verifyAttestation(bytes, stranger)).toEqual({ ok: false, reason: 'key-unknown' });
    const [key] = sample.keys.keys;
    const ended = { keys: [{ ...key, held: { default: { from: 1, until: 0 } } }] };
    expect(verifyAttestation(bytes, ended)).toEqual({ ok: false, reason: 'key-not-held' });
  });

  test('by a key that was retired is good for what it has seen, and nothing later', () => {
    const { signer } = sample;
    const next = signerFromSeed(Buffer.alloc(32, 5)).publicKey;
    const until = sample.batch.chainPlace.seq;
    const chainId = chainOf(sample.batch.tenantId);
    const at = (sample.batch.completedAt + 1_000) as EpochMs;
    const ring = rotateKeyRing(sample.keys, next, [{ chainId, seq: until }], at);
    const files = { csv: FILE, xlsx: FILE };
    const signed = (changed: Partial<ScreenedBatch>) => {
      const batch = { ...sample.batch, ...changed };
      const attestation = attest({ batch, tenantName: 'B' }, files, signer);
      return verifyAttestation(Buffer.from(attestationText(attestation)), ring);
    };
    expect(signed({}).ok).toBe(true);
    const refused = { ok: false, reason: 'key-not-held' };
    expect(signed({ chainPlace: { hash: 'f'.repeat(64), seq: until + 1 } })).toEqual(refused);
    expect(signed({ completedAt: (at + 1) as EpochMs })).toEqual(refused);
    // Of a former release: it says no place, and only the chain can tell when it was made.
    const { chain: _, signature: __, ...former } = attestationOf(sample);
    const message = `batch-attestation-v1\0${canonicalJson(former)}`;
    const signature = Buffer.from(signer.sign(Buffer.from(message))).toString('base64');
    const bytes = bytesOf({ ...former, signature });
    expect(verifyAttestation(bytes, sample.keys).ok).toBe(true);
    expect(verifyAttestation(bytes, ring)).toEqual(refused);
    expect(verifyAttestation(bytes, ring, { isAnchored: true }).ok).toBe(true);
  });

  test('a file that is none is told, whatever it is', () => {
    for (const text of [
      '',
      'null',
      '[]',
      '{}',
      '{"type":"batch-attestation"}',
      '\u0000',
      '{"a":1',
    ]) {
      expect(verifyAttestation(Buffer.from(text), sample.keys).ok).toBe(false);
    }
  });

  test('the detached signature is of the bytes of the file', () => {
    const file = Buffer.from('a PDF');
    const signature = signReport(sha256(file).toString('hex'), sample.signer);
    const by = { attestation: attestationOf(sample), keys: sample.keys };
    expect(refuseReportSignature(file, signature, by)).toBeUndefined();
    expect(refuseReportSignature(Buffer.from('a PDf'), signature, by)).toBe(
      'signature does not verify',
    );
    expect(refuseReportSignature(file, 'AAAA', by)).toBe('signature does not verify');
  });
});

describe('the proof of one subject', () => {
  test.each([
    [1, 1_000, 0],
    [7, 3, 6],
    [25, 4, 11],
    [64, 8, 63],
  ])('of %i subjects in chunks of %i verifies for number %i', async (subjects, size, at) => {
    const sample = sampleBatch({ chunkSubjects: size, subjects });
    const proof = await proofOf(sample, `C-${at}`);
    const verified = verifyProof(bytesOf(proof), sample.keys);
    expect(verified).toMatchObject({
      ok: true,
      value: { result: { external_id: `C-${at}`, ordinal: at } },
    });
  });

  test('is cut for the subject himself, not for one whose name holds his id', async () => {
    const options: SampleOptions = {
      subjectOf: (ordinal) => ({
        external_id: ['a"b', '"external_id":"x"', 'x'][ordinal] ?? '',
        full_name: '"external_id":"x"',
      }),
      subjects: 3,
    };
    const sample = sampleBatch(options);
    const result = (id: string) => proofOf(sample, id).then((proof) => JSON.parse(proof.result));
    expect((await result('x')).ordinal).toBe(2);
    expect((await result('a"b')).ordinal).toBe(0);
    await expect(proofOf(sample, 'y')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('holds nothing of any other subject, nor the open members of events', async () => {
    const sample = sampleBatch({ chunkSubjects: 8, subjects: 20 });
    const text = JSON.stringify(await proofOf(sample, 'C-9'));
    expect(text.match(/C-\d+/g)?.every((id) => id === 'C-9')).toBe(true);
    expect(text).not.toContain('details_salt');
  });

  test('finds the event of its chunk although the clock of a worker was late', async () => {
    const sample = sampleBatch({ chunkSubjects: 1, subjects: 6 });
    const ports = await storeOf(sample);
    const late = (one: { occurredAt: number }) => ({ ...one, occurredAt: one.occurredAt + 1e7 });
    const audit = {
      ...ports.audit,
      findBySeq: async (...ask: Parameters<typeof ports.audit.findBySeq>) => {
        const event = await ports.audit.findBySeq(...ask);
        return event && (event.seq < 7 ? (late(event) as typeof event) : event);
      },
    };
    const from = { attestation: attestationOf(sample), batch: sample.batch, externalId: 'C-0' };
    const results = signedResults({ ...ports, audit });
    expect((await cutProof({ ...ports, audit, results }, from)).event.chunk_no).toBe(0);
  });

  test('with anything in it changed does not verify', async () => {
    const sample = sampleBatch({ chunkSubjects: 4, subjects: 13 });
    const proof = await proofOf(sample, 'C-5');
    const paths = leavesOf(proof);
    expect(paths.length).toBeGreaterThan(60);
    for (const path of paths) {
      const changed = structuredClone(proof) as never;
      touch(changed, path);
      expect(verifyProofValue(changed, sample.keys).ok, path.join('.')).toBe(false);
    }
  });

  test("another batch's event, attestation or place does not carry it", async () => {
    const sample = sampleBatch({ chunkSubjects: 4, subjects: 12 });
    const [one, other] = [await proofOf(sample, 'C-1'), await proofOf(sample, 'C-5')];
    const others = sampleBatch({ chunkSubjects: 4, hitsOf: () => 2, subjects: 12 });
    const foreign = await proofOf(others, 'C-1');
    for (const changed of [
      { ...one, result: other.result },
      { ...one, event: other.event },
      { ...one, in_results: other.in_results },
      { ...one, event: foreign.event },
      { ...one, attestation: foreign.attestation },
      { ...one, in_chunk: { ...one.in_chunk, leaf_index: 0 } },
      { ...one, in_chunk: { ...one.in_chunk, path: [...one.in_chunk.path, '00'.repeat(32)] } },
    ]) {
      expect(verifyProofValue(changed, sample.keys).ok).toBe(false);
    }
  });

  test('a file that is none is told, and nothing is thrown', () => {
    const { keys } = sampleBatch({ subjects: 1 });
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(verifyProof(Buffer.from(text), keys).ok).toBe(false);
      }),
    );
  });
});

type Path = readonly (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

/** Another value of the same type in its place. */
function touch(root: Record<string, unknown>, path: Path): void {
  const parent = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, root);
  const name = String(path.at(-1));
  const value = parent[name];
  if (typeof value === 'number') parent[name] = value + 1;
  else if (typeof value === 'boolean') parent[name] = !value;
  else if (typeof value === 'string') {
    const middle = Math.floor(value.length / 2);
    const other = value[middle] === '0' ? '1' : '0';
    parent[name] = `${value.slice(0, middle)}${other}${value.slice(middle + 1)}`;
  } else parent[name] = 'something';
}
