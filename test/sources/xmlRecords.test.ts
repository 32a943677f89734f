/** Records as trees, and the account of what nobody asked for. */
import { describe, expect, test } from 'vitest';
import { readXmlRecords, type XmlRecord } from '../../src/sources/xmlRecords.ts';
import { chunksOf } from './chunks.ts';

async function records(xml: string, depth = 2): Promise<[string, XmlRecord][]> {
  const found: [string, XmlRecord][] = [];
  const handler = {
    root: () => {},
    record: (record: XmlRecord, parent: string) => found.push([parent, record]),
  };
  await readXmlRecords(chunksOf(xml, 7), handler, { depth });
  return found;
}

async function first(inner: string): Promise<XmlRecord> {
  const [[, record] = []] = await records(`<list>${inner}</list>`);
  if (!record) throw new Error('no record');
  return record;
}

describe('records', () => {
  test('come with the element that holds them, at the depth asked for', async () => {
    const found = await records('<l><a><r/><r/></a><b><r>x</r></b></l>', 3);
    expect(found.map(([parent, record]) => [parent, record.name, record.value])).toEqual([
      ['a', 'r', undefined],
      ['a', 'r', undefined],
      ['b', 'r', 'x'],
    ]);
  });

  test('texts, attributes and inner elements are taken by name', async () => {
    const record = await first(
      `<r id="7" empty=" "><n>  A
          B </n><n/><v><x>1</x><x>2</x></v></r>`,
    );
    expect(record.attribute('id')).toBe('7');
    expect(record.attribute('empty')).toBeUndefined();
    expect(record.text('n')).toBe('A B');
    expect(record.texts('n')).toEqual(['A B']);
    expect(record.inner('v', 'x').map((one) => one.value)).toEqual(['1', '2']);
    expect(record.left()).toEqual([]);
  });

  test('texts come under other names, the first of each', async () => {
    const record = await first('<r><a>1</a><a>2</a><B>3</B><c><d/></c><e/></r>');
    expect(record.renamed({ B: 'b', a: 'a', c: 'c', constructor: 'x', e: 'e' })).toEqual({
      a: '1',
      b: '3',
    });
    expect(record.left()).toEqual(['a: 2']);
  });

  test('what was not asked for is told with its path', async () => {
    const record = await first(
      '<r a="1" xsi:nil="true" xmlns:xsi="u"><n>A</n><n>B</n><v k="2"><x>3</x><y>4</y></v></r>',
    );
    expect(record.text('n')).toBe('A');
    expect(record.inner('v', 'x').map((one) => one.value)).toEqual(['3']);
    expect(record.left()).toEqual(['@a: 1', 'n: B', 'v@k: 2', 'v/y: 4']);
    record.ignore('a', 'n', 'v');
    expect(record.left()).toEqual([]);
  });

  test('a record of too many elements or characters is damage', async () => {
    const many = `<l><r>${'<x/>'.repeat(100_001)}</r></l>`;
    await expect(records(many)).rejects.toThrow('x: a record of too many elements');
    const texts = `<l><r>${`<x y="${'y'.repeat(60_000)}"/>`.repeat(280)}</r></l>`;
    await expect(records(texts)).rejects.toThrow('x: a record of too many characters');
  });

  test('text between records is damage', async () => {
    await expect(records('<l>text</l>')).rejects.toMatchObject({ code: 'list-damaged' });
    await expect(records('<l><r/>text</l>')).rejects.toMatchObject({ code: 'list-damaged' });
  });
});
