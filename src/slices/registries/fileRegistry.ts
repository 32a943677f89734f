/** A registry by its extract: the way without a network, and the default. */
import { foldText } from '#platform/foldText';
import type { Company } from './company.ts';
import { companyBy, namesBy, wordsOf } from './extractParts.ts';
import type { RegistryName } from './identifiers.ts';
import { CANDIDATES_MAX } from './limits.ts';
import type { CompanyRegistry, RegistryReadPorts } from './ports.ts';
import { findExtract } from './signedRegistries.ts';
import type { RegistryExtract } from './tables.ts';

/** Undefined where no extract was imported. */
export async function fileRegistry(
  ports: RegistryReadPorts,
  registry: RegistryName,
): Promise<CompanyRegistry | undefined> {
  const extract = await findExtract(ports, registry);
  if (extract === undefined) return undefined;
  return {
    async find(query) {
      const companies =
        'identifier' in query
          ? [await companyBy(ports.blobs, extract.byIdentifier, query.identifier)]
          : await byName(ports, extract, query.name);
      return {
        asOf: extract.asOf,
        companies: companies.filter((one) => one !== undefined),
        source: 'file',
      };
    },
  };
}

/** Companies whose names have all of the words: the same name first, then shorter ones. */
async function byName(
  { blobs }: RegistryReadPorts,
  { byIdentifier, byWord }: RegistryExtract,
  name: string,
): Promise<readonly Company[]> {
  let common: readonly (readonly [identifier: string, name: string])[] | undefined;
  for (const word of wordsOf(name)) {
    const those = await namesBy(blobs, byWord, word);
    common = (common ?? [...those]).filter(([identifier]) => those.has(identifier));
    if (common.length === 0) return [];
  }
  const folded = foldText(name);
  const rank = ([, one]: readonly [string, string]): number => (one === folded ? 0 : one.length);
  const best = [...(common ?? [])]
    .sort((one, other) => rank(one) - rank(other) || (one[0] < other[0] ? -1 : 1))
    .slice(0, CANDIDATES_MAX);
  const found = await Promise.all(
    best.map(([identifier]) => companyBy(blobs, byIdentifier, identifier)),
  );
  return found.filter((one) => one !== undefined);
}
