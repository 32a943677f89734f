/** Kinds of files that go with a report, known by their first bytes and not by their names. */

/** A kind of file. */
export interface FileKind {
  readonly mediaType: string;
  readonly extension: string;
}

interface KindRule extends FileKind {
  /** Names may end in these. */
  readonly endings: readonly string[];
  is(bytes: Buffer): boolean;
}

const starts =
  (...signatures: readonly (readonly number[])[]) =>
  (bytes: Buffer): boolean =>
    signatures.some((signature) => signature.every((byte, place) => bytes[place] === byte));

const ZIP = starts([0x50, 0x4b, 0x03, 0x04]);
const OFFICE = 'application/vnd.openxmlformats-officedocument.';

/** A package of Office names its parts; macros have a part of their own. */
const isOffice =
  (part: string) =>
  (bytes: Buffer): boolean =>
    ZIP(bytes) && bytes.includes(part) && !bytes.includes('vbaProject.bin');

const NUL = 0;

function isText(bytes: Buffer): boolean {
  if (bytes.includes(NUL)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false; // not UTF-8, and so no text that is taken
  }
}

const KINDS: readonly KindRule[] = [
  {
    endings: ['pdf'],
    extension: 'pdf',
    is: starts([0x25, 0x50, 0x44, 0x46, 0x2d]),
    mediaType: 'application/pdf',
  },
  {
    endings: ['png'],
    extension: 'png',
    is: starts([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    mediaType: 'image/png',
  },
  {
    endings: ['jpg', 'jpeg'],
    extension: 'jpg',
    is: starts([0xff, 0xd8, 0xff]),
    mediaType: 'image/jpeg',
  },
  {
    endings: ['tif', 'tiff'],
    extension: 'tif',
    is: starts([0x49, 0x49, 0x2a, 0x00], [0x4d, 0x4d, 0x00, 0x2a]),
    mediaType: 'image/tiff',
  },
  {
    endings: ['docx'],
    extension: 'docx',
    is: isOffice('word/'),
    mediaType: `${OFFICE}wordprocessingml.document`,
  },
  {
    endings: ['xlsx'],
    extension: 'xlsx',
    is: isOffice('xl/'),
    mediaType: `${OFFICE}spreadsheetml.sheet`,
  },
  { endings: ['csv'], extension: 'csv', is: isText, mediaType: 'text/csv' },
  { endings: ['txt'], extension: 'txt', is: isText, mediaType: 'text/plain' },
];

/** Undefined where the bytes are of no kind that is taken, or not of the one that the name says. */
export function fileKind(fileName: string, bytes: Buffer): FileKind | undefined {
  const ending = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  return KINDS.find(({ endings, is }) => endings.includes(ending) && is(bytes));
}
