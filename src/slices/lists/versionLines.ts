/** A version's lines from where they are stored: a whole bundle, or one with a delta. */
import type { BlobStore, PutBlob } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { readBundleLines } from './bundle.ts';
import { type DeltaBundle, readDeltaBundle } from './deltaBundle.ts';
import { lineId } from './entityLine.ts';
import { type LineChanges, sortedIds } from './lineTable.ts';
import type { StoredBundle } from './ports.ts';
import { firstNotBefore } from './sortedLines.ts';

/**
 * Batches by id; a batch is valid until the next one. Throws `list-damaged`, perhaps only at the
 * end: no batch counts before that. The blobs are our own, so no key is needed: they are verified
 * by their addresses, or by the seal of `put`.
 */
export async function* versionLines(
  version: StoredBundle,
  blobs: Pick<BlobStore, 'open'>,
  put?: PutBlob,
): AsyncGenerator<readonly Buffer[]> {
  const { bundleBase, bundleBlob, entityCount } = version;
  const delta = bundleBase && (await readDelta(version, blobs, put));
  const address = bundleBase?.bundleBlob ?? bundleBlob;
  const pieces = await blobs.open(address, delta ? undefined : put);
  if (pieces === undefined) throw damaged(`bundle ${address}: it is gone`);
  const whole = readBundleLines(pieces);
  let count = 0;
  for await (const lines of delta ? changedLines(whole, delta.changes) : whole) {
    count += lines.length;
    yield lines;
  }
  if (count !== entityCount) throw damaged(`expected ${entityCount} entities, read ${count} again`);
}

/** The delta of a version that has a base. */
export async function readDelta(
  { bundleBase, bundleBlob }: Pick<StoredBundle, 'bundleBlob' | 'bundleBase'>,
  blobs: Pick<BlobStore, 'open'>,
  put?: PutBlob,
): Promise<DeltaBundle> {
  const pieces = await blobs.open(bundleBlob, put);
  if (pieces === undefined) throw damaged(`bundle ${bundleBlob}: it is gone`);
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  const delta = readDeltaBundle(Buffer.concat(parts));
  if (delta.header.base === bundleBase?.bundleBlob) return delta;
  throw damaged(`bundle ${bundleBlob}: it is of another base`);
}

async function* changedLines(
  whole: AsyncIterable<readonly Buffer[]>,
  changes: LineChanges,
): AsyncGenerator<readonly Buffer[]> {
  const ids = sortedIds(changes);
  let next = 0;
  for await (const lines of whole) {
    const last = lines.at(-1);
    if (last === undefined) continue;
    const lastId = lineId(last);
    const out: Buffer[] = [];
    let at = 0;
    for (let id = ids[next]; id !== undefined && id <= lastId; id = ids[++next]) {
      const wanted = id;
      const place = firstNotBefore(lines, at, (line) => lineId(line) < wanted);
      for (; at < place; at++) out.push(lines[at] as Buffer);
      const former = lines[at];
      if (former !== undefined && lineId(former) === id) at++;
      const line = changes.get(id);
      if (line) out.push(line);
    }
    for (; at < lines.length; at++) out.push(lines[at] as Buffer);
    if (out.length > 0) yield out;
  }
  const rest = ids.slice(next).flatMap((id) => changes.get(id) ?? []);
  if (rest.length > 0) yield rest;
}

const damaged = (detail: string) => new DomainError('list-damaged', { detail });
