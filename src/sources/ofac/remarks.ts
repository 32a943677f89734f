/**
 * What OFAC says in remarks only: relations, `(Linked To: NAME)` in the files that it publishes and
 * `Linked To: NAME; …` in what others derive from its CSV; nicknames, `a.k.a. 'NAME'`; operators.
 * Remarks themselves stay whole in the entity's properties, so nothing depends on this being
 * complete.
 */
export interface RemarkLink {
  readonly label: 'Linked To' | 'Aircraft Operator' | 'Vessel Owner';
  /** As published: `LAST, First` of a person. */
  readonly name: string;
}

export interface Remarks {
  readonly links: readonly RemarkLink[];
  readonly aliases: readonly string[];
  readonly gender?: string;
}

const LINK = /\(?\b(Linked To|Aircraft Operator):?\s+/g;
/** Up to the quotation mark that opens the name. */
const ALIAS = /\b(?:[afn]\.k\.a\.|nicknames?:?)[\s,]*['‘"]/g;
/** A plain search says of most remarks that there is nothing to look for. */
const MAY_LINK = /Linked To|Aircraft Operator/;
const MAY_ALIAS = /\.k\.a\.|nickname/;
const GENDER = /\bGender:?\s+(Male|Female)\b/i;
/** Bounds for remarks that are none: more links, or longer names, are not looked for. */
const LINKS_MAX = 256;
const NAME_CHARS_MAX = 512;
const ALIAS_CHARS_MAX = 200;

const NOTHING: Remarks = { links: [], aliases: [] };

export function readRemarks(remarks: string): Remarks {
  if (remarks === '') return NOTHING;
  const gender = GENDER.exec(remarks)?.[1];
  return {
    links: MAY_LINK.test(remarks) ? readLinks(remarks) : [],
    aliases: MAY_ALIAS.test(remarks) ? readAliases(remarks) : [],
    ...(gender ? { gender } : {}),
  };
}

function readLinks(remarks: string): RemarkLink[] {
  const links: RemarkLink[] = [];
  for (const match of remarks.matchAll(LINK)) {
    if (links.length === LINKS_MAX) break;
    const start = match.index + match[0].length;
    const text = remarks.slice(start, start + NAME_CHARS_MAX);
    const end = match[0].startsWith('(') ? closingParenthesis(text) : text.indexOf(';');
    const name = (end < 0 ? text : text.slice(0, end)).trim();
    const label = match[1] === 'Linked To' ? 'Linked To' : 'Aircraft Operator';
    if (name !== '') links.push({ label, name });
  }
  return links;
}

function readAliases(remarks: string): string[] {
  const aliases: string[] = [];
  for (const match of remarks.matchAll(ALIAS)) {
    const alias = quoted(remarks, match.index + match[0].length).trim();
    if (alias !== '') aliases.push(alias);
  }
  return aliases;
}

/** Names hold apostrophes themselves: one with a mark behind it, or at the end, closes. */
function quoted(remarks: string, start: number): string {
  const endMax = Math.min(remarks.length, start + ALIAS_CHARS_MAX);
  for (let end = start; end < endMax; end++) {
    const char = remarks[end] ?? '';
    const isLast = end + 1 === remarks.length || ';.,)'.includes(remarks[end + 1] ?? '');
    if (isLast && ["'", '’', '"'].includes(char)) return remarks.slice(start, end);
    if (char === ';' || char === '"') break;
  }
  return '';
}

/** Names hold parentheses themselves: `(Linked To: CORPS (IRGC)-QODS FORCE)`. */
function closingParenthesis(text: string): number {
  let depth = 1;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '(') depth++;
    else if (text[index] === ')' && --depth === 0) return index;
  }
  return -1;
}
