/**
 * Identities to names. A name comes in parts, family name first, each with its type and its script;
 * list format v1 has whole names, given name first as people write them, native scripts as aliases.
 */
import { compare, distinct } from '../../entityParts.ts';
import type { Properties } from '../../properties.ts';
import { childOf, childrenOf, childText, type XmlRecord } from '../../recordBuilder.ts';
import { memoizedByName } from '../memoizeByName.ts';
import { readPeriod } from './datePeriod.ts';
import { isTrue, type References } from './references.ts';

export interface PartyNames {
  readonly primary: string;
  readonly akas: readonly string[];
  /** As remarks write them, `LAST, First`, the primary one first. */
  readonly published: readonly string[];
}

interface Name {
  readonly text: string;
  readonly published: string;
  /** How much the publisher holds it for the name of the party. */
  readonly rank: number;
}

/** Where a part of this type stands in a name; what the table does not know stands in between. */
const PART_ORDER: readonly (readonly [RegExp, number])[] = [
  [/^first/i, 0],
  [/^middle/i, 1],
  [/^patronymic/i, 3],
  [/^(?:last|maiden)/i, 4],
  [/^matronymic/i, 5],
];
const BETWEEN = 2;
const orderOf = memoizedByName(
  (type) => PART_ORDER.find(([pattern]) => pattern.test(type))?.[1] ?? BETWEEN,
);
const FAMILY = 4;

interface Part {
  readonly text: string;
  readonly order: number;
}

/** Scripts that write the family name first, and no space. */
const FAMILY_FIRST = /^(?:chinese|han|japanese|hangul|korean|hiragana|katakana)/i;

export function readNames(
  profile: XmlRecord,
  references: References,
  properties: Properties,
): PartyNames {
  const names: Name[] = [];
  for (const identity of childrenOf(profile, 'Identity')) {
    properties.add('remarks', childText(identity, 'Comment'));
    const partTypes = readPartTypes(identity, references);
    for (const alias of childrenOf(identity, 'Alias')) {
      const isFalse = isTrue(identity, 'False');
      const isPrimary = isTrue(identity, 'Primary') && isTrue(alias, 'Primary') && !isFalse;
      for (const documented of childrenOf(alias, 'DocumentedName')) {
        const { text, published, isLatin } = assemble(documented, partTypes, references);
        if (text === '') continue;
        const isMain = isPrimary && /^primary/i.test(references.text('DocNameStatus', documented));
        const rank = 4 * Number(isPrimary) + 2 * Number(isLatin) + Number(isMain);
        names.push({ text, published, rank });
        if (isFalse) properties.add('false_identities', text);
        if (!isLatin) properties.add('original_script_names', text);
        describe(alias, documented, { text, references, properties });
      }
    }
  }
  names.sort((a, b) => b.rank - a.rank || compare(a.text, b.text));
  const primary = names[0]?.text ?? '';
  const texts = distinct(names.map((name) => name.text));
  const akas = texts.filter((text) => text !== primary);
  return { primary, akas, published: names.map((name) => name.published) };
}

function describe(
  alias: XmlRecord,
  documented: XmlRecord,
  {
    text,
    references,
    properties,
  }: { text: string; references: References; properties: Properties },
): void {
  if (isTrue(alias, 'LowQuality')) properties.add('weak_aliases', text);
  const type = references.text('AliasType', alias);
  if (/^f\.?k\.?a/i.test(type)) properties.add('former_names', text);
  else if (/^n\.?k\.?a/i.test(type)) properties.add('current_names', text);
  else if (!/^(?:a\.?k\.?a|name)/i.test(type)) properties.add('alias_types', `${text}: ${type}`);
  const notes = [childText(alias, 'Comment'), childText(documented, 'Comment')];
  const period = childOf(alias, 'DatePeriod');
  if (period) notes.push(readPeriod(period)?.date ?? '');
  for (const country of childrenOf(documented, 'DocumentedNameCountry')) {
    notes.push(references.text('Country', country), childText(country, 'Comment'));
  }
  for (const note of notes) if (note !== '') properties.add('alias_details', `${text}: ${note}`);
}

/** NamePartGroup id to the order of its type. */
function readPartTypes(identity: XmlRecord, references: References): Map<string, number> {
  const types = new Map<string, number>();
  for (const groups of childrenOf(identity, 'NamePartGroups')) {
    for (const master of childrenOf(groups, 'MasterNamePartGroup')) {
      for (const group of childrenOf(master, 'NamePartGroup')) {
        const type = references.text('NamePartType', group);
        types.set(group.attributes.get('ID') ?? '', orderOf(type));
      }
    }
  }
  return types;
}

function assemble(
  documented: XmlRecord,
  partTypes: ReadonlyMap<string, number>,
  references: References,
): Pick<Name, 'text' | 'published'> & { readonly isLatin: boolean } {
  let script = 'Latin';
  const parts: Part[] = childrenOf(documented, 'DocumentedNamePart').flatMap((part) => {
    const value = childOf(part, 'NamePartValue');
    if (!value) return [];
    script = references.text('Script', value) || script;
    const leading = part.attributes.get('LeadingChars') ?? '';
    const trailing = part.attributes.get('TrailingChars') ?? '';
    const text = leading + value.text + trailing;
    return [
      { text, order: partTypes.get(value.attributes.get('NamePartGroupID') ?? '') ?? BETWEEN },
    ];
  });
  const isFamilyFirst = FAMILY_FIRST.test(script);
  if (!isFamilyFirst) parts.sort((a, b) => a.order - b.order);
  const text = parts.map((part) => part.text).join(isFamilyFirst ? '' : ' ');
  return { text: text.trim(), published: publishedName(parts), isLatin: /^latin/i.test(script) };
}

function publishedName(parts: readonly Part[]): string {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only.text;
  const textOf = (isFamily: boolean) =>
    parts
      .filter((part) => part.order >= FAMILY === isFamily)
      .map((part) => part.text)
      .join(' ');
  return [textOf(true), textOf(false)].filter(Boolean).join(', ');
}
