/**
 * The pre-configured sources (interface.md 2.11): config/sources.json, read once and checked. All
 * are disabled until an administrator enables them. A source is in the store from its first change
 * or run on; before that it is what the catalogue says.
 */
import assert from 'node:assert/strict';
import { DomainError, type SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ListSource } from '#slices/lists';
import sources from '../../../config/sources.json' with { type: 'json' };

type Facts = Pick<ListSource, 'displayName' | 'kind' | 'format' | 'url' | 'cronFull' | 'cronDelta'>;

const KINDS: readonly string[] = ['PUBLIC', 'COMMERCIAL', 'REGIONAL'];
const FORMATS: readonly string[] = ['XML', 'JSON', 'CSV', 'FtM_JSON'];
const SOURCE_ID = /^[A-Z][A-Z0-9_]{0,31}$/;

export const SOURCE_CATALOGUE: Readonly<Record<string, Facts>> = parseSourceCatalogue(sources);

/** Every source that the product knows, published or not. */
export const SOURCE_IDS: readonly string[] = Object.keys(SOURCE_CATALOGUE);
/** The synthetic list that ships; never in force for a live tenant. */
export const DEMO_SOURCE = 'DEMO';
/** The sandbox sees the synthetic list too. */
export const isSourceSeen = (source: string, sandbox: boolean): boolean =>
  sandbox || source !== DEMO_SOURCE;

/**
 * Throws an Error that names the source and the member. Only a test checks the schedules: their
 * analysis takes a quarter of a second, and every process starts here.
 */
export function parseSourceCatalogue(
  text: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Readonly<Record<string, Facts>> {
  const facts = Object.entries(text).map(([sourceId, given]) => {
    assert(SOURCE_ID.test(sourceId), `config/sources.json: ${sourceId}: not a source id`);
    return [sourceId, parseFacts(sourceId, given)] as const;
  });
  return Object.fromEntries(facts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parseFacts(sourceId: string, given: Readonly<Record<string, string>>): Facts {
  const { display_name, kind = '', format = '', url, cron_full, cron_delta, ...rest } = given;
  const at = `config/sources.json: ${sourceId}`;
  assert.deepEqual(rest, {}, `${at}: unknown members`);
  assert(display_name !== undefined && display_name.length <= 128, `${at}: display_name`);
  assert(KINDS.includes(kind), `${at}: kind: expected one of ${KINDS.join(', ')}`);
  assert(FORMATS.includes(format), `${at}: format: expected one of ${FORMATS.join(', ')}`);
  assert(url === undefined || new URL(url).protocol === 'https:', `${at}: url: expected https`);
  return {
    displayName: display_name,
    kind: kind as Facts['kind'],
    format: format as Facts['format'],
    ...(url !== undefined && { url }),
    ...(cron_full !== undefined && { cronFull: cron_full }),
    ...(cron_delta !== undefined && { cronDelta: cron_delta }),
  };
}

/** A source that was never changed nor run, at version 0. Throws DomainError `list-unknown`. */
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

/** The stored sources and those of the catalogue that are not stored yet, by id. */
export function allSources(stored: readonly ListSource[]): ListSource[] {
  const ids = new Set<string>(stored.map(({ sourceId }) => sourceId));
  const others = SOURCE_IDS.filter((id) => !ids.has(id)).map(newSource);
  return [...stored, ...others].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
}
