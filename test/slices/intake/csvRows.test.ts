/** Reading CSV: the RFC, what is sent beyond it, and what is refused or rejected, and where. */
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { countCsvRows, readCsvRows, SUBJECT_ATTRIBUTES } from '#slices/intake';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { CsvSplitter, fieldsOf } from '../../../src/platform/csv/csvSplitter.ts';
import { inChunks } from '../batches/chunks.ts';

const HEADER = 'external_id,full_name,dob';

async function read(text: string | Uint8Array, chunkBytes = 1 << 20) {
  const subjects = [];
  const rejections = [];
  for await (const rows of readCsvRows(inChunks(text, chunkBytes), { countries })) {
    subjects.push(...rows.subjects);
    rejections.push(...rows.rejections);
  }
  return { rejections, subjects };
}

const rejected = async (text: string) =>
  (await read(text)).rejections.map(({ line, reason }) => [line, reason]);

const refusal = (text: string | Uint8Array, options?: { rowsMax: number }) =>
  countCsvRows(inChunks(text), options).then(
    () => 'taken',
    (error: Error) => error.message,
  );

/** Every record as the splitter finds it, header or not, and why it went no further. */
function records(text: string, chunkBytes: number): string[][] {
  const found: string[][] = [];
  const splitter = new CsvSplitter({
    broken: (line, fault) => found.push([`${line}`, fault]),
    record: (piece, at) => found.push(fieldsOf(piece, at)),
    refuse: (detail) => new DomainError('csv-invalid', { detail }),
  });
  try {
    split(splitter, text, chunkBytes);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    found.push([error.message]);
  }
  return found;
}

function split(splitter: CsvSplitter, text: string, chunkBytes: number): void {
  const bytes = Buffer.from(text);
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x0a || at - from < chunkBytes) continue;
    splitter.push(bytes.subarray(from, at + 1));
    from = at + 1;
  }
  if (from < bytes.length) splitter.push(bytes.subarray(from));
  splitter.finish();
}

