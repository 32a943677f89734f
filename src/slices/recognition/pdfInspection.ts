/**
 * What a PDF holds beside its pages. Two looks are taken, and either refuses: at the names of all
 * objects, those in compressed streams too, wherever they stand in the file; and by pdf.js, which
 * resolves them. A reader of the file may find its objects by another way than we do, so that
 * nothing is skipped because it seems to be a comment, a string or the data of a stream.
 */
import { constants, inflateSync } from 'node:zlib';
import { getDocumentProxy } from 'unpdf';
import type { DocumentFault } from './documentFaults.ts';
import { UNPACKED_BYTES_MAX } from './limits.ts';

/** What was found. */
export interface PdfInspection {
  readonly pages: number;
  readonly faults: readonly DocumentFault[];
}

const NAMES: Readonly<Record<string, DocumentFault>> = {
  EmbeddedFile: 'attachments',
  EmbeddedFiles: 'attachments',
  Encrypt: 'encrypted',
  FileAttachment: 'attachments',
  ImportData: 'active-content',
  JavaScript: 'active-content',
  Launch: 'active-content',
  Rendition: 'active-content',
  RichMedia: 'active-content',
  XFA: 'active-content',
};
/** A name ends at white space or a delimiter (ISO 32000-1, 7.2.2). */
const NAME = /\/([^\0\t\n\f\r ()<>[\]{}/%]{1,127})/g;
const STREAM = /stream\r?\n/g;

/** For `serveBounded`: one value. */
export async function* inspectPdfBytes(bytes: Buffer): AsyncGenerator<PdfInspection> {
  const text = bytes.toString('latin1');
  const faults = new Set<DocumentFault>(faultsIn(text));
  for (const packed of objectStreams(bytes, text)) {
    for (const fault of faultsIn(packed.toString('latin1'))) faults.add(fault);
  }
  const pages = await resolve(bytes, faults);
  yield { faults: [...faults].sort(), pages };
}

function* faultsIn(text: string): Generator<DocumentFault> {
  for (const [, name = ''] of text.matchAll(NAME)) {
    const plain = plainName(name);
    if (Object.hasOwn(NAMES, plain)) yield NAMES[plain] as DocumentFault;
  }
}

/** Any character of a name may be written as two hexadecimal digits. */
const plainName = (name: string): string =>
  name.includes('#')
    ? name.replace(/#([0-9a-fA-F]{2})/g, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : name;

/**
 * Streams of compressed objects, unpacked. Each has the key First, by which its objects are found.
 * Throws where one cannot be unpacked, and over UNPACKED_BYTES_MAX.
 */
function* objectStreams(bytes: Buffer, text: string): Generator<Buffer> {
  let room = UNPACKED_BYTES_MAX;
  let before = 0;
  for (const { 0: keyword, index } of text.matchAll(STREAM)) {
    // What stands before it may be more than its dictionary: where that begins is not ours to say.
    const wide = namesIn(text.slice(before, index));
    const start = index + keyword.length;
    before = start;
    if (!wide.has('First')) continue;
    const end = text.indexOf('endstream', start);
    const data = bytes.subarray(start, end === -1 ? bytes.length : end);
    const unpacked = unpack(data, wide, room);
    const own = namesIn(text.slice(text.lastIndexOf('obj', index), index));
    if (unpacked === undefined && (own.has('First') || wide.has('ObjStm'))) {
      throw new Error('compressed objects that cannot be unpacked');
    }
    room -= unpacked?.length ?? 0;
    if (room <= 0) throw new Error('compressed objects unpack to more than is looked at');
    if (unpacked !== undefined) yield unpacked;
  }
}

const namesIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(NAME)].map(([, name = '']) => plainName(name)));

function unpack(data: Buffer, names: ReadonlySet<string>, room: number): Buffer | undefined {
  if (!names.has('Filter')) return data;
  try {
    return inflateSync(data, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: room });
  } catch (error) {
    if (error instanceof RangeError) throw error; // it unpacks to more than there is room for
    return undefined;
  }
}

/** Nothing is rendered, and no script of the file is run. */
async function resolve(bytes: Buffer, faults: Set<DocumentFault>): Promise<number> {
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      verbosity: 0,
    });
    if ((await document.getJSActions()) !== null) faults.add('active-content');
    if ((await document.getAttachments()) !== null) faults.add('attachments');
    return document.numPages;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') faults.add('encrypted');
    if (faults.size > 0) return 0;
    throw error;
  }
}
