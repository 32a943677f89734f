/**
 * Country names as publishers write them, to ISO 3166 alpha-2.
 *
 * The table (config/tables/countries.json) has alpha-3, the English short name, other, official and
 * former names with the publishers' own spellings, demonyms, and French and Arabic names. A
 * territory with a code of its own keeps it. Two groups are left out: former states that split up
 * (Yugoslavia, the Netherlands Antilles, the Soviet Union), since one code would be a guess, and
 * words that several countries share ("Congolese", "Korean"). XK is Kosovo, as most publishers use
 * it. A name that the table does not know stays as it was written, and the caller counts it.
 */
import assert from 'node:assert/strict';
import { foldText } from '#platform/foldText';

export type CountryTable = Readonly<
  Record<
    string,
    {
      readonly alpha3: string;
      readonly name: string;
      readonly also: readonly string[];
      readonly demonyms: readonly string[];
      /** Names and demonyms. */
      readonly french: readonly string[];
      readonly arabic: readonly string[];
    }
  >
>;

/**
 * Alpha-2 of a name, former name, demonym or code; undefined where the table does not know it.
 * Codes count in capitals only: `Can` and `Per` are words.
 */
export type CountryLookup = (name: string) => string | undefined;

export function createCountryLookup(table: CountryTable): CountryLookup {
  const byFoldedName = new Map<string, string>();
  const byAlpha3 = new Map<string, string>();
  for (const [code, country] of Object.entries(table)) {
    assert(/^[A-Z]{2}$/.test(code), `country table: expected an alpha-2 code, got '${code}'`);
    byAlpha3.set(country.alpha3, code);
    const { name, also, demonyms, french, arabic } = country;
    for (const word of [name, ...also, ...demonyms, ...french, ...arabic]) {
      const folded = foldCountry(word);
      const other = byFoldedName.get(folded);
      assert(other === undefined || other === code, `country table: '${word}' is in two rows`);
      byFoldedName.set(folded, code);
    }
  }
  const answers = new Map<string, string | undefined>();
  return (name) => {
    if (Object.hasOwn(table, name)) return name;
    if (answers.has(name)) return answers.get(name);
    const folded = foldCountry(name);
    const found = byFoldedName.get(folded) ?? byFoldedName.get(turned(folded));
    const code = byAlpha3.get(name) ?? found;
    // A file repeats few names; the bound keeps a hostile one from growing this.
    if (answers.size < 10_000) answers.set(name, code);
    return code;
  };
}

/**
 * Folds spellings: `The Gambia`, `Gambia (the)` and `Trinidad & Tobago` become what the table has.
 */
function foldCountry(name: string): string {
  const folded = foldText(name.replaceAll('&', ' and '));
  return folded.replace(/^the (?=.)|(?<=.) the$/g, '');
}

const STATE_LAST =
  /^(.+?) ((?:\w+ ){0,4}(?:republic|kingdom|states?|sultanate|principality|commonwealth) of)$/;

/** `Iraq, Republic of` is the `Republic of Iraq`. */
const turned = (folded: string): string => folded.replace(STATE_LAST, '$2 $1');
