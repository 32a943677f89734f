/** Names of countries as OFAC writes them, to codes; what the table does not know is kept. */
import type { CountryLookup } from '#slices/lists';
import type { Properties } from '../properties.ts';

/** Texts in the place of a nationality that are none. */
const NO_COUNTRY = /^(?:undetermined|none identified|unknown|region:.*)$/i;

export function codesOf(
  names: readonly (string | undefined)[],
  context: {
    readonly lookup: CountryLookup;
    readonly note: (kind: string) => void;
    readonly properties: Properties;
  },
): string[] {
  const codes: string[] = [];
  for (const name of names) {
    if (name === undefined || name === '') continue;
    const code = context.lookup(name) ?? context.lookup(name.replace(/^possibly /i, ''));
    if (code !== undefined) {
      if (!codes.includes(code)) codes.push(code);
    } else {
      if (!NO_COUNTRY.test(name)) context.note('country-unknown');
      context.properties.add('unknown_countries', name);
    }
  }
  return codes;
}
