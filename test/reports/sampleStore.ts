/** A store that holds one made-up batch, as proofs and the command line read it. */
import { sha256Hex } from '#platform/crypto';
import {
  type Batch,
  type BatchReports,
  type ProofPorts,
  packLines,
  type SignedResultsPorts,
  signedResults,
} from '#slices/batches';
import { writeReports } from '../../src/reports/index.ts';
import type { Sample } from './sampleBatch.ts';

type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Blobs in memory, by digest. */
export class SampleBlobs {
  readonly blobs = new Map<string, Buffer>();

  async put(bytes: Bytes): Promise<{ address: string; bytes: number }> {
    const pieces: Uint8Array[] = [];
    if (bytes instanceof Uint8Array) pieces.push(bytes);
    else for await (const piece of bytes) pieces.push(piece);
    const whole = Buffer.concat(pieces);
    const address = sha256Hex(whole);
    this.blobs.set(address, whole);
    return { address, bytes: whole.length };
  }

  async get(address: string): Promise<Buffer | undefined> {
    return this.blobs.get(address);
  }

  async open(address: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const bytes = this.blobs.get(address);
    return bytes && only(bytes);
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** What of the store the proof of one subject needs; results are put into `blobs`. */
export async function storeOf(
  sample: Sample,
  blobs = new SampleBlobs(),
): Promise<ProofPorts & SignedResultsPorts> {
  const events = sample.events();
  const chunks = await Promise.all(
    sample.chunks.map(async ({ chunk, lines }) => {
      const packed = await packLines(lines.map((line) => line.toString()));
      const blob = (await blobs.put(packed)).address;
      return { ...chunk, result: { ...chunk.result, blob } };
    }),
  );
  const audit: SignedResultsPorts['audit'] = {
    findBySeq: async (_, seq) => events[seq - 1],
    head: async () => ({ hash: events.at(-1)?.hash ?? '', seq: events.length }),
    readEvents: async ({ action, fromSeq, limit }) =>
      events
        .filter((one) => one.seq >= fromSeq && (action ?? one.action) === one.action)
        .slice(0, limit),
  };
  const { keys: keyRing } = sample;
  const dataKeys = { find: async () => undefined };
  return {
    audit,
    batches: {
      latestIssue: async () => undefined,
      listChunks: async ({ fromNo, limit }) => chunks.slice(fromNo, fromNo + limit),
    },
    blobs,
    dataKeys,
    keyRing,
    results: signedResults({ audit, blobs, dataKeys, keyRing }),
  };
}

/** The batch as it is once its reports are written. */
export async function completedOf(
  sample: Sample,
  blobs: SampleBlobs,
): Promise<Batch & { readonly reports: BatchReports }> {
  const { from, signer } = sample;
  const rejected = await blobs.put(Buffer.from('line,reason,detail,external_id\r\n'));
  const batch = { ...from.batch, rejected };
  const put = (bytes: Bytes) => blobs.put(bytes);
  const reports = await writeReports({ put, signer }, { ...from, batch });
  return { ...batch, reports, status: 'completed' };
}
