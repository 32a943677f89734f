/** What is known of a source before its first import (interface.md 2.11, decisions 2.1). */
import type { EpochMs } from '#platform/clock';
import { DomainError, type SourceId } from '../kernel/index.ts';
import type { ListSource } from './ports.ts';

type Facts = Pick<ListSource, 'displayName' | 'kind' | 'format'>;

export const SOURCE_CATALOGUE: Readonly<Record<string, Facts>> = {
  BCT_TN: { displayName: 'Tunisia: national list', kind: 'REGIONAL', format: 'CSV' },
  COMMERCIAL_WATCHLIST: { displayName: 'Commercial watchlist', kind: 'COMMERCIAL', format: 'JSON' },
  DEMO: { displayName: 'Invented entities for sandboxes', kind: 'PUBLIC', format: 'JSON' },
  EU_CFSP: { displayName: 'European Union: consolidated list', kind: 'PUBLIC', format: 'XML' },
  HMT_OFSI: { displayName: 'United Kingdom: consolidated list', kind: 'PUBLIC', format: 'XML' },
  OFAC_CONSOLIDATED: { displayName: 'OFAC: consolidated non-SDN', kind: 'PUBLIC', format: 'XML' },
  OFAC_SDN: { displayName: 'OFAC: specially designated nationals', kind: 'PUBLIC', format: 'XML' },
  OPEN_AGGREGATE: { displayName: 'Free aggregator', kind: 'PUBLIC', format: 'FtM_JSON' },
  UN_SC: { displayName: 'United Nations: Security Council', kind: 'PUBLIC', format: 'XML' },
};

/** Every source that the product knows, published or not. */
export const SOURCE_IDS: readonly string[] = Object.keys(SOURCE_CATALOGUE);

/** A source that was never imported, at version 0. Throws DomainError `list-unknown`. */
export function newSource(sourceId: string): ListSource {
  const facts = Object.hasOwn(SOURCE_CATALOGUE, sourceId) ? SOURCE_CATALOGUE[sourceId] : undefined;
  if (!facts) {
    const detail = `source: expected one of ${SOURCE_IDS.join(', ')}`;
    throw new DomainError('list-unknown', { detail });
  }
  return {
    sourceId: sourceId as SourceId,
    ...facts,
    enabled: false,
    updatedAt: 0 as EpochMs,
    updatedBy: 'system',
    version: 0,
  };
}
