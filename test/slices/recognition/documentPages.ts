/** Pages of identity documents, drawn by the tests: no person and no state is on them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import PDFDocument from 'pdfkit';

const FONTS = join(
  dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')),
  'ttf',
);

/** Whether the system has what reads and draws. Tests without it are skipped, and say so. */
export const HAS_READER =
  spawnSync('tesseract', ['--version']).status === 0 && spawnSync('pdftoppm', ['-v']).status === 0;
if (!HAS_READER) console.warn('skipped: no tesseract or pdftoppm on PATH; .ci/run brings both');

/** A page of the size of a passport's, with a zone at its foot, turned by some degrees. */
export async function pageWithZone(
  lines: readonly string[],
  { degrees = 0 }: { readonly degrees?: number } = {},
): Promise<Buffer> {
  const document = new PDFDocument({ margin: 0, size: [354, 249] });
  const pieces: Buffer[] = [];
  document.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => document.on('end', resolve));
  document.rect(0, 0, 354, 249).fill('#f4efe0').fill('#111');
  document.rotate(degrees, { origin: [177, 125] });
  document.font(join(FONTS, 'DejaVuSans.ttf')).fontSize(9).text('UTOPIA PASSPORT', 24, 24);
  const size = (306 / Math.max(...lines.map((line) => line.length))) * 1.66;
  document.font(join(FONTS, 'DejaVuSansMono.ttf')).fontSize(Math.min(size, 12));
  lines.forEach((line, at) => {
    document.text(line, 24, 175 + at * 18, { lineBreak: false });
  });
  document.end();
  await ended;
  return Buffer.concat(pieces);
}

/** The page as a picture, by poppler. */
export async function pictureOf(
  pdf: Buffer,
  { dpi = 300, quality }: { readonly dpi?: number; readonly quality?: number } = {},
): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'drawn-'));
  try {
    const file = join(folder, 'page.pdf');
    await writeFile(file, pdf);
    const kind = quality === undefined ? ['-png'] : ['-jpeg', '-jpegopt', `quality=${quality}`];
    const options = ['-r', String(dpi), '-singlefile', ...kind, file, join(folder, 'page')];
    const { status } = spawnSync('pdftoppm', options);
    if (status !== 0) throw new Error(`pdftoppm: exit code ${status}`);
    return readFileSync(join(folder, quality === undefined ? 'page.png' : 'page.jpg'));
  } finally {
    rmSync(folder, { force: true, recursive: true });
  }
}
