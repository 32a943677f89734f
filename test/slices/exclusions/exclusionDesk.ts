/** Exclusions over the model's tables: screenings with one hit each, and a list that is changed. */
import type { EventDraft, SealedEvent } from '#core/audit';
import { DataKeys, dataKeyTable } from '#core/blobs';
import type { SourceId, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  addExclusion,
  type ExclusionPolicy,
  type ExclusionPorts,
  exclusionSetTable,
  exclusionTable,
  exclusionUseTable,
  withChecked,
} from '#slices/exclusions';
import type { ListEntity, ListVersion } from '#slices/lists';
import { modelHouse } from '../../storage/modelHouse.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const START = Date.UTC(2026, 0, 5, 12) as EpochMs;
export const SOURCE = 'OFAC_SDN';
export const WHY = 'Another date and another place of birth';
const DAY_MS = 24 * 3_600_000;

export const person = (name: string) => ({
  actor: `person:${name}` as const,
  isPerson: true,
  tenantId: TENANT,
});
export const machine = { actor: 'key:k-1' as const, isPerson: false, tenantId: TENANT };

/** A made-up party, with something in every member. */
export const entityOf = (number: number): ListEntity => ({
  addresses: [`Street ${number}`],
  akas: [`Alias ${number}`],
  associations: [],
  categories: ['SAN'],
  citizenships: ['TN'],
  countries: ['TN'],
  dates_of_birth: [`19${String(10 + (number % 80))}-01-02`],
  first_seen_at: '2026-01-01',
  flattened_associated_sanctioned: [],
  ftm_id: `q-${number}`,
  identifiers: { passport: `P${number}` },
  last_seen_at: '2026-01-01',
  places_of_birth: ['Tunis'],
  primary_name: `Person ${number}`,
  primary_name_folded: `person ${number}`,
  programmes: ['SDGT'],
  properties: { notes: ['a remark'] },
  schema: 'Person',
  source_lists_hits: [{ added_at: '2026-01-01', list: SOURCE, version: 'v1' }],
});

/** What stands in an event of a screening, for the hit with this entity. */
function eventOf(entity: ListEntity, version: ListVersion, typology: string): SealedEvent {
  const candidate = {
    directScore: 0.95,
    ftm_id: entity.ftm_id,
    rcaHits: [],
    source_lists_hits: [{ list: SOURCE }],
    typology,
  };
  const reference = {
    content_digest: version.contentDigest,
    list_digest: version.listDigest,
    list_version: version.listVersion,
    source: SOURCE,
  };
  const members = {
    candidates: [candidate],
    lists: [reference],
    screening_id: `s-${entity.ftm_id}`,
    verdict: { decision: typology },
  };
  const query = { names: [entity.primary_name_folded], variants: [] };
  return {
    body: JSON.stringify(members),
    occurredAt: START,
    open: JSON.stringify({ query_normalized: query }),
  } as SealedEvent;
}

/** Digests as the entries of the house tell them: the chain's signatures are tested on a store. */
export function toldBy(events: readonly EventDraft[]) {
  const digests = new Map<string, string>();
  let checked: Readonly<Record<string, readonly string[]>> = {};
  for (const { members } of events) {
    const of = members as {
      checked?: Record<string, string>;
      exclusions?: { exclusion_id: string; exclusion_digest: string }[];
    };
    for (const { exclusion_digest, exclusion_id } of of.exclusions ?? []) {
      digests.set(exclusion_id, exclusion_digest);
    }
    checked = withChecked(checked, of.checked ?? {});
  }
  return { bad: [], checked, digests };
}

export function openExclusionDesk(policy: Partial<ExclusionPolicy> = {}, typology?: string) {
  const house = modelHouse([exclusionTable, exclusionSetTable, exclusionUseTable, dataKeyTable]);
  let now: EpochMs = START;
  let versionNo = 0;
  let entities = new Map<string, ListEntity>();
  const versions = new Map<string, Map<string, ListEntity>>();
  let version: ListVersion;
  const publish = (of: readonly ListEntity[]): void => {
    versionNo += 1;
    entities = new Map(of.map((entity) => [entity.ftm_id, entity]));
    version = {
      contentDigest: `content-${versionNo}`,
      listDigest: `list-${versionNo}`,
      listVersion: `v${versionNo}`,
      sourceId: SOURCE as SourceId,
    } as ListVersion;
    versions.set(version.listVersion, entities);
  };
  const seen = new Map<string, SealedEvent>();
  const ports: ExclusionPorts = {
    audit: { findByScreening: async (_, id) => seen.get(id) },
    clock: { now: () => now },
    commit: house.commit,
    dataKeys: new DataKeys({
      master: Buffer.alloc(32, 1),
      random: systemRandom,
      tables: house.tables,
    }),
    entitiesOf: async (asked) =>
      asked.map(({ id, list_version }) => versions.get(list_version)?.get(id)),
    events: {
      checkOpen: async () => undefined,
      read: async (_, { body }) => JSON.parse(body) as Record<string, unknown>,
    },
    inForce: async () => version,
    policyOf: async () => ({ daysMax: 365, fourEyes: 'sanctions', isEnabled: true, ...policy }),
    random: systemRandom,
    signed: { of: async () => toldBy(house.events) },
    tables: house.tables,
  };
  return {
    /** A screening that has found this entity, and nobody else. */
    found(number: number): string {
      const screeningId = `s-q-${number}`;
      seen.set(
        screeningId,
        eventOf(entityOf(number), version, typology ?? 'MATCH_DIRECT_SANCTIONS'),
      );
      return screeningId;
    },
    add: (number: number, given: Partial<Parameters<typeof addExclusion>[1]> = {}) =>
      addExclusion(ports, {
        by: person('lena'),
        ftmId: `q-${number}`,
        reason: WHY,
        reasonCode: 'dob_differs',
        screeningId: `s-q-${number}`,
        ...given,
      }),
    house,
    moveTo: (at: number) => {
      now = at as EpochMs;
    },
    days: (count: number) => (START + count * DAY_MS) as EpochMs,
    ports,
    publish,
  };
}
