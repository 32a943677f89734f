/** Text of the pages of a PDF, in lines as they stand. */
import { extractTextItems, getDocumentProxy } from 'unpdf';
import { PAGES_READ_MAX } from './limits.ts';

/** One page. */
export interface PdfPage {
  readonly n: number;
  readonly text: string;
}

/** In parts of the size of the letters. */
const SAME_LINE = 0.5;
const A_SPACE = 0.25;

/** For `serveBounded`: a page each, and no more than PAGES_READ_MAX. */
export async function* pdfText(bytes: Buffer): AsyncGenerator<PdfPage> {
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    disableFontFace: true,
    verbosity: 0,
  });
  const { items } = await extractTextItems(document);
  for (const [place, page] of items.slice(0, PAGES_READ_MAX).entries()) {
    yield { n: place + 1, text: linesOf(page).join('\n') };
  }
}

type Item = Awaited<ReturnType<typeof extractTextItems>>['items'][number][number];

const sizeOf = ({ fontSize, height }: Item): number => fontSize || height;

function linesOf(items: readonly Item[]): string[] {
  const lines: Item[][] = [];
  for (const item of items.filter(({ str }) => str.trim() !== '').sort((a, b) => b.y - a.y)) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line && first && first.y - item.y <= SAME_LINE * sizeOf(item)) line.push(item);
    else lines.push([item]);
  }
  return lines.map(joinLine);
}

function joinLine(line: readonly Item[]): string {
  let text = '';
  let end: number | undefined;
  for (const item of [...line].sort((a, b) => a.x - b.x)) {
    const isApart = end !== undefined && item.x - end > A_SPACE * sizeOf(item);
    text += isApart ? ` ${item.str}` : item.str;
    end = item.x + item.width;
  }
  return text.normalize('NFKC');
}
