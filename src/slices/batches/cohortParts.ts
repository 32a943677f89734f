/**
 * The subjects of a batch as workers read them: from the file that came in or, where a batch goes
 * on from one of which somebody was erased since, from the results of that one. Its file is gone
 * then, and so are those who were erased.
 */
import type { BlobStore, DataKeys } from '#core/blobs';
import type { BatchId } from '#core/kernel';
import {
  type CohortPart,
  type ExternalIds,
  type KnownCountries,
  type NumberedSubject,
  readCohort,
} from '#slices/intake';
import type { Batch } from './batch.ts';
import { openBatchFile } from './batchFiles.ts';
import { underOf } from './batchKeys.ts';
import { readFindings } from './reportPorts.ts';

type Ports = Parameters<typeof readFindings>[0] & {
  readonly blobs: Pick<BlobStore, 'open'>;
  readonly countries: KnownCountries;
  readonly dataKeys: Pick<DataKeys, 'find'>;
};

/** In parts of as many subjects as a chunk of the batch may have, or a multiple of it. */
export async function cohortParts(
  ports: Ports,
  batch: Batch,
  ids: ExternalIds,
): Promise<AsyncIterable<CohortPart>> {
  const { baseBatchId, chunkSubjects, source, tenantId } = batch;
  const isGone = source.sealed && !(await underOf(ports.dataKeys, batch, source, 'source'));
  if (isGone && baseBatchId !== undefined) {
    return inParts(subjectsOf(ports, { batchId: baseBatchId, tenantId }), chunkSubjects);
  }
  const bytes = await openBatchFile(ports, batch, { file: source, name: 'source' });
  return readCohort(bytes, { countries: ports.countries, format: source.format, ids });
}

async function* subjectsOf(
  ports: Ports,
  base: Pick<Batch, 'tenantId'> & { readonly batchId: BatchId },
): AsyncGenerator<readonly NumberedSubject[]> {
  for await (const { lines, parse } of readFindings(ports, base)) {
    const results = lines.map(parse).filter(({ erased }) => erased !== true);
    yield results.map(({ line, subject }) => ({ line, subject }));
  }
}

async function* inParts(
  pieces: AsyncIterable<readonly NumberedSubject[]>,
  partSubjects: number,
): AsyncGenerator<CohortPart> {
  let held: NumberedSubject[] = [];
  for await (const piece of pieces) {
    held.push(...piece);
    while (held.length >= partSubjects) {
      yield { rejections: [], subjects: held.slice(0, partSubjects) };
      held = held.slice(partSubjects);
    }
  }
  if (held.length > 0) yield { rejections: [], subjects: held };
}
