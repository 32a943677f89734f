/**
 * Which entities of a version are new or different since an earlier one. A batch that continues
 * from an earlier one screens only these (decisions 4.4).
 *
 * They are the sum of the changes that each version between them has kept. Where that does not
 * reach back (a version of an earlier release, or one whose former version could not be read), the
 * lines of both versions are compared. Both ways count an entity as added that was removed and came
 * back in between: the sum has its removal, and the lines have a later date of first sight. A
 * change that was reverted in between is in the sum alone: the entity was different, and is named
 * once more.
 */
import type { BlobStore } from '#core/blobs';
import { type ChangeOp, readChanges } from './changes.ts';
import { type EntityLine, entityLine, textOf } from './entityLine.ts';
import type { ListVersion } from './ports.ts';
import { LineComparison } from './programmes.ts';
import type { SignedVersions } from './signedVersions.ts';
import { versionLines } from './versionLines.ts';

export type NewnessOf = ReadonlyMap<string, 'added' | 'updated'>;

export interface ChangesPorts {
  /** The addresses come from signed entries, not from the versions' records. */
  readonly signed: Pick<SignedVersions, 'changesSince'>;
  readonly blobs: Pick<BlobStore, 'get' | 'open'>;
}

/**
 * Entities of `to`, by id. Throws the errors that `isDamage` recognises where neither can be read.
 */
export async function changesBetween(
  ports: ChangesPorts,
  { from, to }: { readonly from: ListVersion; readonly to: ListVersion },
): Promise<NewnessOf> {
  if (from.listVersion === to.listVersion) return new Map();
  return (await summed(ports, { from, to })) ?? compared(ports, { from, to });
}

/** Undefined where the changes of a version in between are not known. */
async function summed(
  { blobs, signed }: ChangesPorts,
  of: { from: ListVersion; to: ListVersion },
): Promise<NewnessOf | undefined> {
  const changed = new Map<string, 'added' | 'updated'>();
  const addresses = await signed.changesSince(of);
  if (addresses === undefined) return undefined;
  for (const address of addresses) {
    const changes = address && (await readChanges(blobs, address));
    if (!changes) return undefined;
    for (const { ftm_id, op } of changes) follow(changed, ftm_id, op);
  }
  return changed;
}

function follow(changed: Map<string, 'added' | 'updated'>, id: string, op: ChangeOp): void {
  if (op === 'removed') changed.delete(id);
  else if (op === 'added' || (op === 'updated' && !changed.has(id))) changed.set(id, op);
}

/** Both are sorted by id. */
async function compared(
  { blobs }: ChangesPorts,
  { from, to }: { readonly from: ListVersion; readonly to: ListVersion },
): Promise<NewnessOf> {
  const changed = new Map<string, 'added' | 'updated'>();
  const comparison = new LineComparison();
  const former = oneByOne(versionLines(from, blobs));
  try {
    let before = await former.next();
    for await (const lines of versionLines(to, blobs)) {
      for (const bytes of lines) {
        const line = entityLine(bytes);
        const { id } = line;
        while (!before.done && before.value.id < id) before = await former.next();
        const same = before.done || before.value.id !== id ? undefined : before.value;
        const newness = newnessOf(line, same, comparison);
        if (newness !== undefined) changed.set(id, newness);
      }
    }
  } finally {
    await former.return(undefined);
  }
  return changed;
}

/** A line is valid until the next one. */
async function* oneByOne(
  batches: AsyncIterable<readonly Buffer[]>,
): AsyncGenerator<EntityLine, undefined> {
  for await (const lines of batches) yield* lines.map(entityLine);
  return undefined;
}

function newnessOf(
  line: EntityLine,
  former: EntityLine | undefined,
  comparison: LineComparison,
): 'added' | 'updated' | undefined {
  if (former === undefined) return 'added';
  if (textOf(line, line.firstSeen) > textOf(former, former.firstSeen)) return 'added';
  return comparison.of(line, former) === 'content' ? 'updated' : undefined;
}
