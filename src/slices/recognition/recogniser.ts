/**
 * Reads documents: the text of a PDF first, then what a reader of characters makes of its pages.
 * What a file holds never makes it fail; without a reader the document is `unavailable`, and a
 * person types what it says.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Cage,
  findCage,
  findProgram,
  ProgramFailed,
  runCaged,
} from '#platform/boundedProgram';
import { BoundExceeded } from '#platform/boundedWork';
import type { Clock } from '#platform/clock';
import type { Config } from '#platform/config';
import type { ReadField } from './documentFields.ts';
import { findMrz } from './findMrz.ts';
import type { MediaType } from './inspectMedia.ts';
import { DOCUMENT_MS_MAX, PAGE_MS_MAX, PAGES_READ_MAX, READER_MEMORY_BYTES_MAX } from './limits.ts';
import { mrzFields } from './mrzFields.ts';
import type { MrzReading } from './readMrz.ts';
import { readPdfText } from './readPdfText.ts';
import { type EngineFacts, openTesseract, type ReadPage, type Tesseract } from './tesseract.ts';

/** A document that was inspected before. */
export interface RecogniseAsk {
  readonly bytes: Uint8Array;
  readonly mediaType: MediaType;
  /** As it was inspected. */
  readonly pages: number;
  readonly signal?: AbortSignal;
}

/** What a document says. */
export interface Recognition {
  /** failed: a bound was met, or a program ended in the middle. */
  readonly status: 'read' | 'unreadable' | 'unavailable' | 'failed';
  readonly engine?: EngineFacts;
  readonly tookMs: number;
  readonly pages: readonly { readonly n: number; readonly confidence: number }[];
  readonly text: string;
  readonly mrz?: MrzReading;
  readonly fields: readonly ReadField[];
  readonly warnings: readonly string[];
}

/** One for a process. */
export interface Recogniser {
  recognise(ask: RecogniseAsk): Promise<Recognition>;
  /** What there is to read with, for `doctor`; probed once. */
  engines(): Promise<readonly EngineFacts[]>;
}

/** As package.json pins it. */
const UNPDF: EngineFacts = { name: 'unpdf', version: '1.8.1' };
/** Letters and digits of a PDF that has a text of its own. */
const TEXT_LETTERS_MIN = 20;
/** The longer side of a page that is drawn, whatever its size says: 200 dots an inch on A4. */
const SIDE_PIXELS = 2_400;
const PROGRAM_OUTPUT_BYTES_MAX = 1_024;

interface Readers {
  readonly cage?: Cage;
  readonly tesseract?: Tesseract;
  readonly pdftoppm?: string;
}

/** Programs are found when the first document comes. */
export function openRecogniser({
  clock,
  config: { documents },
}: {
  readonly clock: Clock;
  readonly config: Pick<Config, 'documents'>;
}): Recogniser {
  let found: Promise<Readers> | undefined;
  const readers = (): Promise<Readers> => {
    found ??= findReaders(documents);
    return found;
  };
  return {
    async engines() {
      const { tesseract } = await readers();
      return [UNPDF, ...(tesseract === undefined ? [] : [tesseract.facts])];
    },
    async recognise(ask) {
      const begunMs = clock.monotonicMs();
      const work = new Reading(await readers(), {
        left: () => DOCUMENT_MS_MAX - (clock.monotonicMs() - begunMs),
        today: new Date(clock.now()).toISOString().slice(0, 10),
      });
      const read = await work.read(ask);
      return { ...read, tookMs: Math.round(clock.monotonicMs() - begunMs) };
    },
  };
}

async function findReaders(documents: Config['documents']): Promise<Readers> {
  const cage = findCage(documents.programPath);
  const program = findProgram('tesseract', documents.programPath);
  const pdftoppm = findProgram('pdftoppm', documents.programPath);
  if (cage === undefined || program === undefined) return {};
  const tesseract = await openTesseract(cage, program, documents).catch((error: unknown) => {
    if (error instanceof ProgramFailed || error instanceof BoundExceeded) return undefined;
    throw error;
  });
  return {
    cage,
    ...(pdftoppm !== undefined && { pdftoppm }),
    ...(tesseract !== undefined && { tesseract }),
  };
}

type Read = Omit<Recognition, 'tookMs'>;
const NOTHING = { fields: [], pages: [], text: '', warnings: [] } as const;

/** One document in hand. */
class Reading {
  readonly #readers: Readers;
  readonly #of: { readonly left: () => number; readonly today: string };

  constructor(readers: Readers, of: { readonly left: () => number; readonly today: string }) {
    this.#readers = readers;
    this.#of = of;
  }

