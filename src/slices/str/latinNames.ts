/** The Latin letters of a report's names, by their words: asked for once a report. */
import { type PartyContent, type PersonContent, partiesOf, type ReportContent } from './content.ts';
import type { LatinNames } from './partyFacts.ts';
import type { StrDeskPorts } from './ports.ts';

/** Words that have other letters, or marks, each with its Latin spelling. */
export async function latinNames(
  { romanise }: Pick<StrDeskPorts, 'romanise'>,
  content: ReportContent,
  reporter?: PersonContent,
): Promise<LatinNames> {
  const persons = [...partiesOf(content).flatMap(personsOf), ...(reporter ? [reporter] : [])];
  const words = new Set(
    persons
      .flatMap(namesIn)
      .flatMap((name) => name.split(/[ \t]+/))
      .filter((word) => !isPlain(word)),
  );
  const list = [...words];
  const latin = list.length === 0 ? [] : await romanise(list);
  return new Map(list.map((word, place) => [word, latin[place] ?? '']));
}

const isPlain = (word: string): boolean => /^[\u0020-\u007e]*$/.test(word);

const personsOf = (party: PartyContent): readonly PersonContent[] => [
  party,
  ...(party.representatives ?? []),
];

const namesIn = (
  of: PersonContent & Pick<PartyContent, 'accounts' | 'commercial_name'>,
): readonly string[] =>
  [
    of.name,
    of.first_name,
    of.middle_name,
    of.last_name,
    of.prefix,
    of.commercial_name,
    ...(of.accounts ?? []).map(({ account_name }) => account_name),
  ].filter((one) => one !== undefined);
