/** Twenty invented companies, for sandboxes alone: each state once at least. */

import { foldText } from '#platform/foldText';
import companies from '../../../config/demo/companies.json' with { type: 'json' };
import { type Company, companyOf } from './company.ts';
import { wordsOf } from './extractParts.ts';
import { type RegistryName, registryOf } from './identifiers.ts';
import { CANDIDATES_MAX } from './limits.ts';
import type { CompanyRegistry } from './ports.ts';

const AS_OF = Date.UTC(2026, 0, 1);

/** As an extract that has these companies would answer. */
export function demoRegistry(registry: RegistryName): CompanyRegistry {
  const all = companies
    .filter(({ registered_office: { country } }) => registryOf(country) === registry)
    .map((one) => companyOf(one.identifier, one))
    .filter((one) => one !== undefined);
  return {
    find: async (query) => ({
      asOf: AS_OF,
      companies:
        'identifier' in query
          ? all.filter(({ identifier }) => identifier === query.identifier)
          : all.filter((one) => hasWords(one, query.name)).slice(0, CANDIDATES_MAX),
      source: 'file',
    }),
  };
}

function hasWords({ legal_name, legal_name_ar, trade_name }: Company, name: string): boolean {
  const wanted = wordsOf(name);
  return [legal_name, legal_name_ar, trade_name].some((one) => {
    const words = new Set(foldText(one ?? '').split(' '));
    return wanted.length > 0 && wanted.every((word) => words.has(word));
  });
}