describe('records', () => {
  test('are those that csv-parse finds, however the text is cut', () => {
    const field = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'é', 'م', '"', ',', '\n', '\r', ' ', '𝒳') }),
      fc.string({ maxLength: 12 }),
    );
    const row = fc.array(field, { minLength: 1, maxLength: 5 });
    const written = (value: string, force: boolean) =>
      force || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 30 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.nat(64),
        (rows, newline, force, chunkBytes) => {
          const lines = rows.map((one) => one.map((value) => written(value, force)).join(','));
          const text = lines.join(newline);
          const expected = parse(text, {
            record_delimiter: ['\n', '\r\n'],
            relax_column_count: true,
            skip_empty_lines: true,
          });
          expect(records(text, chunkBytes)).toEqual(expected);
        },
      ),
    );
  });

  test('any text ends, and every line is in a record, broken, or blank', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n'), maxLength: 200 }),
        fc.nat(32),
        (text, chunkBytes) => {
          expect(records(text, chunkBytes)).toEqual(records(text, 1_000));
        },
      ),
    );
  });

  test('quotes inside a field that does not begin with one stand for themselves', async () => {
    const { subjects } = await read(`${HEADER}\n1,Société "Le Phare" SARL,\n`);
    expect(subjects[0]?.subject.full_name).toBe('Société "Le Phare" SARL');
  });

  test('a quoted field keeps its line break, and lines are counted on', async () => {
    const { rejections, subjects } = await read(`${HEADER}\n1,"Ben\nAli",\n2,,\n`);
    expect(subjects).toEqual([{ line: 2, subject: { external_id: '1', full_name: 'Ben\nAli' } }]);
    expect(rejections).toMatchObject([{ line: 4, reason: 'attribute-missing' }]);
  });

  test('one stray quote costs one subject, and those after it are read', async () => {
    const { rejections, subjects } = await read(`${HEADER}\n1,"Ali,\n2,Amal,\n3,"B"x,\n4,Nour,\n`);
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'quotes-unbalanced'],
      [4, 'quotes-unbalanced'],
    ]);
    expect(subjects.map(({ line }) => line)).toEqual([3, 5]);
  });

  test('a quote that is never closed is told by its line, in a long file too', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at},Name ${at},`);
    rows[9_999] = '9999,"Name,';
    const { rejections, subjects } = await read(`${HEADER}\n${rows.join('\n')}`, 10_000);
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [10_001, 'quotes-unbalanced'],
    ]);
    expect(subjects).toHaveLength(19_999);
  });

  test('two stray quotes hide nobody between them', async () => {
    const rows = ['1,"Ali,', '2,Amal,', '3,Nour",', '4,"Ben\nAli",', '5,"Sami,', '6,,"7",Hedi,'];
    const { rejections, subjects } = await read(`${HEADER}\n${rows.join('\n')}\n8,Rim,\n`);
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'quotes-unbalanced'],
      [7, 'quotes-unbalanced'],
      [8, 'field-count'],
    ]);
    expect(subjects.map(({ line, subject }) => [line, subject.external_id])).toEqual([
      [3, '2'],
      [4, '3'],
      [5, '4'],
      [9, '8'],
    ]);
  });

  test('with stray quotes anywhere each row is a subject, rejected, or refused', async () => {
    const row = fc.record({ at: fc.nat(), quotes: fc.nat(2) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 12, minLength: 1 }),
        fc.integer({ max: 5, min: 2 }),
        fc.constantFrom('\n', '\r\n'),
        async (strays, width, newline) => {
          const columns = SUBJECT_ATTRIBUTES.filter(
            (name) => !/dob|country|nation|type/.test(name),
          );
          const lines = strays.map(({ at, quotes }, index) => {
            const fields = Array.from({ length: width }, (_, column) => `${index}${column}`);
            let line = fields.join(',');
            // Where fields begin and end: elsewhere a quote stands for itself.
            for (let one = 0; one < quotes; one++) {
              const edges = [...line.matchAll(/^|,|$/g)].flatMap(({ index: edge = 0 }) =>
                line[edge] === ',' ? [edge, edge + 1] : [edge],
              );
              const edge = edges[(at >> (4 * one)) % edges.length] ?? 0;
              line = `${line.slice(0, edge)}"${line.slice(edge)}`;
            }
            return line;
          });
          const text = [columns.slice(0, width).join(','), ...lines, ''].join(newline);
          const { rejections, subjects } = await read(text).catch((error: unknown) => {
            expect(error).toMatchObject({ code: 'csv-invalid' });
            return { rejections: lines.map((_, at) => ({ line: at + 2 })), subjects: [] };
          });
          const told = [...rejections, ...subjects].map(({ line }) => line);
          expect(told.sort((one, other) => one - other)).toEqual(lines.map((_, at) => at + 2));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('lines that open quotes inside quotes cost no more than their length', () => {
    const hostile = 'a""","x\n'.repeat(50_000);
    const before = process.cpuUsage();
    expect(records(hostile, 1 << 16).length).toBeGreaterThan(10);
    const { user } = process.cpuUsage(before);
    expect(user / 1e6).toBeLessThan(20); // without the bound on fields it takes minutes
  });
});

test('rows are counted as they are read, whatever the text and however it comes', async () => {
  const unit = fc.constantFrom(
    'a',
    'é',
    '"',
    ',',
    '\n',
    '\n',
    '\r\n',
    '\r',
    'b\n',
    'x'.repeat(70_000),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit, maxLength: 30 }), { maxLength: 6 }),
      async (texts) => {
        const filler = '1,Ali,\n'.repeat(10_000);
        // A quote that is left open may go on to the end, which is refused: something closes it.
        const text = `${HEADER}\n${texts.join(filler)}${filler}1,"B"b,\n`;
        const { rejections, subjects } = await read(text, 50_000);
        const { rows } = await countCsvRows(inChunks(text, 70_000));
        expect(rows).toBe(rejections.length + subjects.length);
      },
    ),
    { numRuns: 25 },
  );
});

