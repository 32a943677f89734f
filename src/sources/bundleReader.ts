/**
 * A signed bundle of another installation as a source's list. Its signature was verified before
 * (src/sources/fetch/airGapFetcher.ts); its related-party paths are worked out anew here, since
 * they depend on what this installation is configured for.
 */
import { DomainError } from '#core/kernel';
import type { ListReader } from '#slices/ingestion';
import {
  type BundleHeader,
  type ListEntity,
  type ReadBundle,
  readBundleLines,
} from '#slices/lists';
import { countBytes } from './countBytes.ts';

const VERSION = /^v(\d{4}-\d{2}-\d{2})\.[a-z]+$/;

export const bundleReader: ListReader = {
  format: 'signed bundle of list format v1',
  read: async (chunks, { sourceId, sink, onBytes }) => {
    let end: ReadBundle | undefined;
    const onEnd = (bundle: ReadBundle): void => {
      end = bundle;
    };
    for await (const lines of readBundleLines(countBytes(chunks, onBytes), { onEnd })) {
      for (const line of lines) {
        const entity = JSON.parse(line.toString()) as ListEntity;
        sink.entity({ ...entity, flattened_associated_sanctioned: [] });
      }
      await sink.ready?.();
    }
    const header = end?.header;
    return {
      ...(header !== undefined && { bundledAt: header.fetched_at }),
      declaredCount: end?.entityCount ?? 0,
      kind: 'full',
      notes: {},
      releaseDate: releaseOf(header, sourceId),
      skipped: [],
    };
  },
};

function releaseOf(header: BundleHeader | undefined, sourceId: string): string {
  if (header?.source !== sourceId) {
    const detail = `expected a bundle of ${sourceId}, got one of ${header?.source}`;
    throw new DomainError('list-foreign', { detail });
  }
  const releaseDate = VERSION.exec(header.list_version)?.[1];
  if (releaseDate !== undefined && header.kind === 'full') return releaseDate;
  throw new DomainError('list-foreign', {
    detail: 'expected a full bundle with a version like v2026-01-31.a',
  });
}
