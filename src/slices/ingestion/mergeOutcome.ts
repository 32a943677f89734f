/** The findings of a merge, for either way of writing the version: the decision and the report. */
import type { PutBlob } from '#core/blobs';
import { isLoadable, type ListVersion, readIndex, UNREADABLE_NOTE } from '#slices/lists';
import type { GatheredList } from './gatherList.ts';
import { changeCounts } from './importCounts.ts';
import type { ImportPorts } from './importPorts.ts';
import type { ImportContext, ImportStages } from './importStages.ts';
import type { MergedFacts } from './mergeList.ts';
import type { ShrinkRelease } from './ports.ts';
import { hasLostRelations, isShrunk, refuseShrunk } from './releaseChecks.ts';
import { digestOfLosses } from './shrinkRelease.ts';

export interface Merged {
  readonly facts: Omit<MergedFacts, 'columns'>;
  readonly notes: Readonly<Record<string, number>>;
}

/** Where a version's text is, as its record will say. */
export interface WrittenBundle extends Pick<ListVersion, 'bundleBase' | 'linesBlob' | 'linesSeal'> {
  readonly put: PutBlob;
}

/** Without `bundle`: the same content is in force. */
export type MergedVersion = Merged & { readonly bundle?: WrittenBundle };

/** The same file again mends a version that cannot be loaded any more. */
export async function isInForce(
  ports: Pick<ImportPorts, 'blobs' | 'inspectSnapshot'>,
  before: ListVersion | undefined,
  { changes, contentDigest, listDigest }: Merged['facts'],
): Promise<boolean> {
  if (before === undefined) return false;
  const isNamed = before.listDigest === listDigest && before.contentDigest === contentDigest;
  // For a version of an earlier release the digest differs for the same content.
  const isSame = isNamed || changes.touched?.length === 0;
  return isSame && isLoadable(before, await readIndex(before, ports.blobs), ports);
}

/**
 * Reports the findings, and throws a refusal. A person who releases a list that shrank decides by
 * this report.
 */
export function tellMerged({ options, source, stages }: ImportContext, merged: Merged): void {
  stages.know(changeCounts(merged));
  const { counts, removedNames, unrelated } = merged.facts;
  for (const name of removedNames) options.onLog?.('info', `removed: ${name}`);
  const others = counts.removed - removedNames.length;
  if (others > 0) options.onLog?.('info', `removed: ${others} more`);
  if (unrelated.lost > 0) {
    const what = `${unrelated.lost} of ${unrelated.of} entities that were related to others`;
    options.onLog?.('info', `no relations any more: ${what}`);
  }
  refuseShrunk(merged.facts, source, {
    shrink: false,
    ...options.allow,
    ...(isShrunk(merged.facts, source) && { loss: lossOf(stages, merged) }),
  });
}

/** The losses, kept with the run: a release covers only these. */
function lossOf(stages: ImportStages, { facts }: Merged): ShrinkRelease {
  const removedDigest = digestOfLosses(
    facts.changes,
    hasLostRelations(facts) ? facts.unrelated : undefined,
  );
  stages.know({ removedDigest });
  const { fileSha256 = '' } = stages.file ?? {};
  return { fileSha256, removedCount: facts.counts.removed, removedDigest };
}

export function notesOf(
  { file }: GatheredList,
  { newForms, unknownAdditions, unknownRemovals }: Merged['facts'],
  isUnreadable: boolean,
): Readonly<Record<string, number>> {
  return {
    ...file.notes,
    ...(newForms > 0 && { 'entity-in-new-form': newForms }),
    ...(unknownAdditions > 0 && { 'added-to-unknown': unknownAdditions }),
    ...(unknownRemovals > 0 && { 'removed-unknown': unknownRemovals }),
    ...(isUnreadable && { [UNREADABLE_NOTE]: 1 }),
  };
}
