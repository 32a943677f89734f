/**
 * What OFAC says in remarks only: relations, `(Linked To: NAME)` in the files that it publishes and
 * `Linked To: NAME; …` in what others derive from its CSV; nicknames, `a.k.a. 'NAME'`; operators.
 * Remarks themselves stay whole in the entity's properties, so nothing depends on this being complete.
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
const ALIAS =
  /\b(?:a\.k\.a\.|f\.k\.a\.|n\.k\.a\.|nicknames?:?)\s*,?\s*['‘"]([^'’"][^;"]*?)['’"](?=[;.,)]|$)/g;
const GENDER = /\bGender:?\s+(Male|Female)\b/i;
/** More of them in one remark is no remark. */
const LINKS_MAX = 256;

export function readRemarks(remarks: string): Remarks {
  const gender = GENDER.exec(remarks)?.[1];
  return {
    links: readLinks(remarks),
    aliases: [...remarks.matchAll(ALIAS)].map((match) => (match[1] ?? '').trim()),
    ...(gender ? { gender } : {}),
  };
}

function readLinks(remarks: string): RemarkLink[] {
  const links: RemarkLink[] = [];
  for (const match of remarks.matchAll(LINK)) {
    const start = match.index + match[0].length;
    const end = match[0].startsWith('(')
      ? closingParenthesis(remarks, start)
      : remarks.indexOf(';', start);
    const name = remarks.slice(start, end < 0 ? remarks.length : end).trim();
    const label = match[1] === 'Linked To' ? 'Linked To' : 'Aircraft Operator';
    if (name !== '' && links.length < LINKS_MAX) links.push({ label, name });
  }
  return links;
}

/** Names hold parentheses themselves: `(Linked To: CORPS (IRGC)-QODS FORCE)`. */
function closingParenthesis(text: string, start: number): number {
  let depth = 1;
  for (let index = start; index < text.length; index++) {
    if (text[index] === '(') depth++;
    else if (text[index] === ')' && --depth === 0) return index;
  }
  return -1;
}
