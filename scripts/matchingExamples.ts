/** docs/matching-examples.md: pairs of names with what re-ranker 2 sees in them, by the code. */
import { explainNames, type IndexEntity } from '#engine';
import { normalizeQuery } from '../src/engine/normalizeQuery.ts';

type Schema = Exclude<IndexEntity['schema'], 'Other'>;

const EXAMPLES: readonly (readonly [string, string, Schema, string])[] = [
  ['Nikolai Patrushev', 'Nikolai Patrushev', 'Person', 'The same rare name'],
  ['Nikolay Patrushve', 'Nikolai Patrushev', 'Person', 'Another spelling, and two letters changed'],
  ['Patrushev Nikolai', 'Nikolai Patrushev', 'Person', 'The other way round'],
  ['N Patrushev', 'Nikolai Patrushev', 'Person', 'An initial'],
  ['Nikolai Patr ushev', 'Nikolai Platonovich Patrushev', 'Person', 'Split, and no patronymic'],
  ['Nikolai Petrov', 'Nikolai Patrushev', 'Person', 'Another family name'],
  ['Bashar al-Assad', 'Hafez al-Assad', 'Person', 'Two men of one family'],
  ['Mohammed', 'Mohammed', 'Person', 'A word that everybody has'],
  ['Gazprom OAO', 'Open Joint Stock Company Gazprom', 'Company', 'A legal form in words'],
  ['Brigade Forty-Four', 'Brigade 45', 'Company', 'Numbers that differ'],
  ['PLA', 'Peoples Liberation Army', 'Company', 'An acronym'],
];

const plus = (z: number): string => `${z < 0 ? '−' : '+'}${Math.abs(z).toFixed(2)}`;

function example([query, entry, schema, title]: (typeof EXAMPLES)[number]): string {
  const explained = explainNames(normalizeQuery({ name: query, schema, transliterations: [] }), {
    name: entry,
    schema,
  });
  if (explained === undefined) return '';
  const { bias, bits, leftOver, score, shift, terms, words, z } = explained;
  const lines = words.map(
    (word) => `| ${word.query} | ${word.entry} | \`${word.reason}\` | ${word.similarity} |`,
  );
  const left = (side: 'entry' | 'query') => leftOver[side].join(' ') || 'nothing';
  const sum = [
    `start ${plus(bias)}`,
    ...terms.map(({ term, z: own }) => `${term} ${plus(own)}`),
    `shift ${plus(-shift)}`,
  ].join(', ');
  return `## ${title}: \`${query}\` and \`${entry}\`

| Query | Entry | Reason | Likeness |
|---|---|---|---|
${lines.join('\n')}

Left over: ${left('query')} of the query, ${left('entry')} of the entry. Both names have words of
${bits} bits.

${sum}.

z is ${plus(z)}, the score **${score.toFixed(3)}**.
`;
}

/** The page as Markdown. */
export function matchingExamplesPage(): string {
  return `# How some names are matched

<!-- Written by scripts/matchingExamples.ts from the model that ships; a test compares. -->

Names alone, without date of birth and nationality. [matching.md](matching.md) says what the
reasons mean. Where the terms add up to more than z, the information of the words bounds it.

${EXAMPLES.map(example).join('\n')}`;
}
