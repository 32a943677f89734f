/**
 * A regular expression taken apart, as far as the time that it takes depends on it: what it matches
 * character by character, in which order, and how often. Captures and laziness are left out, since
 * neither makes a search that fails any shorter.
 */
export type RegexPart =
  /** One character; `source` is the piece of the expression that tells which. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'edge'; readonly edge: '^' | '$' | '\\b' | '\\B' }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexPart[] }
  | { readonly kind: 'choice'; readonly parts: readonly RegexPart[] }
  | {
      readonly kind: 'repeat';
      readonly part: RegexPart;
      readonly min: number;
      readonly max: number;
    }
  | { readonly kind: 'look'; readonly part: RegexPart; readonly isBehind: boolean };

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/;
const GROUP = /^\((?:\?(?:([a-z-]*:)|(<?[=!])|<([^>]*)>))?/;
const ESCAPE =
  /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|k<[^>]*>|.)/su;
/** Repetitions from here on count as any number. */
const BOUND_MAX = 1_000;

/** Parses an expression that is known to be valid. */
export function parseRegex(source: string, flags: string): RegexPart {
  const parser = new Parser(source, flags);
  const part = parser.choice();
  if (parser.rest !== '') throw new Error(`/${source}/: cannot be read from '${parser.rest}'`);
  return part;
}

class Parser {
  rest: string;
  readonly #isNested: boolean;
  /** By number and by name. */
  readonly #groups = new Map<string, RegexPart>();
  #groupCount = 0;

  constructor(source: string, flags: string) {
    this.rest = source;
    this.#isNested = flags.includes('v');
  }

  choice(): RegexPart {
    const parts = [this.#sequence()];
    while (this.rest.startsWith('|')) {
      this.#take('|');
      parts.push(this.#sequence());
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts };
  }

  #sequence(): RegexPart {
    const parts: RegexPart[] = [];
    while (this.rest !== '' && !/^[|)]/.test(this.rest)) parts.push(this.#repeated());
    return { kind: 'sequence', parts };
  }

  #repeated(): RegexPart {
    const part = this.#one();
    const match = QUANTIFIER.exec(this.rest);
    if (!match) return part;
    this.#take(match[0]);
    const [text, low, comma, high] = match;
    if (low === undefined) {
      const max = text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY;
      return { kind: 'repeat', part, min: text.startsWith('+') ? 1 : 0, max };
    }
    const stated = high ? Number(high) : comma ? Number.POSITIVE_INFINITY : Number(low);
    const max = stated >= BOUND_MAX ? Number.POSITIVE_INFINITY : stated;
    return { kind: 'repeat', part, min: Number(low), max };
  }

  #one(): RegexPart {
    const [first = ''] = this.rest;
    if (first === '(') return this.#group();
    if (first === '[') return { kind: 'character', source: this.#take(this.#charset()) };
    if (first === '^' || first === '$') {
      this.#take(first);
      return { kind: 'edge', edge: first };
    }
    if (first !== '\\') return { kind: 'character', source: this.#take(first) };
    const source = this.#take(ESCAPE.exec(this.rest)?.[0] ?? first);
    if (source === '\\b' || source === '\\B') return { kind: 'edge', edge: source };
    const [, number, name = number ?? ''] = /^\\(?:([1-9])|k<(.*)>)$/.exec(source) ?? [];
    const group = this.#groups.get(name);
    // What a group matched, again: as if the group stood here once more.
    return group ?? { kind: 'character', source };
  }

  #group(): RegexPart {
    const [opening = '(', kind, look, name = ''] = GROUP.exec(this.rest) ?? [];
    this.#take(opening);
    const isCapture = kind === undefined && look === undefined;
    const number = isCapture ? String(++this.#groupCount) : '';
    const part = this.choice();
    this.#take(')');
    if (look !== undefined) return { kind: 'look', part, isBehind: look.startsWith('<') };
    if (isCapture) this.#groups.set(number, part).set(name || number, part);
    return part;
  }

  /** `[…]` at the start of what is left; brackets stand within brackets under the flag v. */
  #charset(): string {
    let depth = 0;
    for (let index = 0; index < this.rest.length; index++) {
      const char = this.rest[index];
      if (char === '\\') index++;
      else if (char === '[' && (depth === 0 || this.#isNested)) depth++;
      else if (char === ']' && --depth === 0) return this.rest.slice(0, index + 1);
    }
    return this.rest;
  }

  #take(text: string): string {
    if (!this.rest.startsWith(text)) throw new Error(`expected '${text}' before '${this.rest}'`);
    this.rest = this.rest.slice(text.length);
    return text;
  }
}
