/** A registry by its extract: the way without a network, and the default. */
import { foldText } from '#platform/foldText';
import type { Company } from './company.ts';
import { companyBy, namesBy, partsOf, wordsOf } from './extractParts.ts';
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
  const folded = foldText(name);
  const rank = ([, one]: readonly [string, string]): number => (one === folded ? 0 : one.length);
  const best = [...(await findNames(blobs, byWord, name))]
    .sort((one, other) => rank(one) - rank(other) || (one[0] < other[0] ? -1 : 1))
    .slice(0, CANDIDATES_MAX);
  const found = await Promise.all(
    best.map(([identifier]) => companyBy(blobs, byIdentifier, identifier)),
  );
  return found.filter((one) => one !== undefined);
}

/** Who has all of the words in its names, and a name of theirs. */
async function findNames(
  blobs: RegistryReadPorts['blobs'],
  byWord: RegistryExtract['byWord'],
  name: string,
): Promise<readonly (readonly [identifier: string, name: string])[]> {
  const folded = foldText(name);
  // The rarest first: what has not this word is not looked at for a common one.
  const words = [...wordsOf(name)].sort(
    (one, other) => partsOf(byWord, one).length - partsOf(byWord, other).length,
  );
  const isSought = (one: string): boolean => {
    const own = new Set(wordsOf(one));
    return one === folded || (words.length > 1 && words.every((word) => own.has(word)));
  };
  let common: ReadonlyMap<string, string> | undefined;
  for (const word of words) {
    const those = await namesBy(blobs, byWord, word, { isSought, within: common });
    common = new Map([...(common ?? those)].filter(([identifier]) => those.has(identifier)));
    if (common.size === 0) return [];
  }
  return [...(common ?? [])];
}
