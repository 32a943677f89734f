/**
 * The whole signed bundle of a version that is kept as a delta, to take it to another installation:
 * the bytes that the version would have had if it had been written whole. Signatures are
 * deterministic, so the bytes are always the same.
 */
import type { BlobStore, PutBlob } from '#core/blobs';
import type { Signer } from '#platform/crypto';
import { writeBundle } from './bundle.ts';
import type { ListVersion } from './ports.ts';
import { readDelta, versionLines } from './versionLines.ts';

const LINE_FEED = Buffer.from('\n');

/** Throws `list-damaged` where the delta or its base is gone or is not what was written. */
export async function putWholeBundle(
  version: ListVersion,
  { blobs, signer }: { readonly blobs: Pick<BlobStore, 'open' | 'put'>; readonly signer: Signer },
): Promise<PutBlob> {
  const { header } = await readDelta(version, blobs);
  const { fetched_at, list_version, source } = header;
  async function* pieces() {
    for await (const lines of versionLines(version, blobs)) {
      yield Buffer.concat(lines.flatMap((line) => [line, LINE_FEED]));
    }
  }
  const whole = { fetched_at, kind: 'full' as const, list_version, source };
  return blobs.put(writeBundle(whole, pieces(), signer));
}
