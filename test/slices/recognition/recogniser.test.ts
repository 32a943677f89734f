/** Documents are read in cages, by what there is to read with; by people where there is nothing. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { inspectMedia, openRecogniser } from '../../../src/slices/recognition/index.ts';
import { HAS_READER, pageWithZone, pictureOf } from './documentPages.ts';
import { pngOf } from './mediaFiles.ts';

const ZONE = [
  'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
  'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
];
const PATH = process.env.PATH ?? '';

function recogniserOf(programPath = PATH, ocrLangDir?: string) {
  const documents = { programPath, ...(ocrLangDir !== undefined && { ocrLangDir }) };
  return openRecogniser({ clock: systemClock, config: { documents } });
}

const left = (): string[] => globSync(join(tmpdir(), 'compliance-document-*'));

/** A folder with a program of this name, and the programs of the cage. */
async function withProgram(script: string, use: (programPath: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'programs-'));
  const file = join(folder, 'tesseract');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  try {
    await use(`${folder}:/usr/bin:/bin`);
  } finally {
    await rm(folder, { force: true, recursive: true });
  }
}
const PROBED = `case "$1" in
--version) echo 'tesseract 5.3.0'; exit;;
--list-langs) echo "List of available languages in \\"$(dirname "$0")/\\" (1):"; echo eng; exit;;
esac
`;

describe('without a reader', () => {
  test('the text of a PDF is read all the same, its zone too', async () => {
    const bytes = await pageWithZone(ZONE);
    const { mediaType, pages } = await inspectMedia(bytes);
    const read = await recogniserOf('').recognise({ bytes, mediaType, pages });
    expect(read).toMatchObject({
      engine: { name: 'unpdf', version: expect.any(String) },
      mrz: { fields: { documentNumber: 'L898902C3' }, isValid: true, repaired: [] },
      status: 'read',
    });
    expect(read.fields).toContainEqual({
      confidence: 0.99,
      name: 'dob',
      source: 'mrz',
      value: '1974-08-12',
    });
  });

  test('a picture is unavailable, and nothing is left behind', async () => {
    const bytes = pngOf({ height: 20, width: 30 });
    const recogniser = recogniserOf('');
    expect(await recogniser.recognise({ bytes, mediaType: 'image/png', pages: 1 })).toMatchObject({
      fields: [],
      status: 'unavailable',
      warnings: ['no-reader'],
    });
    expect((await recogniser.engines()).map(({ name }) => name)).toEqual(['unpdf']);
  });

  test('the version that is named is the one that is installed', async () => {
    const file = createRequire(import.meta.url)
      .resolve('unpdf')
      .replace(/unpdf\/dist.*$/, 'unpdf/package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
    expect((await recogniserOf('').engines())[0]?.version).toBe(version);
  });
});

describe('a reader that', () => {
  const ask = {
    bytes: pngOf({ height: 20, width: 30 }),
    mediaType: 'image/png',
    pages: 1,
  } as const;

  test('ends in the middle has failed, as has one that says too much', async () => {
    for (const [script, warning] of [
      ['exit 1', 'reader-failed'],
      ['yes | head -c 20000000', 'bound-output'],
    ] as const) {
      await withProgram(
        `touch "$(dirname "$0")/eng.traineddata" 2>/dev/null; ${PROBED}${script}`,
        async (path) => {
          const read = await recogniserOf(path).recognise(ask);
          expect(read).toMatchObject({ status: 'failed', warnings: [warning] });
        },
      );
    }
    expect(left()).toEqual([]);
  });

  test('is given up is ended with all that it started', async () => {
    const stop = new AbortController();
    const work = 'touch "$1.begun"; sleep 60 & wait';
    const script = `touch "$(dirname "$0")/eng.traineddata"; ${PROBED}${work}`;
    await withProgram(script, async (path) => {
      const reading = recogniserOf(path).recognise({ ...ask, signal: stop.signal });
      reading.catch(() => undefined);
      await expect
        .poll(() => left().some((folder) => existsSync(`${folder}/document.begun`)), {
          timeout: 5_000,
        })
        .toBe(true);
      stop.abort(new Error('given up'));
      await expect(reading).rejects.toThrow('given up');
    });
    expect(left()).toEqual([]);
  });

  test('is older than what we know is not used', async () => {
    await withProgram(PROBED.replace('5.3.0', '4.1.1'), async (path) => {
      expect(await recogniserOf(path).engines()).toHaveLength(1);
    });
  });
});

describe.skipIf(!HAS_READER)('with tesseract', () => {
  test('a photograph is read, with engine, version and digest of its data', async () => {
    const bytes = await pictureOf(await pageWithZone(ZONE), { quality: 80 });
    const { mediaType, pages } = await inspectMedia(bytes);
    const memory = process.memoryUsage.rss();
    const read = await recogniserOf().recognise({ bytes, mediaType, pages });
    expect(process.memoryUsage.rss() - memory).toBeLessThan(64 * 1024 * 1024);
    expect(read).toMatchObject({
      engine: { dataSha256: expect.stringMatching(/^[0-9a-f]{64}$/), name: 'tesseract' },
      mrz: { fields: { documentNumber: 'L898902C3', surname: 'ERIKSSON' }, isValid: true },
      status: 'read',
    });
    expect(read.text).toContain('PASSPORT');
    expect(left()).toEqual([]);
  });

  test('a scanned PDF is drawn page by page; a bare picture is unreadable', async () => {
    const picture = await pictureOf(await pageWithZone(ZONE), { quality: 80 });
    const { default: PDFDocument } = await import('pdfkit');
    const document = new PDFDocument({ margin: 0, size: [354, 249] });
    const pieces: Buffer[] = [];
    document.on('data', (piece: Buffer) => pieces.push(piece));
    document.image(picture, 0, 0, { width: 354 }).end();
    await new Promise((resolve) => document.on('end', resolve));
    const bytes = Buffer.concat(pieces);
    const ask = { bytes, mediaType: 'application/pdf', pages: 1 } as const;
    expect(await recogniserOf().recognise(ask)).toMatchObject({
      mrz: { isValid: true },
      status: 'read',
    });
    const blank = {
      bytes: pngOf({ height: 200, width: 300 }),
      mediaType: 'image/png',
      pages: 1,
    } as const;
    expect(await recogniserOf().recognise(blank)).toMatchObject({ status: 'unreadable' });
  });

  test('data of the operator are used, none is fetched: an empty folder is no reader', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lang-'));
    expect(await recogniserOf(PATH, folder).engines()).toHaveLength(1);
    await rm(folder, { recursive: true });
  });
});
