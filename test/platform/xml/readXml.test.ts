/** What is XML and what is not, and what a hostile file costs. */
import { describe, expect, test } from 'vitest';
import { XML_LIMITS, type XmlHandler, type XmlOptions } from '#platform/xml/ports';
import { readXml } from '#platform/xml/readXml';
import { chunksOf, repeated } from '../../sources/chunks.ts';

interface Seen extends XmlHandler {
  readonly leaves: string[];
}

function collector(): Seen {
  const leaves: string[] = [];
  return {
    leaves,
    root: () => {},
    open: () => {},
    close: (name, text) => {
      if (text !== '') leaves.push(`${name}=${text}`);
    },
  };
}

async function leavesOf(content: string | Uint8Array, chunkBytes?: number): Promise<string[]> {
  const handler = collector();
  await readXml(chunksOf(content, chunkBytes), handler);
  return handler.leaves;
}

function refused(chunks: AsyncIterable<Uint8Array>, options?: XmlOptions): Promise<unknown> {
  return readXml(chunks, collector(), options).then(
    () => 'accepted',
    (error: unknown) => error,
  );
}

describe('guarded XML', () => {
  test('text, entities, CDATA and comments are read, however the bytes are cut', async () => {
    const xml =
      '<?xml version="1.0" encoding="UTF-8"?><!-- c --><a>\n' +
      '<b> x &amp; &lt;y&gt; &#x41;&#66; </b>' +
      '<c><![CDATA[<z> &amp;]]></c><d>سلام</d></a>\n';
    const expected = ['b=x & <y> AB', 'c=<z> &amp;', 'd=سلام'];
    for (const size of [1, 2, 3, 7, 64 * 1024]) expect(await leavesOf(xml, size)).toEqual(expected);
  });

  test('prefixes are resolved at the root', async () => {
    expect(await leavesOf('<p:a xmlns:p="urn:x"><p:b>1</p:b></p:a>')).toEqual(['b=1']);
  });

  test('an element of another namespace comes with it', async () => {
    const xml = '<a xmlns="urn:x" xmlns:o="urn:o"><o:b>1</o:b><b>2</b></a>';
    expect(await leavesOf(xml)).toEqual(['{urn:o}b=1', 'b=2']);
  });

  test('a namespace declared below the root holds to the end of its element', async () => {
    const xml =
      '<a xmlns="urn:x"><b xmlns="urn:y"><c>1</c></b><c>2</c><b xmlns=""><c>3</c></b>' +
      '<p:c xmlns:p="urn:x">4</p:c></a>';
    expect(await leavesOf(xml)).toEqual(['{urn:y}c=1', 'c=2', '{}c=3', 'c=4']);
  });

  test('line ends become line feeds, and white space in values spaces', async () => {
    expect(await leavesOf('<a><b>1\r\n2\r3&#13;4</b></a>')).toEqual(['b=1\n2\n3\r4']);
    expect(await leavesOf('<a><b>1\r\n<!-- -->\r\n<![CDATA[\r]]>2</b></a>')).toEqual([
      'b=1\n\n\n2',
    ]);
    const values: (string | undefined)[] = [];
    await readXml(chunksOf('<a b="1\r\n2\t3&#10;4"/>'), {
      root: (_name, _namespace, attributes) => values.push(attributes.get('b')),
      open: () => {},
      close: () => {},
    });
    expect(values).toEqual(['1 2 3\n4']);
  });

  test('attributes have the names they have', async () => {
    expect(await refused(chunksOf('<a hasOwnProperty="1" __proto__="2" constructor="3"/>'))).toBe(
      'accepted',
    );
  });

  test('attributes are read, of the root too', async () => {
    const seen: string[] = [];
    await readXml(
      chunksOf('<a xmlns="urn:x" v="1 &amp;&#65;"><b xmlns:i="urn:i" i:nil="true"/></a>'),
      {
        root: (name, namespace, attributes) =>
          seen.push(`${name} ${namespace} ${attributes.get('v')} ${attributes.get('xmlns')}`),
        open: (name, depth, attributes) =>
          seen.push(`${depth} ${name} ${attributes.names().join()}`),
        close: () => {},
      },
    );
    expect(seen).toEqual(['a urn:x 1 &A undefined', '1 a v', '2 b i:nil']);
  });

  test('a UTF-8 byte-order mark is taken', async () => {
    expect(await leavesOf('\ufeff<a><b>1</b></a>')).toEqual(['b=1']);
  });

  const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
  const utf16 = Buffer.from('<a><b>1</b></a>', 'utf16le');
  test.each<[string, string | Uint8Array]>([
    ['an empty file', ''],
    ['white space alone', ' \n'],
    ['a DOCTYPE', '<!DOCTYPE a><a/>'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['a parameter entity', '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:1/">%x;]><a/>'],
    ['an undeclared entity', '<a>&nbsp;</a>'],
    ['an entity named as an object member', '<a>&constructor;</a>'],
    ['an entity named __proto__', '<a>&__proto__;</a>'],
    ['an entity in upper case', '<a>&AMP;</a>'],
    ['a reference to NUL', '<a>&#0;</a>'],
    ['a reference to a surrogate', '<a>&#xD800;</a>'],
    ['a control character', '<a>\u0001</a>'],
    ['U+FFFE', '<a>\ufffe</a>'],
    ['an escape character', '<a>\u001b</a>'],
    ['a processing instruction', '<?xml version="1.0"?><?php x?><a/>'],
    ['a second XML declaration', '<a><?xml version="1.0"?></a>'],
    ['an attribute twice', '<a b="1" c="2" b="1"/>'],
    [
      'an attribute twice under two prefixes',
      '<a xmlns:p="urn:x" xmlns:q="urn:x" p:b="1" q:b="2"/>',
    ],
    ['an attribute with a prefix that is not declared', '<a p:b="1"/>'],
    ['an element with a prefix that is not declared', '<a><p:b/></a>'],
    ['a prefix declared as nothing', '<a xmlns:p=""/>'],
    ['the prefix xml declared anew', '<a xmlns:xml="urn:x"/>'],
    ['a namespace declared twice', '<a xmlns="urn:x" xmlns="urn:x"/>'],
    ['a < in a value', '<a b="<"/>'],
    ['attributes without space', '<a b="1"c="2"/>'],
    ['an attribute without a value', '<a b/>'],
    ['an undeclared entity in a value that nobody asks for', '<a b="&nbsp;"/>'],
    ['a control character in a value', '<a b="\u0001"/>'],
    ['a name that begins with a digit', '<a><1/></a>'],
    ['a name with two colons', '<a xmlns:p="urn:x"><p:b:c/></a>'],
    ['a name with a multiplication sign', '<a><b\u00d7/></a>'],
    [']]> in a text', '<a>]]></a>'],
    ['-- in a comment', '<a><!-- -- --></a>'],
    ['a comment that ends --->', '<a><!-- ---></a>'],
    ['a CDATA section before the root', '<![CDATA[ ]]><a/>'],
    ['a CDATA section in lower case', '<a><![cdata[x]]></a>'],
    ['a reference before the root', '&#32;<a/>'],
    ['a reference without its semicolon', '<a>&amp</a>'],
    ['a reference to a control character', '<a>&#1;</a>'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>'],
    ['a reference with a capital X', '<a>&#X41;</a>'],
    ['white space before the XML declaration', ' <?xml version="1.0"?><a/>'],
    ['an XML declaration without its version', '<?xml encoding="UTF-8"?><a/>'],
    ['a space after the <', '<a>< b/></a>'],
    ['a closing tag alone', '</a>'],
    ['a NUL', '<a>\0</a>'],
    ['a NUL behind the root', '<a/>\0'],
    ['text between elements', '<a>x<b/></a>'],
    ['text after an element', '<a><b/>x</a>'],
    ['text after the root', '<a/>x'],
    ['a second root', '<a/><b/>'],
    ['a wrong closing tag', '<a><b></a></b>'],
    ['an unquoted attribute', '<a b=c/>'],
    ['33 levels', nested(33)],
    ['100,000 levels', nested(100_000)],
    ['65 attributes', `<a ${Array.from({ length: 65 }, (_, i) => `b${i}="1"`).join(' ')}/>`],
    ['a name of 129 characters', `<a><${'b'.repeat(129)}/></a>`],
    ['UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['UTF-16 without its mark', utf16],
    ['a declared UTF-16', '<?xml version="1.0" encoding="UTF-16"?><a/>'],
    ['a declared UTF-7', '<?xml version="1.0" encoding="UTF-7"?><a/>'],
    ['a declared Latin-1', '<?xml version="1.0" encoding="ISO-8859-1"?><a/>'],
    ['Latin-1 bytes', Buffer.from('<a>\xe9</a>', 'latin1')],
    ['an overlong UTF-8 form', Buffer.from([0x3c, 0x61, 0x3e, 0xc0, 0xaf])],
  ])('%s is damage', async (_what, content) => {
    expect(await refused(chunksOf(content))).toMatchObject({ name: 'XmlDamaged' });
  });

  test('a text in UTF-8 that was encoded twice is damage, at its line and column', async () => {
    const twice = Buffer.from(Buffer.from('طارق فلموراني').toString('latin1'));
    const lines = (count: number) => `<a>\n${`<b>${twice}</b>\n`.repeat(count)}</a>`;
    for (const chunkBytes of [1, 7, 4_096]) {
      expect(await refused(chunksOf(lines(2), chunkBytes))).toMatchObject({
        name: 'XmlDamaged',
        message: expect.stringMatching(/^line \d, column \d+, a.*: control characters/),
      });
    }
  });

  test('a few of the controls that XML allows are slips; signs beyond ASCII are none', async () => {
    expect(await leavesOf(`<a><b>${'\u0096'.repeat(8)}</b></a>`)).toHaveLength(1);
    expect(await leavesOf(`<a><b>${'\u00a0«é»\u0085x'.repeat(50)}</b></a>`)).toHaveLength(1);
  });

  test('every cut of a file is damage', async () => {
    const xml = '<?xml version="1.0"?><a><b x="1">té&amp;</b><![CDATA[ ]]><c/></a>';
    const bytes = Buffer.from(xml);
    for (let length = 0; length < bytes.length; length++) {
      const error = await refused(chunksOf(bytes.subarray(0, length)));
      expect(error, `cut after ${length} bytes`).toMatchObject({ name: 'XmlDamaged' });
    }
  });

  test('the error says line, column and path', async () => {
    const error = await refused(chunksOf('<a>\n <b>\n  <c>&x;</c>\n </b>\n</a>'));
    expect(error).toMatchObject({
      message: expect.stringMatching(/^line 3, column 6, a\/b\/c: an entity/),
    });
  });

  test('the error of a wrong byte says where it stands, behind many pieces', async () => {
    const line = '<b>é</b>\n';
    const before = `<a>\n${line.repeat(30_000)}<b>`;
    const content = Buffer.concat([Buffer.from(before), Buffer.of(0xe9), Buffer.from('</b></a>')]);
    for (const chunkBytes of [content.length, 10_007]) {
      const error = await refused(chunksOf(content, chunkBytes));
      expect(error).toMatchObject({
        message: 'line 30002, column 4, a/b: bytes that are not UTF-8, from 0xE9 on',
      });
    }
  });

  const mebibyte = 'x'.repeat(1024 * 1024);
  test.each([
    ['an attribute of 100 MiB', { head: '<a b="', piece: mebibyte, times: 100, tail: '"/>' }],
    ['a tag name of 20 MiB', { head: '<', piece: mebibyte, times: 20, tail: '/>' }],
    ['a comment of 50 MiB', { head: '<!--', piece: mebibyte, times: 50, tail: '--><a/>' }],
    ['a DOCTYPE of 50 MiB', { head: '<!DOCTYPE ', piece: mebibyte, times: 50, tail: '><a/>' }],
    ['an entity name of 20 MiB', { head: '<a>&', piece: mebibyte, times: 20, tail: ';</a>' }],
    ['a text of 50 MiB', { head: '<a>', piece: mebibyte, times: 50, tail: '</a>' }],
    [
      'a CDATA section of 50 MiB',
      { head: '<a><![CDATA[', piece: mebibyte, times: 50, tail: ']]></a>' },
    ],
    ['an instruction of 50 MiB', { head: '<?xml ', piece: mebibyte, times: 50, tail: '?><a/>' }],
  ])('%s is refused after a few pieces', async (_what, parts) => {
    let bytes = 0;
    const error = await refused(repeated(parts), {
      onBytes: (read) => {
        bytes = read;
      },
    });
    expect(error).toMatchObject({ name: 'XmlDamaged' });
    expect(bytes).toBeLessThan(512 * 1024);
  });

  test('more elements than allowed, and more bytes, are refused', async () => {
    const xml = `<a>${'<b/>'.repeat(1_000)}</a>`;
    const few = { ...XML_LIMITS, elementsMax: 1_000 };
    expect(await refused(chunksOf(xml), { limits: few })).toMatchObject({ name: 'XmlDamaged' });
    const small = { ...XML_LIMITS, bytesMax: 4_000 };
    expect(await refused(chunksOf(xml), { limits: small })).toMatchObject({ name: 'XmlDamaged' });
    expect(await refused(chunksOf(xml))).toBe('accepted');
  });

  test('250 KB of namespace declarations cost no time', async () => {
    const declarations = Array.from({ length: 8_000 }, (_, i) => `xmlns:p${i}="urn:${i}"`).join(
      ' ',
    );
    const begun = performance.now();
    const error = await refused(chunksOf(`<a ${declarations}><b/></a>`));
    expect(error).toMatchObject({ name: 'XmlDamaged' });
    expect(performance.now() - begun).toBeLessThan(500);
  });
});
