/** Files that customers send, and files that somebody made to look like them. */
import { crc32, deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../../src/core/kernel/index.ts';
import { DOCUMENT_BYTES_MAX, inspectMedia } from '../../../src/slices/recognition/index.ts';
import { jpegOf, pngOf } from './mediaFiles.ts';

const EICAR = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';

async function faultsOf(bytes: Uint8Array): Promise<readonly string[]> {
  try {
    return [(await inspectMedia(bytes)).mediaType];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.violations.every(({ pointer }) => pointer === '/file')).toBe(true);
    return error.code === 'document-invalid'
      ? error.violations.map(({ code }) => code)
      : [error.code];
  }
}

async function pdfOf(
  write: (document: PDFKit.PDFDocument) => void,
  options: PDFKit.PDFDocumentOptions = {},
): Promise<Buffer> {
  const document = new PDFDocument(options);
  const pieces: Buffer[] = [];
  document.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => document.on('end', resolve));
  write(document);
  document.end();
  await ended;
  return Buffer.concat(pieces);
}

/** A PDF of one page whose catalogue holds something more. */
function rawPdf(catalogue: string, objects: readonly string[] = []): Buffer {
  const all = [
    `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>',
    ...objects,
  ];
  let text = '%PDF-1.7\n';
  const places = all.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${table}`;
  const start = text.lastIndexOf('xref\n');
  text += `trailer\n<< /Size ${all.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

describe('what is taken', () => {
  test('a JPEG and a PNG, with their size', async () => {
    expect(await inspectMedia(jpegOf({ height: 480, width: 640 }))).toEqual({
      height: 480,
      mediaType: 'image/jpeg',
      pages: 1,
      width: 640,
    });
    expect(await inspectMedia(pngOf({ height: 20, width: 30 }))).toMatchObject({
      height: 20,
      width: 30,
    });
  });

  test('a PDF, with its pages', async () => {
    const bytes = await pdfOf((document) => void document.text('One').addPage().text('Two'));
    expect(await inspectMedia(bytes)).toEqual({ mediaType: 'application/pdf', pages: 2 });
  });

  test('a photograph with a second one behind it, as cameras write them', async () => {
    const photo = jpegOf({ height: 480, width: 640 });
    expect(await faultsOf(Buffer.concat([photo, photo]))).toEqual(['image/jpeg']);
  });
});

describe('images that are refused', () => {
  test.each([
    ['nothing', Buffer.alloc(0), ['empty']],
    ['SVG that is named .png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), ['kind']],
    ['EICAR', Buffer.from(EICAR), ['kind']],
    ['GIF', Buffer.from('GIF89a'), ['kind']],
    ['15 MiB and one byte', Buffer.alloc(DOCUMENT_BYTES_MAX + 1, 0xff), ['body-too-large']],
    ['50,000 × 50,000 pixels', pngOf({ height: 50_000, width: 50_000 }), ['pixels']],
    ['a JPEG of 65,535 × 65,535', jpegOf({ height: 65_535, width: 65_535 }), ['pixels']],
    ['no pixels', pngOf({ height: 0, width: 10 }), ['damaged']],
    ['a JPEG that is cut off', jpegOf({ height: 48, width: 64 }).subarray(0, -2), ['truncated']],
    ['a PNG that is cut off', pngOf({ height: 20, width: 30 }).subarray(0, -6), ['truncated']],
    ['a JPEG of fill bytes alone', Buffer.alloc(100_000, 0xff).fill(0xd8, 1, 2), ['truncated']],
    [
      'a JPEG and an archive',
      Buffer.concat([jpegOf({ height: 4, width: 4 }), Buffer.from('PK\u0003\u0004')]),
      ['polyglot'],
    ],
    [
      'a PNG and a page',
      Buffer.concat([pngOf({ height: 2, width: 2 }), Buffer.from('<html><script>')]),
      ['polyglot'],
    ],
    [
      'a JPEG that is a PDF, too',
      jpegOf({ comment: '%PDF-1.7', height: 4, width: 4 }),
      ['polyglot'],
    ],
  ])('%s', async (_, bytes, faults) => {
    expect(await faultsOf(bytes)).toEqual(faults);
  });

  test('an archive that is read from the end of a comment', async () => {
    const end = Buffer.alloc(22);
    end.write('PK\u0005\u0006', 'latin1');
    const jpeg = jpegOf({ comment: end.toString('latin1'), height: 4, width: 4 });
    const place = jpeg.indexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
    jpeg.writeUInt16LE(jpeg.length - place - 22, place + 20);
    expect(await faultsOf(jpeg)).toEqual(['polyglot']);
  });

  test('a PNG with a byte that is not what was written', async () => {
    const bytes = Buffer.from(pngOf({ height: 20, width: 30 }));
    const place = bytes.length - 20;
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    expect(await faultsOf(bytes)).toEqual(['damaged']);
  });
});

describe('PDFs that are refused', () => {
  const SCRIPT = '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>';
  test.each([
    ['a script', rawPdf(SCRIPT), ['active-content']],
    [
      'a script in another spelling',
      rawPdf(SCRIPT.replace('JavaScript', 'J#61vaScr#69pt')),
      ['active-content'],
    ],
    ['a launch action', rawPdf('/OpenAction << /S /Launch /F (cmd.exe) >>'), ['active-content']],
    ['an XFA form', rawPdf('/AcroForm << /XFA 4 0 R >>', ['<< >>']), ['active-content']],
    [
      'an object that no other names',
      rawPdf('', ['<< /S /JavaScript /JS (x) >>']),
      ['active-content'],
    ],
    ['an attached file', rawPdf('/Names << /EmbeddedFiles << /Names [] >> >>'), ['attachments']],
    ['one that is cut off', rawPdf('').subarray(0, -8), ['truncated']],
    ['one without pages', Buffer.from('%PDF-1.7\nhello\n%%EOF\n'), ['damaged']],
    [
      'an archive at its end',
      Buffer.concat([rawPdf(''), Buffer.from('PK\u0005\u0006'.padEnd(22, '\0'), 'latin1')]),
      ['polyglot'],
    ],
  ])('%s', async (_, bytes, faults) => {
    expect(await faultsOf(bytes)).toEqual(faults);
  });

  test('a password, and more pages than are kept', async () => {
    const locked = await pdfOf((document) => void document.text('x'), {
      pdfVersion: '1.7',
      userPassword: 'p',
    });
    expect(await faultsOf(locked)).toEqual(['encrypted']);
    const restricted = await pdfOf((document) => void document.text('x'), { ownerPassword: 'p' });
    expect(await faultsOf(restricted)).toEqual(['encrypted']);
    const long = await pdfOf((document) => {
      for (let page = 0; page < 100; page++) document.addPage();
    });
    expect(await faultsOf(long)).toEqual(['pages']);
  });

  test('a script in compressed objects; ones that unpack to more than is looked at', async () => {
    const objects = (packed: Buffer) => {
      const data = packed.toString('latin1');
      const dictionary = `/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${data.length}`;
      return rawPdf('', [`<< ${dictionary} >>\nstream\n${data}\nendstream`]);
    };
    const script = deflateSync('9 0 << /S /JavaScript /JS (x) >>');
    expect(await faultsOf(objects(script))).toEqual(['active-content']);
    const bomb = deflateSync(Buffer.alloc(80 * 1024 * 1024), { level: 1 });
    const memory = process.memoryUsage.rss();
    expect(await faultsOf(objects(bomb))).toEqual(['damaged']);
    expect(process.memoryUsage.rss() - memory).toBeLessThan(64 * 1024 * 1024);
  });
});

test('the checksum of the test files is the one of PNG', () => {
  expect(crc32(Buffer.from('IEND'))).toBe(0xae426082);
});
