/** Our events are those of sax: on generated documents, broken ones, and publishers' files. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ourEvents, saxEvents } from './saxEvents.ts';

const dataFolder = process.env.TEST_DATA_DIR;
if (!dataFolder)
  console.warn("SKIPPED: XML oracle on publishers' files (TEST_DATA_DIR is not set)");

const FILES = [
  'lists/ofac/consolidated_2022-03-24.xml.xz',
  'lists/un/consolidated_2018-08-24.xml.xz',
  'lists/un/consolidated_2025-04-19.xml.xz',
  'lists/eu/xmlFullSanctionsList_1_1_2022-03-18_first1044.xml.xz',
  'lists/eu/sample_eu_xml_1_1.xml',
  'lists/other/canada_sema_2025.xml.xz',
];

const name = fc.constantFrom(
  'a',
  'b',
  'entry',
  'whole-name',
  'x.y',
  '_z',
  'été',
  'имя',
  'a1234567',
);
const text = fc
  .array(
    fc.constantFrom(
      'x',
      ' ',
      '\n',
      '\r\n',
      'é',
      'محمد',
      '𐐷',
      '\u00a0',
      '&amp;',
      '&lt;',
      '&#x41;',
      '&#233;',
      '&#x10FFFF;',
      ']]',
      '>',
      "'",
      '"',
      'a longer text, of more than the bytes that are kept',
      '<!-- c > ]] -->',
      '<![CDATA[<b>&amp;]]]]>',
      '<![CDATA[]]>',
    ),
    { maxLength: 8 },
  )
  .map((parts) =>
    // `]]>` may not stand in a text.
    parts.reduce((joined, part) => {
      const isEnd = part.startsWith('>') && joined.endsWith(']]');
      return isEnd ? joined : joined + part;
    }, ''),
  );
const value = fc
  .array(
    fc.constantFrom(
      'x',
      ' ',
      '\t',
      '\r\n',
      'é',
      '&quot;',
      '&#x41;',
      '&#10;',
      '&#x9;',
      '>',
      '=',
      '/',
    ),
    { maxLength: 5 },
  )
  .map((parts) => `"${parts.join('')}"`);
const attributes = fc
  .uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 4 })
  .map((pairs) => pairs.map(([key, quoted]) => ` ${key}=${quoted}`).join(''));
const blank = fc.constantFrom('', ' ', '\n  ', '\t', '<!-- between -->');

const { element } = fc.letrec<{ element: string; children: string }>((tie) => ({
  element: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(name, attributes).map(([tag, pairs]) => `<${tag}${pairs}/>`),
    fc.tuple(name, attributes, text).map(([tag, pairs, t]) => `<${tag}${pairs}>${t}</${tag} >`),
    fc
      .tuple(name, attributes, tie('children'))
      .map(([tag, pairs, inner]) => `<${tag}${pairs}>${inner}</${tag}>`),
  ),
  children: fc
    .array(fc.tuple(blank, tie('element')), { minLength: 1, maxLength: 4 })
    .map((items) => items.map(([space, item]) => space + item).join('')),
}));
const document = fc
  .tuple(fc.constantFrom('', '<?xml version="1.0" encoding="UTF-8"?>'), blank, element, blank)
  .map(([declaration, before, root, after]) => Buffer.from(declaration + before + root + after));

describe('XML against sax', () => {
  test('generated documents give the same events, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.integer({ min: 1, max: 64 }), async (content, chunkBytes) => {
        const events = saxEvents(content);
        expect(await ourEvents(content, chunkBytes)).toEqual(events);
      }),
      { numRuns: 500 },
    );
  });

  test('what sax refuses is refused, and what both take means the same', async () => {
    const byte = fc.oneof(fc.constantFrom(...Buffer.from('<>&/"\'=![]-?; x')), fc.nat(255));
    const change = fc.tuple(fc.nat(), byte, fc.constantFrom('set', 'insert', 'cut'));
    await fc.assert(
      fc.asyncProperty(document, change, async (content, [place, code, kind]) => {
        const at = place % content.length;
        const rest = content.subarray(kind === 'insert' ? at : at + 1);
        const middle = kind === 'cut' ? [] : [code];
        const broken = Buffer.concat([content.subarray(0, at), Buffer.from(middle), rest]);
        const ours = await ourEvents(broken).catch((error: unknown) => error);
        if (!Array.isArray(ours)) {
          expect(ours).toMatchObject({ name: 'XmlDamaged' });
          return;
        }
        const events = saxEvents(broken);
        expect(ours).toEqual(events);
      }),
      { numRuns: 2_000 },
    );
  });

  test('documents longer than the buffer are cut anywhere', async () => {
    const item = '<entry a="1"><b>a text of some length, é</b><x.y/><!-- c --></entry>\n';
    for (const shift of [0, 1, 7, 31]) {
      const content = Buffer.from(`<a>${' '.repeat(shift)}${item.repeat(4_000)}</a>`);
      expect(await ourEvents(content)).toEqual(saxEvents(content));
    }
  });

  test.skipIf(!dataFolder).each(FILES)('%s gives the same events', async (file) => {
    const content = await unpacked(join(dataFolder ?? '', file));
    const ours = await ourEvents(content, 10_007);
    const oracle = saxEvents(content);
    expect(ours.length).toBe(oracle.length);
    expect(ours.findIndex((event, index) => event !== oracle[index])).toBe(-1);
  });
});

async function unpacked(file: string): Promise<Buffer> {
  const program = file.endsWith('.xz') ? 'xz' : 'cat';
  const child = spawn(program, program === 'xz' ? ['-dc', file] : [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of child.stdout) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces);
}
