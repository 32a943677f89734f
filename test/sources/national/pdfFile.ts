/**
 * A PDF of text at places, made by hand: what a word processor's table comes down to. Latin text is
 * Helvetica; Arabic is written glyph by glyph as it is seen, from the left, with a ToUnicode map.
 */
export interface PlacedText {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

const SIZE = 10;

export function pdfFile(pages: readonly (readonly PlacedText[])[]): Buffer {
  const letters = [...new Set(pages.flat().flatMap(({ text }) => [...text].filter(isArabic)))];
  const kids = pages.map((_, index) => `${5 + index * 2} 0 R`).join(' ');
  const resources = '<< /Font << /L 3 0 R /A 4 0 R >> >>';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    arabicFont(letters, 5 + pages.length * 2),
    ...pages.flatMap((page, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 800 600] /Resources ${resources} ` +
        `/Contents ${6 + index * 2} 0 R >>`,
      stream(page.map((item) => showText(item, letters)).join('\n')),
    ]),
    stream(toUnicode(letters)),
  ];
  return assemble(objects);
}

const isArabic = (letter: string): boolean => /[\u0600-\u06ff]/.test(letter);
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

function showText({ text, x, y }: PlacedText, letters: readonly string[]): string {
  const isRightToLeft = [...text].some(isArabic);
  const codes = isRightToLeft
    ? [...text].reverse().map((letter) => (letter === ' ' ? 32 : 64 + letters.indexOf(letter)))
    : [...Buffer.from(text, 'latin1')];
  const bytes = codes.map((code) => hex(code, 2)).join('');
  return `BT /${isRightToLeft ? 'A' : 'L'} ${SIZE} Tf 1 0 0 1 ${x} ${y} Tm <${bytes}> Tj ET`;
}

function arabicFont(letters: readonly string[], toUnicodeNumber: number): string {
  const names = letters.map((_, index) => `/g${index}`).join(' ');
  const widths = Array.from({ length: 33 + letters.length + 32 }, () => 500).join(' ');
  return (
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica ' +
    `/FirstChar 32 /LastChar ${96 + letters.length} /Widths [${widths}] ` +
    `/Encoding << /Type /Encoding /Differences [64 ${names}] >> ` +
    `/ToUnicode ${toUnicodeNumber} 0 R >>`
  );
}

function toUnicode(letters: readonly string[]): string {
  const rows = letters.map(
    (letter, index) => `<${hex(64 + index, 2)}> <${hex(letter.codePointAt(0) ?? 0, 4)}>`,
  );
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CMapName /A def /CMapType 2 def',
    '1 begincodespacerange <00> <ff> endcodespacerange',
    `${rows.length + 1} beginbfchar`,
    '<20> <0020>',
    ...rows,
    'endbfchar endcmap end end',
  ].join('\n');
}

const stream = (text: string): string => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;

/** A file of these objects, numbered from 1; the first is its root. */
export function assemble(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
