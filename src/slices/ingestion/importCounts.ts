/** The figures of a run's record, as far as the run came. */
import type { FileFacts } from './importEvidence.ts';
import type { MergedFacts } from './mergeList.ts';
import type { ReadList } from './reader.ts';
import type { RunEnd } from './runs.ts';

/** Figures of the file. */
export const fileCounts = ({
  facts,
  file,
}: {
  readonly facts: FileFacts;
  readonly file: ReadList;
}): Partial<RunEnd> => ({
  fetchedBytes: facts.fileBytes,
  fetchedCount: file.declaredCount ?? facts.parsedCount + facts.skippedCount,
  parsedCount: facts.parsedCount,
});

/** Against the version in force. */
export const changeCounts = ({
  facts: { counts },
  notes,
}: {
  readonly facts: MergedFacts;
  readonly notes: Readonly<Record<string, number>>;
}): Partial<RunEnd> => ({
  addedCount: counts.added,
  notes,
  removedCount: counts.removed,
  updatedCount: counts.updated,
});
