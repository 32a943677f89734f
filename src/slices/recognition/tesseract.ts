/**
 * Tesseract as a program of the system, in a cage: one page, one process, one thread. Its data are
 * the system's or the operator's; nothing is ever fetched.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cage, runCaged } from '#platform/boundedProgram';
import type { DocumentConfig } from '#platform/documentConfig';
import { PAGE_MS_MAX, READER_MEMORY_BYTES_MAX } from './limits.ts';

/** What read a document: named in the evidence. */
export interface EngineFacts {
  readonly name: 'tesseract' | 'unpdf';
  readonly version: string;
  /** SHA-256 over the data of the languages, in their order. */
  readonly dataSha256?: string;
}

/** One page as it was read. */
export interface ReadPage {
  readonly text: string;
  /** Mean of its words, 0 to 1. */
  readonly confidence: number;
}

/** The program, as it was found. */
export interface Tesseract {
  readonly facts: EngineFacts;
  /** Text in the languages that there are data for. */
  readText(page: PageAsk): Promise<ReadPage>;
  /** Capitals, digits and fillers alone. */
  readZone(page: PageAsk): Promise<ReadPage>;
}

/** A picture in a folder. */
export interface PageAsk {
  readonly folder: string;
  readonly file: string;
  readonly timeMs: number;
  readonly signal?: AbortSignal | undefined;
}

const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;
const PROBE_MS_MAX = 10_000;
/** Older ones write other tables. */
const VERSION = /^tesseract v?(\d+\.[\w.-]+)/;
const MAJOR_MIN = 5;
const DATA_FOLDER = /^List of available languages in "([^"]+)"/;
const TEXT_LANGUAGES: readonly string[] = ['eng', 'fra'];
/** Data for the letters of zones, which an operator may have. */
const ZONE_LANGUAGES: readonly string[] = ['mrz', 'ocrb', 'eng'];
/** Modes of segmentation: a page that may be turned, an upright one, one block. */
const ALL_TURNED = '1';
const ALL_UPRIGHT = '3';
const ONE_BLOCK = '6';
const ZONE_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<';

/** Undefined where it does not run, is too old, or has no data for Latin letters. */
export async function openTesseract(
  cage: Cage,
  program: string,
  { ocrLangDir }: Pick<DocumentConfig, 'ocrLangDir'>,
): Promise<Tesseract | undefined> {
  const data = ocrLangDir === undefined ? [] : ['--tessdata-dir', ocrLangDir];
  const run = async (options: readonly string[], of: Omit<PageAsk, 'file'>): Promise<string> => {
    const output = await runCaged(cage, {
      environment: { LC_ALL: 'C', OMP_THREAD_LIMIT: '1', PATH: '/usr/bin:/bin' },
      folder: of.folder,
      memoryBytes: READER_MEMORY_BYTES_MAX,
      options,
      outputBytes: OUTPUT_BYTES_MAX,
      program,
      signal: of.signal,
      timeMs: Math.min(of.timeMs, PAGE_MS_MAX),
    });
    return output.toString('utf8');
  };
  const probe = { folder: '/', timeMs: PROBE_MS_MAX };
  const [, version = ''] = VERSION.exec(await run(['--version'], probe)) ?? [];
  const listed = (await run([...data, '--list-langs'], probe))
    .split('\n')
    .map((line) => line.trim());
  const [, dataFolder = ''] = DATA_FOLDER.exec(listed[0] ?? '') ?? [];
  const has = (names: readonly string[]) => names.filter((name) => listed.includes(name));
  const languages = has(TEXT_LANGUAGES);
  const [zone] = has(ZONE_LANGUAGES);
  if (Number.parseInt(version, 10) < MAJOR_MIN || zone === undefined || languages.length === 0) {
    return undefined;
  }
  const read = async (page: PageAsk, more: readonly string[]): Promise<ReadPage> =>
    pageOf(await run([page.file, 'stdout', ...data, ...more, 'tsv'], page));
  return {
    facts: {
      dataSha256: await digestOf(dataFolder, [...new Set([...languages, zone])]),
      name: 'tesseract',
      version,
    },
    readText: (page) => {
      const mode = listed.includes('osd') ? ALL_TURNED : ALL_UPRIGHT;
      return read(page, ['-l', languages.join('+'), '--psm', mode]);
    },
    readZone: (page) =>
      read(page, ['-l', zone, '--psm', ONE_BLOCK, '-c', `tessedit_char_whitelist=${ZONE_LETTERS}`]),
  };
}

async function digestOf(folder: string, languages: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const language of languages)
    hash.update(await readFile(join(folder, `${language}.traineddata`)));
  return hash.digest('hex');
}

const WORD_LEVEL = '5';

/** Words with their confidence, a line of columns each. */
function pageOf(tsv: string): ReadPage {
  const lines: string[] = [];
  const confidences: number[] = [];
  let last = '';
  for (const row of tsv.split('\n').slice(1)) {
    const [level, page, block, paragraph, line, , , , , , confidence, text = ''] = row.split('\t');
    if (level !== WORD_LEVEL || text.trim() === '') continue;
    const place = [page, block, paragraph, line].join();
    if (place === last) lines[lines.length - 1] += ` ${text}`;
    else lines.push(text);
    last = place;
    confidences.push(Math.min(100, Math.max(0, Number(confidence))));
  }
  const sum = confidences.reduce((total, one) => total + one, 0);
  return {
    confidence: confidences.length === 0 ? 0 : sum / confidences.length / 100,
    text: lines.join('\n'),
  };
}
