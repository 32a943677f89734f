/**
 * Characters that change how a text looks and are seen nowhere: controls of direction, joiners of
 * nothing, controls. In a name they are a sign of spoofing, so they are shown by their number.
 */
const HIDDEN = /(?!\n)[\p{Cc}\p{Bidi_Control}\u200b\u2060\ufeff]/u;

export interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

export function piecesOf(text: string): readonly Piece[] {
  return text
    .split(new RegExp(`(${HIDDEN.source})`, 'u'))
    .filter((piece) => piece !== '')
    .map((piece) => {
      const isHidden = HIDDEN.test(piece);
      return { isHidden, text: isHidden ? codeOf(piece) : piece };
    });
}

const codeOf = (piece: string): string =>
  `U+${(piece.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** For titles and announcements, where no element can stand: isolated from the text around it. */
export const isolated = (text: string): string =>
  `\u2068${piecesOf(text)
    .map((piece) => piece.text)
    .join('')}\u2069`;