describe('what banks send', () => {
  const plain = `${HEADER}\n1,محمد بن علي,1961-05-14\n2,Amal,\n`;

  test.each([
    ['with a byte-order mark', `\ufeff${plain}`],
    ['with CRLF', plain.replaceAll('\n', '\r\n')],
    ['with blank lines', plain.replaceAll('\n', '\n\n')],
    ['without the last line break', plain.trimEnd()],
    ['with quoted names of columns', plain.replace(HEADER, '"external_id","full_name","dob"')],
    ['with capitals in the header', plain.replace(HEADER, 'External_ID, Full_Name,DOB')],
  ])('%s', async (_, text) => {
    for (const chunkBytes of [1, 7, 1 << 20]) {
      const { rejections, subjects } = await read(text, chunkBytes);
      expect(rejections).toEqual([]);
      expect(subjects.map(({ subject }) => subject)).toEqual([
        { dob: '1961-05-14', external_id: '1', full_name: 'محمد بن علي' },
        { external_id: '2', full_name: 'Amal' },
      ]);
      expect(await countCsvRows(inChunks(text, chunkBytes))).toEqual({
        columns: ['external_id', 'full_name', 'dob'],
        rows: 2,
      });
    }
  });
});

describe('a file is refused, with what was expected and what was found', () => {
  test.each([
    ['semicolons', 'external_id;full_name;dob\n1;Ali;\n', 'found semicolons'],
    ['tabs', 'external_id\tfull_name\n', 'found tabs'],
    ['no header', '17,Mohamed Ben Ali,\n', 'a first line of 3 fields'],
    ['an unknown column', 'external_id,full_name,nationalty\n', "unknown: 'nationalty' (column 3)"],
    ['__proto__', 'external_id,full_name,__proto__\n', "unknown: '__proto__' (column 3)"],
    ['a repeated column', 'external_id,full_name,dob,dob\n', 'found dob twice'],
    ['a missing column', 'external_id,dob\n', 'missing: full_name'],
    [
      'one misspelt and more',
      'external_id,name,dob,\n',
      "missing: full_name; unknown: 'name' (column 2), a name that is empty (column 4)",
    ],
    ['many unknown', `external_id${',x'.repeat(31)}\n`, "'x' (column 11) and 21 more"],
    ['nothing', '', 'found an empty file'],
    ['CR alone', 'external_id,full_name\r1,Ali\r', 'found CR alone'],
    ['a broken header', '"external_id"x,full_name\n1,Ali\n', 'a quote is not closed'],
    ['a header cut off', '"external_id,full_name\n1,Ali\n', 'found the end of the file'],
    ['a header of a formula', 'external_id,full_name,=cmd()\n', 'a name with other characters'],
  ])('%s', async (_, text, found) => {
    const message = await refusal(text);
    expect(message).toContain(found);
    expect(message).toContain('expected');
    expect(message).not.toContain('Mohamed');
  });

  test('other encodings, with the line', async () => {
    expect(await refusal(Buffer.from(`${HEADER}\n1,A,\n2,Amélie,\n`, 'latin1'))).toBe(
      'encoding: expected UTF-8, found other bytes in line 3',
    );
    expect(await refusal(Buffer.from(`\ufeff${HEADER}\n`, 'utf16le'))).toContain('found UTF-16');
    const late = Buffer.concat([
      Buffer.from(`${HEADER}\n${'1,A,\n'.repeat(40_000)}2,"two\n\nlines`),
      Buffer.of(0xe9, 0x0a),
    ]);
    expect(await refusal(late)).toContain('line 40004');
  });

  test('a row too many, by its line', async () => {
    const text = `${HEADER}\n1,"A\nB",\n2,C,\n\n3,D,\n`;
    expect(await refusal(text, { rowsMax: 3 })).toBe('taken');
    expect(await refusal(text, { rowsMax: 2 })).toBe('line 6: expected at most 2 rows');
    const long = `${HEADER}\n${'1,A,\n\n'.repeat(100_000)}`;
    expect(await refusal(long, { rowsMax: 100_000 })).toBe('taken');
    expect(await refusal(long, { rowsMax: 99_999 })).toMatch(/^line 200000: /);
  });

  test('one that ends inside quotes, by the line of the quote', async () => {
    const cut = `${HEADER}\n1,"A\nB",\n2,C,\n3,"two\nlines","1961`;
    const message = 'line 6: expected the quote that opens a field there to be closed; ';
    expect(await refusal(cut)).toBe(`${message}found the end of the file`);
    await expect(read(cut, 7)).rejects.toThrow(message);
    expect(await refusal(`${cut}-01-01"`)).toBe('taken');
    // What follows is longer than a row may be: one row is rejected, and the others are read.
    const rest = '4,D,\n'.repeat(20_000);
    expect(await refusal(`${HEADER}\n1,"A,\n${rest}`)).toBe('taken');
    expect(await rejected(`${HEADER}\n1,"A,\n${rest}`)).toEqual([[2, 'quotes-unbalanced']]);
  });

  test('zeros without end, at once', async () => {
    let sent = 0;
    async function* zeros() {
      for (; sent < 1000; sent++) yield new Uint8Array(1 << 20);
    }
    await expect(countCsvRows(zeros())).rejects.toThrow('longer than 65,536 characters');
    expect(sent).toBeLessThan(3);
  });
});

