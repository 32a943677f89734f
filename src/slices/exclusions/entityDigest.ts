/**
 * What identifies an entry of a list. A publisher who changes any of it may mean somebody else, so
 * that exclusions end with it. Addresses, remarks, programmes and dates of sight say where and why
 * somebody is listed, and not who it is.
 */
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { ListEntity } from '#slices/lists';

/** SHA-256 hex over the identifying members, in whatever order the publisher writes them. */
export function entityDigest(entity: ListEntity): string {
  const identity = {
    categories: sorted(entity.categories),
    citizenships: sorted(entity.citizenships),
    // A body or a vessel has no citizenship: it belongs to countries. A person only lives there.
    countries: entity.schema === 'Person' ? [] : sorted(entity.countries),
    dates: sorted(entity.dates_of_birth),
    identifiers: entity.identifiers,
    names: sorted([entity.primary_name, ...entity.akas]),
    places: sorted(entity.places_of_birth),
    schema: entity.schema,
  };
  return sha256Hex(`entity-identity-v1\0${canonicalJson(identity)}`);
}

const sorted = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();
