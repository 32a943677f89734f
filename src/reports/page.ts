/**
 * A4 pages that are filled from the top: headings, rows of a label and a value, and small print.
 * Text may have any direction; a page in Arabic has its labels on the right. A character that no
 * font has is shown as U+FFFD; the document attached to the page has it unchanged.
 */
import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import type { Locale } from '#platform/locales';
import { type Line, linesOf } from './bidiText.ts';

const pathOf = (file: string): string => createRequire(import.meta.url).resolve(file);
/**
 * DejaVu (Bitstream Vera licence and public domain): Latin, Greek, Cyrillic, Arabic, Hebrew, and
 * much else. Why not a Naskh for the Arabic: Noto's draws dots apart from letters, and a letter
 * drawn by two glyphs is not found by a search and is copied as another letter.
 */
const FONTS: Readonly<Record<Face, string>> = {
  bold: pathOf('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  mono: pathOf('dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf'),
  plain: pathOf('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
};

const MARGIN = 50;
const LABEL_WIDTH = 150;
const FOOT_HEIGHT = 30;
const LINE_HEIGHT = 1.45;
const TEXT_SIZE = 9;
const GREY = '#555555';

const CELL_HEIGHT = 22;
const CELL_BASELINE = 14;
const WHITE = 255;
const SHADES = 150;

/** Counts of pairs, as a matrix shows them. */
export interface Matrix {
  readonly labels: readonly string[];
  readonly cells: readonly (readonly number[])[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly total: number;
}

export type Face = 'plain' | 'bold' | 'mono';
export interface Style {
  readonly face?: Face;
  readonly size?: number;
  readonly colour?: string;
}

/** Where a line stands: a column, and how far below the top of the line its letters stand. */
interface LinePlace extends Style {
  readonly left: number;
  readonly width: number;
  readonly baseline: number;
}

/** The part of fontkit's font that is needed; pdfkit's types leave it out. */
interface Font {
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
}

export class Page {
  readonly document: PDFKit.PDFDocument;
  readonly #width: number;
  readonly #bottom: number;
  readonly #isRightToLeft: boolean;
  #y = MARGIN;

  /** `at` is the document's own time: the clock plays no part. */
  constructor(options: {
    readonly at: Date;
    readonly title: string;
    readonly author: string;
    readonly lang?: Locale;
  }) {
    const { lang = 'en' } = options;
    this.document = new PDFDocument({
      bufferPages: true,
      // So that an auditor finds the attachment with a text tool; a few pages are small even so.
      compress: false,
      info: {
        Author: options.author,
        CreationDate: options.at,
        Creator: 'compliance-platform',
        ModDate: options.at,
        Producer: 'compliance-platform',
        Title: options.title,
      },
      lang,
      margin: MARGIN,
      pdfVersion: '1.7',
      size: 'A4',
    });
    for (const [face, path] of Object.entries(FONTS)) this.document.registerFont(face, path);
    this.#width = this.document.page.width - 2 * MARGIN;
    this.#bottom = this.document.page.height - MARGIN - FOOT_HEIGHT;
    this.#isRightToLeft = lang === 'ar';
  }

  title(text: string): void {
    this.#paragraph(text, { face: 'bold', size: 17 });
    this.#y += 6;
  }

  heading(text: string): void {
    this.#y += 10;
    this.#room(48);
    this.#paragraph(text, { face: 'bold', size: 11 });
    const { document } = this;
    const end = MARGIN + this.#width;
    document.moveTo(MARGIN, this.#y).lineTo(end, this.#y).lineWidth(0.5).stroke('#999999');
    this.#y += 4;
  }

  row(label: string, value: string, style: Style = {}): void {
    const { face = 'plain', size = TEXT_SIZE } = style;
    const valueWidth = this.#width - LABEL_WIDTH;
    const lines = this.#lines(value, valueWidth, { face, size });
    const labelAt = this.#isRightToLeft ? MARGIN + valueWidth : MARGIN;
    const valueAt = this.#isRightToLeft ? MARGIN : MARGIN + LABEL_WIDTH;
    for (const [at, line] of lines.entries()) {
      // The first line has the label's height, even if its own text is smaller.
      const height = at === 0 ? TEXT_SIZE : size;
      this.#room(height * LINE_HEIGHT);
      if (at === 0) {
        const [words] = this.#lines(label, LABEL_WIDTH, {});
        this.#draw(words, { baseline: height, colour: GREY, left: labelAt, width: LABEL_WIDTH });
      }
      // In a column of labels and values all values begin at one place, in either direction.
      this.#draw(line, { baseline: height, face, left: valueAt, size, width: valueWidth });
      this.#y += height * LINE_HEIGHT;
    }
  }

  /** A square a cell, darker the more it counts; sums stand at the ends. */
  matrix({ cells, columns, labels, rows, total }: Matrix): void {
    const side = this.#width / (labels.length + 2);
    this.#room(CELL_HEIGHT * (labels.length + 2));
    const most = Math.max(1, ...cells.flat());
    const lines: readonly (readonly string[])[] = [
      ['', ...labels, 'Σ'],
      ...cells.map((row, at) => [labels[at] ?? '', ...row.map(String), String(rows[at] ?? 0)]),
      ['Σ', ...columns.map(String), String(total)],
    ];
    for (const [row, texts] of lines.entries()) {
      for (const [column, text] of texts.entries()) {
        const place = this.#isRightToLeft ? texts.length - 1 - column : column;
        const left = MARGIN + place * side;
        const count = cells[row - 1]?.[column - 1];
        if (count !== undefined) {
          const shade = WHITE - Math.round((SHADES * count) / most);
          const colour = `#${shade.toString(16).padStart(2, '0').repeat(2)}ff`;
          const { document } = this;
          document.rect(left, this.#y, side, CELL_HEIGHT).fillAndStroke(colour, '#999999');
        }
        const isSum = row === lines.length - 1 || column === texts.length - 1;
        const style: Style = { face: isSum ? 'bold' : 'plain', size: 8 };
        const [line] = this.#lines(text, side, style);
        this.#draw(line, { ...style, baseline: CELL_BASELINE, left: left + 3, width: side - 6 });
      }
      this.#y += CELL_HEIGHT;
    }
    this.#y += 6;
  }

  smallPrint(text: string): void {
    this.#paragraph(text, { face: 'mono', size: 6 });
  }

  note(text: string): void {
    this.#paragraph(text, { colour: GREY, size: 8 });
  }

  /** Draws the foot of every page; nothing may be drawn afterwards. */
  async bytes(foot: string): Promise<Buffer> {
    const { document } = this;
    const { count } = document.bufferedPageRange();
    for (let no = 0; no < count; no++) {
      document.switchToPage(no);
      this.#y = this.#bottom + FOOT_HEIGHT / 2;
      const text = `${foot}  ·  ${no + 1} / ${count}`;
      const [line] = this.#lines(text, this.#width, { size: 7 });
      this.#draw(line, { baseline: 7, colour: GREY, left: MARGIN, size: 7, width: this.#width });
    }
    const pieces: Buffer[] = [];
    document.on('data', (piece: Buffer) => pieces.push(piece));
    const ended = new Promise<void>((resolve, reject) => {
      document.once('end', resolve).once('error', reject);
    });
    document.end();
    await ended;
    return Buffer.concat(pieces);
  }

  #paragraph(text: string, style: Style): void {
    const { size = TEXT_SIZE } = style;
    for (const line of this.#lines(text, this.#width, style)) {
      this.#room(size * LINE_HEIGHT);
      this.#draw(line, { ...style, baseline: size, left: MARGIN, width: this.#width });
      this.#y += size * LINE_HEIGHT;
    }
  }

  #room(height: number): void {
    if (this.#y + height <= this.#bottom) return;
    this.document.addPage();
    this.#y = MARGIN;
  }

  #lines(text: string, width: number, { face = 'plain', size = TEXT_SIZE }: Style): Line[] {
    const measure = (part: string): number => {
      const whole = linesOf(part, Number.POSITIVE_INFINITY, () => 0);
      return this.#widthOf(
        whole.flatMap(({ pieces }) => pieces),
        face,
        size,
      );
    };
    return linesOf(text, width, measure);
  }

  #draw(line: Line | undefined, at: LinePlace): void {
    const { baseline, colour = 'black', face = 'plain', left, size = TEXT_SIZE } = at;
    const pieces = line?.pieces ?? [];
    this.document.fillColor(colour);
    let x = this.#isRightToLeft ? left + at.width - this.#widthOf(pieces, face, size) : left;
    for (const piece of pieces) {
      const { text, width } = this.#select(piece, face, size);
      const options = { baseline: 'alphabetic', lineBreak: false } as const;
      this.document.text(text, x, this.#y + baseline, options);
      x += width;
    }
  }

  #widthOf(pieces: readonly string[], face: Face, size: number): number {
    return pieces.reduce((sum, piece) => sum + this.#select(piece, face, size).width, 0);
  }

  /** Sets the font for the piece; answers what will be drawn, and how wide it is. */
  #select(text: string, face: Face, size: number): { text: string; width: number } {
    this.document.font(face, size);
    const { font } = (this.document as unknown as { readonly _font: Font })._font;
    const known = Array.from(text, (character) =>
      font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0) ? character : '\ufffd',
    ).join('');
    return { text: known, width: this.document.widthOfString(known) };
  }
}
