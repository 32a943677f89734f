/** docs/matching-examples.md: pairs of names with what re-ranker 2 sees in them, by the code. */
import { Deadline, explainFor, type IndexEntity, type RawQuery } from '#engine';

/** What the example's query and entry have beside their names. */
interface More {
  readonly about?: Partial<RawQuery>;
  readonly of?: Partial<IndexEntity>;
}

type Schema = Exclude<IndexEntity['schema'], 'Other'>;

const EXAMPLES: readonly (readonly [string, string, Schema, string, More?])[] = [
  ['Nikolai Patrushev', 'Nikolai Patrushev', 'Person', 'The same rare name'],
  ['Nikolay Patrushve', 'Nikolai Patrushev', 'Person', 'Another spelling, and two letters changed'],
  ['Patrushev Nikolai', 'Nikolai Patrushev', 'Person', 'The other way round'],
  ['Patrushev, Nikolai', 'Nikolai Patrushev', 'Person', 'A comma says the order'],
  ['N Patrushev', 'Nikolai Patrushev', 'Person', 'An initial'],
  ['Nikolai Patr ushev', 'Nikolai Platonovich Patrushev', 'Person', 'Split, and no patronymic'],
  ['Nikolai Petrov', 'Nikolai Patrushev', 'Person', 'Another family name'],
  [
    'Nikolai Petrov',
    'Nikolai Patrushev',
    'Person',
    'Another family name, and the same birthday',
    {
      about: { dob: '1951-07-11', nationality: 'RU' },
      of: { datesOfBirth: ['1951-07-11'], nationalities: ['RU'] },
    },
  ],
  [
    'Nikolai Patrushve',
    'Nikolai Patrushev',
    'Person',
    'A slip, and one digit of the birthday',
    {
      about: { dob: '1951-07-12', gender: 'male' },
      of: { datesOfBirth: ['1951-07-11'], gender: 'm' },
    },
  ],
  ['Bashar al-Assad', 'Hafez al-Assad', 'Person', 'Two men of one family'],
  ['Mohammed', 'Mohammed', 'Person', 'A word that everybody has'],
  ['Gazprom OAO', 'Open Joint Stock Company Gazprom', 'Company', 'A legal form in words'],
  ['Brigade Forty-Four', 'Brigade 45', 'Company', 'Numbers that differ'],
  ['PLA', 'Peoples Liberation Army', 'Company', 'Three letters mean nobody'],
  ['PFLP', 'Popular Front for the Liberation of Palestine', 'Company', 'An acronym'],
  ['Bill Zarkonov', 'William Zarkonov', 'Person', 'A nickname'],
  ['Nikolai Atrushevp', 'Nikolai Patrushev', 'Person', 'A first letter that moved'],
];

const plus = (z: number): string => `${z < 0 ? '−' : '+'}${Math.abs(z).toFixed(2)}`;

function example([query, entry, schema, title, more = {}]: (typeof EXAMPLES)[number]): string {
  const { about = {}, of = {} } = more;
  const raw = { name: query, schema, transliterations: [], ...about };
  const entity = { categories: 1, datesOfBirth: [], names: [entry], nationalities: [], schema };
  const entities = [{ card: '', id: '', ...entity, ...of }];
  const [explained] = explainFor('2.0.0', raw, { deadline: new Deadline(), entities });
  if (explained === undefined) return '';
  const { bits, left_over, score, terms, words, z } = explained;
  const lines = words.map(
    (word) => `| ${word.query} | ${word.entry} | \`${word.reason}\` | ${word.similarity} |`,
  );
  const left = (side: 'entry' | 'query') => left_over[side].join(' ') || 'nothing';
  const sum = terms.map(({ term, z: own }) => `${term} ${plus(own)}`).join(', ');
  return `## ${title}: \`${query}\` and \`${entry}\`

| Query | Entry | Reason | Likeness |
|---|---|---|---|
${lines.join('\n')}

Left over: ${left('query')} of the query, ${left('entry')} of the entry. Both names have words of
${bits} bits.

${sum}.

Together z ${plus(z)}, the score **${score.toFixed(3)}**.
`;
}

/** The page as Markdown. */
export function matchingExamplesPage(): string {
  return `# How some names are matched

<!-- Written by scripts/matchingExamples.ts from the model that ships; a test compares. -->

[matching.md](matching.md) says what the reasons mean. The lines of a sum add up to z;
where words are too common, or attributes may not lift a name so far, a bound is one of them.

${EXAMPLES.map(example).join('\n')}`;
}
