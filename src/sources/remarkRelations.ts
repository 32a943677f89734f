/**
 * Relations that a publisher states in free text only: `Brother of X (QDi.218)`, `Owned or
 * controlled by Y`, `Associated with Z (QDe.004), V (QDe.010) and …`.
 *
 * Read conservatively: the words that name the relation, then at once the parties, by the United
 * Nations' reference or by name. Text further away, in a clause of its own, is not read; the text
 * stays whole in the entity's properties. A vague relation (`member of`, `linked to`) counts only
 * where it leads to an entity of the same list.
 */
import type { AssociationType } from '#slices/lists';

export interface StatedRelation {
  /** As the publisher puts it, in lower case: `brother of`. */
  readonly label: string;
  readonly type: AssociationType;
  /** As UN reference in its one form, or a name as written. */
  readonly target: { readonly reference: string } | { readonly name: string };
  /** Whether it is reported where it leads to no entity. */
  readonly isFirm: boolean;
}

const KIN =
  '(?:half-?\\s?|step-?\\s?)?(?:brother|sister|father|mother|son|daughter|uncle|aunt|nephew|' +
  'niece|cousin|wife|husband|spouse|widow|grandson|granddaughter|grandfather|grandmother)' +
  '(?:-in-law)?';
/** In the order in which they are tried at one place. */
const KINDS: readonly {
  readonly words: string;
  readonly type: AssociationType;
  readonly isFirm: boolean;
}[] = [
  { words: `${KIN}s? of|married to|linked by marriage to`, type: 'FAMILY', isFirm: true },
  { words: "(?:father|mother|husband|wife)['’]s name (?:is|was)", type: 'FAMILY', isFirm: false },
  {
    words:
      '(?:wholly |partly |directly |indirectly ){0,4}owned,?(?: (?:and|or) controlled)? by' +
      '(?:,? or (?:acts?|acting) on behalf of)?|owned or controlled by,? or (?:acts?|acting) on ' +
      'behalf of|controlled by|subsidiary(?:/subordinate)? of|(?:co-)?owner of|' +
      'owns(?: and operates)?',
    type: 'OWNER',
    isFirm: true,
  },
  { words: 'employed by|employee of|works for', type: 'EMPLOYER', isFirm: false },
  {
    words:
      'associated(?: also)? with|associate of|affiliated (?:with|to)|affiliate of|linked to|' +
      'subordinate (?:entity )?(?:to|of)|on behalf of|(?:founded|established|led|headed)' +
      '(?: and (?:led|headed))? by|(?:member|leader|head|chief|founder|director|deputy|' +
      'financier|facilitator|emir) (?:of|to|for)|belongs to the leadership of|advisor to|' +
      'spokesperson for|heading',
    type: 'BUSINESS',
    isFirm: false,
  },
];
const WORDS = new RegExp(
  `\\b(?:${KINDS.map((kind) => `(${kind.words})`).join('|')})[,:]?\\s+`,
  'gi',
);
const REFERENCE = /\b([A-Z]{2})([IEie])[.\s](\d{3})\b/g;
/** Words of a new clause: what follows them is about another party or thing. */
const CLAUSE = new RegExp(
  '\\b(?:who|whom|whose|which|that|was|were|is|has|had|under|before|after|through|by|from|his|' +
    'her|its|where|while|but|until|when|as (?:of|at)|including)\\b',
  'i',
);
const SENTENCE_END = /[;\n]|\.(?=\s+(?:['"(]?\p{Lu}|\[)|\s*$)/u;
/** Read behind the words of a relation. */
const TAIL_CHARS_MAX = 600;
/** Relations of one text; further ones are not read. */
const RELATIONS_MAX = 200;
/** Small words that stand inside of names. */
const PARTICLES = new Set([
  ...['al', 'el', 'ul', 'as', 'an', 'ar', 'at', 'az', 'ad', 'bin', 'ibn', 'bint', 'ben', 'ould'],
  ...['wal', 'abu', 'um', 'abd', 'de', 'la', 'le', 'les', 'des', 'du', 'da', 'do', 'di', 'von'],
  ...['van', 'of', 'the', 'for', 'and', 'in', 'to'],
]);

/** The form that the Security Council writes: `KPi.067`. */
export function unReferences(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(
    ([, list, kind = '', number]) => `${list}${kind.toLowerCase()}.${number}`,
  );
}

export function readRelations(text: string): StatedRelation[] {
  const found: StatedRelation[] = [];
  const matches = [...text.matchAll(WORDS)];
  for (const [index, match] of matches.entries()) {
    const kind = KINDS.find((_, group) => match[group + 1] !== undefined);
    if (!kind || found.length >= RELATIONS_MAX) break;
    const start = match.index + match[0].length;
    const end = Math.min(matches[index + 1]?.index ?? text.length, start + TAIL_CHARS_MAX);
    const tail = sentence(text.slice(start, end));
    const label = match[0].trim().replace(/[,:]$/, '').replace('’', "'").toLowerCase();
    const { type, isFirm } = kind;
    const references = listedReferences(tail);
    for (const reference of references) {
      found.push({ label, type, isFirm, target: { reference } });
    }
    if (references.length > 0) continue;
    for (const name of listedNames(tail)) found.push({ label, type, isFirm, target: { name } });
  }
  return found;
}

function sentence(text: string): string {
  const end = SENTENCE_END.exec(text);
  return end ? text.slice(0, end.index) : text;
}

/** References of one enumeration, until a clause comes in between. */
function listedReferences(tail: string): string[] {
  const references: string[] = [];
  let from = 0;
  for (const match of tail.matchAll(REFERENCE)) {
    const between = tail.slice(from, match.index).replace(/listed (?:as|under)/gi, '');
    if (CLAUSE.test(between)) break;
    from = match.index + match[0].length;
    references.push(...unReferences(match[0]));
  }
  return references;
}

/** Names of one enumeration, until anything comes that is no name. */
function listedNames(tail: string): string[] {
  const names: string[] = [];
  const spaced = tail.replace(/\([^()]*\)/g, ' ').replace(/\s+/g, ' ');
  for (const item of spaced.split(/, ?(?:and )?| and (?:the )?/)) {
    const clause = CLAUSE.exec(item);
    const name = (clause ? item.slice(0, clause.index) : item)
      .replace(/^\s*(?:the|President|General|Mullah)\s+/i, '')
      .trim();
    if (!isName(name)) break;
    names.push(name);
    if (clause) break;
  }
  return names;
}

function isName(text: string): boolean {
  if (text.length < 3 || text.length > 120 || !/\p{Lu}|\p{Lo}/u.test(text)) return false;
  return text.split(/[\s-]+/).every((word) => {
    const isSmall = /^\p{Ll}{2,}$/u.test(word);
    return !isSmall || PARTICLES.has(word);
  });
}
