/** A form with one file: taken whole or not at all, whatever the order and the cut of its parts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { readUploadForm } from '../../../src/api/http/index.ts';

const TYPE = 'multipart/form-data; boundary=XyZ';

async function* inChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

const part = (name: string, value: string, fileName?: string) =>
  `--XyZ\r\nContent-Disposition: form-data; name="${name}"` +
  `${fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: text/csv`}` +
  `\r\n\r\n${value}\r\n`;
const END = '--XyZ--\r\n';
const FILE = part('file', 'a,b\r\n1,2\r\n', 'customers.csv');

async function read(form: string | Uint8Array, { chunkBytes = 1 << 16, contentType = TYPE } = {}) {
  let kept: string | undefined;
  const result = await readUploadForm(
    { bytes: inChunks(Buffer.from(form), chunkBytes), contentType },
    {
      check: (fields) =>
        fields.get('name') === 'bad' ? [{ code: 'format', detail: 'no', pointer: '/name' }] : [],
      fileField: 'file',
      fields: ['name', 'lists'],
      take: async (bytes) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of bytes) chunks.push(chunk);
        kept = Buffer.concat(chunks).toString();
        return kept;
      },
    },
  ).catch((error: unknown) => {
    if (error instanceof DomainError) return error;
    throw error;
  });
  // What was refused was never whole for whoever takes the file.
  if (result instanceof DomainError) expect(kept).toBeUndefined();
  return result;
}

const refusal = async (form: string | Uint8Array, options = {}) => {
  const result = await read(form, options);
  return result instanceof DomainError ? `${result.code}: ${result.message}` : 'taken';
};

describe('a form is read', () => {
  test.each([
    ['file last', part('name', 'nuit', undefined) + part('lists', 'UN,EU') + FILE + END],
    ['file first', FILE + part('name', 'nuit') + part('lists', 'UN,EU') + END],
    [
      'without a last line break',
      FILE + part('lists', 'UN,EU') + part('name', 'nuit') + END.trim(),
    ],
    ['after a line break', `\r\n${part('name', 'nuit')}${FILE}${part('lists', 'UN,EU')}${END}`],
  ])('%s', async (_, form) => {
    for (const chunkBytes of [1, 3, 50, 1 << 16]) {
      const result = await read(form, { chunkBytes });
      expect(result).toMatchObject({ file: 'a,b\r\n1,2\r\n', fileName: 'customers.csv' });
      expect('fields' in result && [...result.fields].sort()).toEqual([
        ['lists', 'UN,EU'],
        ['name', 'nuit'],
      ]);
    }
  });

  test('whatever the file holds, and as FormData writes it', async () => {
    const alphabet = fc.constantFrom('\r', '\n', '-', '--', 'XyZ', '\r\n--Xy', 'a', '\r\n');
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: alphabet }).filter((text) => !`\r\n${text}`.includes('\r\n--XyZ')),
        fc.integer({ max: 40, min: 1 }),
        async (content, chunkBytes) => {
          const result = await read(part('file', content, 'f') + END, { chunkBytes });
          expect(result).toMatchObject({ file: content });
        },
      ),
    );
    const data = new FormData();
    data.set('name', 'é "nuit"');
    data.set('file', new File(['x,y'], 'a"b\\c.csv'));
    const sent = new Response(data);
    const contentType = sent.headers.get('content-type') ?? '';
    const result = await read(new Uint8Array(await sent.arrayBuffer()), { contentType });
    expect(result).toMatchObject({ file: 'x,y' });
    expect('fields' in result && result.fields.get('name')).toBe('é "nuit"');
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\bank\\\\kunden.csv', 'kunden.csv'],
    ['a\u202ecsv.exe', 'acsv.exe'],
    ['', undefined],
    ['..\\\\', undefined],
  ])('the name of a file is shown without its path: %j', async (sent, shown) => {
    const result = await read(part('file', 'x', sent) + END);
    expect('fileName' in result && result.fileName).toBe(shown);
  });
});

describe('a form is refused', () => {
  const head = '--XyZ\r\nContent-Disposition: form-data; name="file"';
  test.each([
    ['of another type', FILE + END, 'media-type-unsupported', { contentType: 'text/csv' }],
    ['of no type', FILE + END, 'media-type-unsupported', { contentType: '' }],
    ['without a boundary', FILE + END, 'expected one', { contentType: 'multipart/form-data' }],
    ['with two', FILE + END, 'expected one', { contentType: `${TYPE}; boundary=b` }],
    [
      'with one too long',
      FILE + END,
      'expected one',
      { contentType: `multipart/form-data; boundary=${'b'.repeat(71)}` },
    ],
    ['that is empty', '', 'multipart-malformed: ends without'],
    ['with text before it', `x\r\n${FILE}${END}`, 'expected the boundary first'],
    ['with text after it', `${FILE}${END}x`, 'something follows'],
    ['with a form after it', FILE + END + FILE + END, 'something follows'],
    ['without a file', part('name', 'n') + END, 'body-invalid: expected a file'],
    ['with two files', FILE + FILE + END, 'body-invalid: file: expected once'],
    [
      'with a field twice',
      part('name', 'n') + part('name', 'm') + FILE + END,
      'name: expected once',
    ],
    ['with __proto__', FILE + part('__proto__', 'x') + END, 'expected only name, lists, file'],
    ['for its fields', FILE + part('name', 'bad') + END, 'body-invalid: no'],
    [
      'with a field too long',
      FILE + part('name', 'x'.repeat(65_537)) + END,
      'body-too-large: /name',
    ],
    ['with a name too long', FILE + part('n'.repeat(1 << 20), 'x') + END, 'expected at most 8192'],
    ['of 10,000 parts', part('name', 'x').repeat(10_000) + END, 'name: expected once'],
    [
      'without a name',
      '--XyZ\r\nContent-Disposition: form-data\r\n\r\nx\r\n--XyZ--',
      'with a name',
    ],
    ['without a disposition', '--XyZ\r\n\r\nx\r\n--XyZ--', 'with a name'],
    ['with two names', `${head}; name="x"\r\n\r\nx\r\n--XyZ--`, 'two of name'],
    ['in base64', `${head}\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--XyZ--`, 'Transfer'],
    ['with a head that is none', `${head}\r\nnonsense\r\n\r\nx\r\n--XyZ--`, 'a head is no head'],
  ])('%s', async (_, form, expected, options = { contentType: TYPE }) => {
    expect(await refusal(form, options)).toContain(expected);
    expect(await refusal(form, { ...options, chunkBytes: 997 })).toContain(expected);
  });

  test('cut off anywhere', async () => {
    const whole = FILE + part('name', 'n') + END.trim();
    for (let at = 0; at < whole.length; at++) {
      expect(await refusal(whole.slice(0, at), { chunkBytes: 11 })).toMatch(/^multipart-malformed/);
    }
  });

  test('of nine parts', async () => {
    const reader = readUploadForm(
      {
        bytes: inChunks(
          Buffer.from(`${FILE}${'abcdefgh'.replaceAll(/./g, (n) => part(n, 'x'))}${END}`),
          99,
        ),
        contentType: TYPE,
      },
      {
        check: () => [],
        fileField: 'file',
        fields: [...'abcdefgh'],
        take: async (bytes) => {
          for await (const chunk of bytes) expect(chunk.length).toBeGreaterThan(0);
        },
      },
    );
    await expect(reader).rejects.toThrow('expected at most 8 parts');
  });

  test('when its client leaves, with what the connection said', async () => {
    async function* left() {
      yield Buffer.from(FILE.slice(0, 120));
      throw new DomainError('body-aborted');
    }
    let isWhole = false;
    const reading = readUploadForm(
      { bytes: left(), contentType: TYPE },
      {
        check: () => [],
        fileField: 'file',
        fields: [],
        take: async (bytes) => {
          for await (const chunk of bytes) expect(chunk.length).toBeGreaterThan(0);
          isWhole = true;
        },
      },
    );
    await expect(reading).rejects.toMatchObject({ code: 'body-aborted' });
    expect(isWhole).toBe(false);
  });
});
