/**
 * A number as a spreadsheet shows it, where its format is one of digits to be filled (`00000000`,
 * `0000-0000`): the zeros in front are part of what people read as the identifier.
 * Any other format, and any number that is no whole one, is given as it is written.
 */

/** A digit that is always shown, one that is shown where there is one, and text between them. */
const TOKEN = /(0)|(#)|"([^"]*)"|\\(.)|([-:() +/])/uy;
const DIGITS_MAX = 15;

export function shownNumber(value: number, format: string | undefined): string {
  const written = String(value);
  if (format === undefined || !/^\d+$/.test(written) || written.length > DIGITS_MAX) return written;
  const tokens = tokensOf(format);
  if (!tokens?.some(({ kind }) => kind !== 'text')) return written;
  let rest = written === '0' ? '' : written;
  let shown = '';
  const first = tokens.findIndex(({ kind }) => kind !== 'text');
  for (let at = tokens.length - 1; at >= 0; at--) {
    const { kind, text } = tokens[at] ?? { kind: 'text', text: '' };
    if (kind === 'text') shown = text + shown;
    else if (at === first) {
      // The first place takes all digits that are left.
      shown = (rest === '' && kind === 'zero' ? '0' : rest) + shown;
    } else {
      shown = (rest.at(-1) ?? (kind === 'zero' ? '0' : '')) + shown;
      rest = rest.slice(0, -1);
    }
  }
  return shown.trim();
}

interface Token {
  readonly kind: 'zero' | 'digit' | 'text';
  readonly text: string;
}

/** Tokens of its first section, which is for positive numbers; undefined for any other format. */
function tokensOf(format: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < format.length && format[TOKEN.lastIndex] !== ';') {
    const match = TOKEN.exec(format);
    if (!match) return undefined;
    const [, zero, digit, quoted, escaped, plain] = match;
    if (zero !== undefined) tokens.push({ kind: 'zero', text: '' });
    else if (digit !== undefined) tokens.push({ kind: 'digit', text: '' });
    else tokens.push({ kind: 'text', text: quoted ?? escaped ?? plain ?? '' });
  }
  return tokens;
}