describe('a row is rejected, and the others are read', () => {
  test('a line of ten megabytes', async () => {
    const { rejections, subjects } = await read(
      `${HEADER}\n1,${'x'.repeat(10_000_000)},\n2,Amal,\n3,"${'é'.repeat(70_000)}",\n4,Nour,`,
      65_536,
    );
    expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'record-too-long'],
      [4, 'record-too-long'],
    ]);
    expect(subjects.map(({ line }) => line)).toEqual([3, 5]);
  });

  test.each([
    ['NUL', '1,A\0li,', 'unreadable-characters'],
    ['an override of direction', '1,Ali \u202enaM,', 'unreadable-characters'],
    ['an isolate', '1,\u2066Ali,', 'unreadable-characters'],
    ['an escape', '1,\u001b[2JAli,', 'unreadable-characters'],
    ['too few fields', '1,Ali', 'field-count'],
    ['too many fields', '1,Ali,,', 'field-count'],
    ['no external_id', ',Ali,', 'attribute-missing'],
    ['a name of blanks', '1,\u00a0 ,', 'attribute-missing'],
    ['a long external_id', `${'7'.repeat(129)},Ali,`, 'attribute-invalid'],
    ['a day that is not', '1,Ali,1961-02-29', 'attribute-invalid'],
    ['another order of the date', '1,Ali,14/05/1961', 'attribute-invalid'],
    ['a time for a date', '1,Ali,1961-05-14T00:00:00Z', 'attribute-invalid'],
  ])('%s', async (_, row, reason) => {
    expect(await rejected(`${HEADER}\n${row}\n2,Amal,\n`)).toEqual([[2, reason]]);
  });

  test('with every fault, without its values', async () => {
    const header = 'external_id,full_name,dob,nationality,type,dob_range';
    const { rejections } = await read(`${header}\n1,,1961-13,UK,person,1990-02:1990-01\n`);
    expect(rejections).toEqual([
      {
        detail:
          'dob: expected a month from 01 to 12; nationality: expected an ISO 3166-1 ' +
          'alpha-2 code in use; type: expected individual or business; dob_range: expected the ' +
          'first month not after the last; full_name: expected a value',
        externalId: '1',
        line: 2,
        reason: 'attribute-invalid',
      },
    ]);
  });

  test('with the form that was expected, also where the value is too long for it', async () => {
    const { rejections } = await read('external_id,full_name,nationality\n1,Ali,ZZZ\n');
    expect(rejections[0]?.detail).toBe('nationality: expected an ISO 3166-1 alpha-2 code in use');
  });

  test('nothing of its values changes Object.prototype', async () => {
    await read(`${HEADER}\n__proto__,constructor,\n`);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

test('every attribute is read, trimmed, country codes and type in their one spelling', async () => {
  const row =
    ' C-1 , Amal Trabelsi,أمل الطرابلسي,Amal,Trabelsi,1961-05-14,1960-01:1962-12,' +
    'tn,FR,Individual,f,0712';
  const { subjects } = await read(`${SUBJECT_ATTRIBUTES.join(',')}\r\n${row}\r\n`);
  expect(subjects[0]?.subject).toEqual({
    country_residence: 'FR',
    dob: '1961-05-14',
    dob_range: '1960-01:1962-12',
    external_id: 'C-1',
    first_name: 'Amal',
    full_name: 'Amal Trabelsi',
    full_name_ar: 'أمل الطرابلسي',
    gender: 'f',
    last_name: 'Trabelsi',
    national_id: '0712',
    nationality: 'TN',
    type: 'individual',
  });
});
