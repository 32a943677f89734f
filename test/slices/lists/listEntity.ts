/** Entities and relations of list format v1, to be varied by tests. */
import type { Association, ListEntity } from '#slices/lists';

/** An entity of list format v1 with the members that a test is about. */
export function listEntity(ftm_id: string, members: Partial<ListEntity> = {}): ListEntity {
  return {
    ftm_id,
    schema: 'Person',
    primary_name: `Name of ${ftm_id}`,
    primary_name_folded: `name of ${ftm_id}`,
    akas: [],
    dates_of_birth: [],
    places_of_birth: [],
    citizenships: [],
    countries: [],
    identifiers: {},
    categories: ['SAN'],
    source_lists_hits: [{ list: 'DEMO', version: '2026-01-01', added_at: '2026-01-01' }],
    addresses: [],
    associations: [],
    flattened_associated_sanctioned: [],
    first_seen_at: '2026-01-01',
    last_seen_at: '2026-01-01',
    ...members,
  };
}

export function towards(target_ftm_id: string, members: Partial<Association> = {}): Association {
  return { target_ftm_id, type: 'BUSINESS', label: 'l', strength: 1, ...members };
}
