/** The words that list format v1 has for what an entity is, why it is listed, and its relations. */
import type { AssociationType, Category, ListEntity } from '#slices/lists';

export const SCHEMAS: readonly ListEntity['schema'][] = [
  'Person',
  'Company',
  'Vessel',
  'Aircraft',
  'Organization',
  'LegalEntity',
  'Position',
];
/** In the order in which an entity names its own. */
export const CATEGORIES: readonly Category[] = ['SAN', 'PEP', 'RCA', 'SI', 'DI'];
export const RELATIONS: readonly AssociationType[] = [
  'FAMILY',
  'BUSINESS',
  'ADDRESS',
  'EMPLOYER',
  'OWNER',
];
