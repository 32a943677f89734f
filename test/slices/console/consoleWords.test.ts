/** Words of the console: each language says the same, with the same places to fill in. */
import { expect, test } from 'vitest';
import { AREAS, type Area } from '../../../packages/console/src/i18n/areas.ts';
import { loadCatalogue } from '../../../packages/console/src/i18n/catalogues.ts';

type Words = Readonly<Record<string, string>>;

const NAMES = Object.keys(AREAS) as Area[];
const OTHERS = ['fr', 'ar'] as const;

const placesOf = (words: Words): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(words).map(([key, text]) => [
      key,
      [...text.matchAll(/\{\w+\}/g)].sort().map(String),
    ]),
  );

/** What is the same word in both languages, or a name. */
const differing = (words: Words, english: Words): number =>
  Object.entries(words).filter(([key, text]) => text !== english[key]).length;

test.each(OTHERS)(
  'the catalogue of all pages says in %s what it says in English',
  async (other) => {
    const english: Words = (await loadCatalogue('en')).messages;
    const words: Words = (await loadCatalogue(other)).messages;
    expect(Object.keys(words).sort()).toEqual(Object.keys(english).sort());
    expect(placesOf(words)).toEqual(placesOf(english));
  },
);

test.each(NAMES.flatMap((area) => OTHERS.map((other) => [area, other] as const)))(
  'the words of %s are the same in %s',
  async (area, other) => {
    const english: Words = (await AREAS[area].en()).words;
    const words: Words = (await AREAS[area][other]()).words;
    expect(Object.keys(words).sort()).toEqual(Object.keys(english).sort());
    expect(placesOf(words)).toEqual(placesOf(english));
    expect(differing(words, english) / Object.keys(english).length).toBeGreaterThan(0.85);
    if (other === 'ar') {
      const latin = Object.values(words).filter((text) => !/\p{Script=Arabic}/u.test(text));
      expect(latin).toEqual([]);
    }
  },
);

test('no key of an area hides one of all pages by another meaning in English', async () => {
  const shared: Words = (await loadCatalogue('en')).messages;
  for (const area of NAMES) {
    const words: Words = (await AREAS[area].en()).words;
    const both = Object.keys(words).filter((key) => key in shared);
    expect(
      both.filter((key) => words[key] !== shared[key]),
      area,
    ).toEqual([]);
  }
});
