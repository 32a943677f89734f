/**
 * An entity of a delta whose publisher lists relations, addresses and documents apart from the
 * entities: what is in force of those stays beside what the delta says (reader.ts, keepsRelations).
 */
import { canonicalJson } from '#platform/canonicalJson';
import type { ListEntity } from './entity.ts';

export function keepingRelations(entity: ListEntity, former: ListEntity): ListEntity {
  const properties = bothOf(former.properties ?? {}, entity.properties ?? {});
  return {
    ...entity,
    addresses: joined(former.addresses, entity.addresses),
    associations: joined(former.associations, entity.associations),
    identifiers: { ...former.identifiers, ...entity.identifiers },
    ...(Object.keys(properties).length > 0 && { properties }),
  };
}

function bothOf(
  former: Readonly<Record<string, readonly string[]>>,
  next: Readonly<Record<string, readonly string[]>>,
): Record<string, readonly string[]> {
  const keys = new Set([...Object.keys(former), ...Object.keys(next)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, joined(former[key] ?? [], next[key] ?? [])]),
  );
}

/** Former values first, so that the same delta again changes nothing. */
function joined<Value>(former: readonly Value[], next: readonly Value[]): readonly Value[] {
  const known = new Set(former.map((value) => canonicalJson(value)));
  return [...former, ...next.filter((value) => !known.has(canonicalJson(value)))];
}