  async read({ bytes, mediaType, pages, signal }: RecogniseAsk): Promise<Read> {
    if (mediaType === 'application/pdf') {
      const texts = await readPdfText(bytes);
      const text = texts?.map((page) => page.text).join('\n') ?? '';
      if (lettersIn(text) >= TEXT_LETTERS_MIN) return this.#readText(text, texts?.length ?? 0);
    }
    const { tesseract } = this.#readers;
    if (tesseract === undefined)
      return { ...NOTHING, status: 'unavailable', warnings: ['no-reader'] };
    const folder = await mkdtemp(join(tmpdir(), 'compliance-document-'));
    try {
      return await this.#readPictures(tesseract, { bytes, folder, mediaType, pages, signal });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof BoundExceeded || error instanceof ProgramFailed)) throw error;
      const warning = error instanceof BoundExceeded ? `bound-${error.bound}` : 'reader-failed';
      return { ...NOTHING, engine: tesseract.facts, status: 'failed', warnings: [warning] };
    } finally {
      await rm(folder, { force: true, recursive: true });
    }
  }

  #readText(text: string, count: number): Read {
    const mrz = findMrz(text, this.#of);
    const pages = Array.from({ length: count }, (_, place) => ({ confidence: 1, n: place + 1 }));
    return {
      engine: UNPDF,
      fields: mrz === undefined ? [] : mrzFields(mrz, { confidence: 1 }),
      pages,
      status: 'read',
      text,
      warnings: [],
      ...(mrz !== undefined && { mrz }),
    };
  }

  async #readPictures(tesseract: Tesseract, of: PicturesAsk): Promise<Read> {
    const read: ReadPage[] = [];
    let mrz: MrzReading | undefined;
    let zoneConfidence = 0;
    for await (const file of this.#pictures(of)) {
      const page = { file, folder: of.folder, signal: of.signal };
      const text = await tesseract.readText({ ...page, timeMs: this.#timeMs() });
      read.push(text);
      let zone = findMrz(text.text, this.#of);
      let confidence = text.confidence;
      if (zone?.isValid !== true || zone.repaired.length > 0) {
        const again = await tesseract.readZone({ ...page, timeMs: this.#timeMs() });
        const better = findMrz(again.text, this.#of);
        if (better !== undefined && (zone === undefined || isBetter(better, zone))) {
          zone = better;
          confidence = again.confidence;
        }
      }
      if (zone === undefined || (mrz !== undefined && !isBetter(zone, mrz))) continue;
      mrz = zone;
      zoneConfidence = confidence;
    }
    if (read.length === 0)
      return { ...NOTHING, status: 'unavailable', warnings: ['no-rasteriser'] };
    const text = read.map((page) => page.text).join('\n');
    return {
      engine: tesseract.facts,
      fields: mrz === undefined ? [] : mrzFields(mrz, { confidence: zoneConfidence }),
      pages: read.map(({ confidence }, place) => ({ confidence, n: place + 1 })),
      status: lettersIn(text) > 0 ? 'read' : 'unreadable',
      text,
      warnings: [],
      ...(mrz !== undefined && { mrz }),
    };
  }

  /** Throws BoundExceeded where the document's time is over. */
  #timeMs(): number {
    const left = this.#of.left();
    if (left <= 0) throw new BoundExceeded('time');
    return Math.min(left, PAGE_MS_MAX);
  }

  /** Files of pictures: the one that was sent, or pages drawn one by one. */
  async *#pictures({
    bytes,
    folder,
    mediaType,
    pages,
    signal,
  }: PicturesAsk): AsyncGenerator<string> {
    const file = join(folder, 'document');
    await writeFile(file, bytes, { mode: 0o600 });
    if (mediaType !== 'application/pdf') {
      yield file;
      return;
    }
    const { cage, pdftoppm } = this.#readers;
    if (cage === undefined || pdftoppm === undefined) return;
    for (let page = 1; page <= Math.min(pages, PAGES_READ_MAX); page++) {
      const picture = join(folder, `page-${page}`);
      const ofPage = ['-singlefile', '-f', String(page), '-l', String(page)];
      await runCaged(cage, {
        folder,
        memoryBytes: READER_MEMORY_BYTES_MAX,
        options: ['-q', '-png', '-scale-to', String(SIDE_PIXELS), ...ofPage, file, picture],
        outputBytes: PROGRAM_OUTPUT_BYTES_MAX,
        program: pdftoppm,
        signal,
        timeMs: this.#timeMs(),
      });
      yield `${picture}.png`;
    }
  }
}

interface PicturesAsk {
  readonly bytes: Uint8Array;
  readonly folder: string;
  readonly mediaType: MediaType;
  readonly pages: number;
  readonly signal: AbortSignal | undefined;
}

const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

function isBetter(one: MrzReading, other: MrzReading): boolean {
  if (one.isValid !== other.isValid) return one.isValid;
  return one.repaired.length < other.repaired.length;
}
