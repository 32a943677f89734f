/**
 * A list entity as the engine takes it. The engine's side is IndexEntity of src/engine/ports.ts;
 * the two fit structurally, so that neither imports the other.
 */
import { canonicalJson } from '#platform/canonicalJson';
import type { Category, ListEntity } from './entity.ts';

/** Bits of `categories`, the engine's CATEGORY_BIT. */
const CATEGORY_BIT: Readonly<Record<Category, number>> = { SAN: 1, PEP: 2, RCA: 4, SI: 8, DI: 16 };

const INDEX_SCHEMA: Readonly<Record<ListEntity['schema'], IndexableEntity['schema']>> = {
  Person: 'Person',
  Company: 'Company',
  Organization: 'Company',
  LegalEntity: 'Company',
  Vessel: 'Other',
  Aircraft: 'Other',
  Position: 'Other',
};

export interface IndexableEntity {
  readonly id: string;
  readonly schema: 'Person' | 'Company' | 'Other';
  /** The primary name first; weak aliases and native scripts alike. */
  readonly names: readonly string[];
  readonly datesOfBirth: readonly string[];
  readonly nationalities: readonly string[];
  readonly categories: number;
  readonly card: string;
}

export function toIndexEntity(entity: ListEntity): IndexableEntity {
  return {
    id: entity.ftm_id,
    schema: INDEX_SCHEMA[entity.schema],
    names: [...new Set([entity.primary_name, ...entity.akas])],
    datesOfBirth: entity.dates_of_birth,
    nationalities: nationalities(entity),
    categories: entity.categories.reduce((bits, category) => bits | CATEGORY_BIT[category], 0),
    card: entityCard(entity),
  };
}

/** A person's are the citizenships; a body's or a vessel's the countries that it belongs to. */
function nationalities(entity: ListEntity): readonly string[] {
  if (entity.schema === 'Person') return entity.citizenships;
  return [...new Set([...entity.citizenships, ...entity.countries])];
}

/** JCS of what a screening returns of an entity, beside the scores. */
export function entityCard(entity: ListEntity): string {
  const { categories, flattened_associated_sanctioned, ftm_id, primary_name, schema } = entity;
  const { source_lists_hits } = entity;
  return canonicalJson({
    categories,
    flattened_associated_sanctioned,
    ftm_id,
    primary_name,
    schema,
    source_lists_hits,
  });
}
