/**
 * The canonical form, beside the one that xml-crypto makes of a tree: random documents, and the
 * cases of the recommendation that documents for signatures meet.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Canonicalization, NotCanonical } from '../../../src/platform/xml/canonicalTags.ts';
import { CanonicalXml } from '../../../src/platform/xml/canonicalXml.ts';
import { XmlTokens } from '../../../src/platform/xml/xmlTokens.ts';
import { rootOf, xmlCrypto } from './xmlCrypto.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

function ours(xml: string, by: Canonicalization, pieceChars = xml.length): string {
  let out = '';
  const canonical = new CanonicalXml(by, new Map(), (text) => {
    out += text;
  });
  const tokens = new XmlTokens(canonical);
  for (let at = 0; at < xml.length; at += pieceChars) tokens.write(xml.slice(at, at + pieceChars));
  canonical.end();
  return out;
}

function oracle(xml: string, by: Canonicalization): string {
  const { C14nCanonicalization, ExclusiveCanonicalization } = xmlCrypto;
  const Algorithm = by === 'inclusive' ? C14nCanonicalization : ExclusiveCanonicalization;
  return String(new Algorithm().process(rootOf(xml), {}));
}

const PREFIXES = ['', 'a', 'b'] as const;
const text = fc.stringMatching(/^[a-z é>"' \n]{0,6}$/).map((plain) => plain.replaceAll(']]>', ''));
const value = fc.stringMatching(/^[a-z é>' ]{0,5}$/);
const entity = fc.constantFrom('&amp;', '&lt;', '&gt;', '&quot;', '&#65;', '&#xE9;', '');

interface Element {
  readonly prefix: string;
  readonly declares: readonly string[];
  readonly attributes: readonly (readonly [string, string])[];
  readonly children: readonly (Element | string)[];
  readonly isEmpty: boolean;
}

const { element } = fc.letrec<{ element: Element; child: Element | string }>((tie) => ({
  child: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(text, entity).map((all) => all.join('')),
    tie('element'),
  ),
  element: fc.record({
    attributes: fc.uniqueArray(fc.tuple(fc.constantFrom('x', 'y', 'a:x', 'b:x', 'a:z'), value), {
      maxLength: 3,
      selector: ([name]) => name,
    }),
    children: fc.array(tie('child'), { maxLength: 3 }),
    declares: fc.uniqueArray(
      fc.constantFrom(
        'xmlns="u:1"',
        'xmlns="u:2"',
        'xmlns:a="u:1"',
        'xmlns:a="u:3"',
        'xmlns:b="u:4"',
      ),
      { maxLength: 3, selector: (one) => one.split('=')[0] },
    ),
    isEmpty: fc.boolean(),
    prefix: fc.constantFrom(...PREFIXES),
  }),
}));

function write({ attributes, children, declares, isEmpty, prefix }: Element): string {
  const name = `${prefix && `${prefix}:`}e`;
  const said = [...attributes.map(([key, said]) => `${key}="${said}"`), ...declares];
  const start = [name, ...said].join('  ');
  if (isEmpty) return `<${start} />`;
  const inner = children.map((child) => (typeof child === 'string' ? child : write(child)));
  return `<${start}\n>${inner.join('<!-- left out -->')}</${name} >`;
}

/** The root declares both prefixes, so that no document uses one that is unknown. */
const documents = element.map(
  (root) => `<r xmlns:b="u:9" xmlns:a="u:8" xmlns="u:7">${write(root)}</r>`,
);

describe.each(['inclusive', 'exclusive'] as const)('the %s form', (by) => {
  test('of random documents is that of a tree, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(documents, fc.integer({ max: 40, min: 1 }), (xml, pieceChars) => {
        expect(ours(xml, by, pieceChars)).toBe(oracle(xml, by));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the recommendation', () => {
  test.each([
    ['line ends', '<a>1\r\n2\r3</a>', '<a>1\n2\n3</a>'],
    [
      'a carriage return that was meant',
      '<a b="&#13;&#10;&#9;">&#xD;</a>',
      '<a b="&#xD;&#xA;&#x9;">&#xD;</a>',
    ],
    ['white space in a value', '<a b="1\r\n2\t3"/>', '<a b="1 2 3"></a>'],
    ['a section', '<a><![CDATA[<&>]]></a>', '<a>&lt;&amp;&gt;</a>'],
    ['quotes', `<a b='"'>"'&quot;</a>`, `<a b="&quot;">"'"</a>`],
    ['comments and instructions', '<?xml version="1.0"?><!-- > --><a><?p q?></a>', '<a></a>'],
    ['a tag with > in it', '<a b=">"/>', '<a b=">"></a>'],
    [
      'a default namespace undone',
      '<a xmlns="u"><b xmlns=""/></a>',
      '<a xmlns="u"><b xmlns=""></b></a>',
    ],
    [
      'what is declared twice',
      '<p:a xmlns:p="u"><p:b xmlns:p="u"/></p:a>',
      '<p:a xmlns:p="u"><p:b></p:b></p:a>',
    ],
    ['attributes of xml', '<a xml:lang="fr" b="1"/>', '<a b="1" xml:lang="fr"></a>'],
    ['beyond the first plane', '<a>&#x1F600;</a>', '<a>😀</a>'],
  ])('%s', (_, xml, expected) => {
    expect(ours(xml, 'inclusive')).toBe(expected);
  });

  test('only the exclusive form leaves out what is not used', () => {
    const xml = '<a xmlns:p="u"><p:b/></a>';
    expect(ours(xml, 'inclusive')).toBe('<a xmlns:p="u"><p:b></p:b></a>');
    expect(ours(xml, 'exclusive')).toBe('<a><p:b xmlns:p="u"></p:b></a>');
  });

  test.each(['<p:a/>', '<a p:b=""/>', '<a></a></a>', '<a b=1/>', '< a/>'])(
    '%s is refused',
    (xml) => {
      const canonical = new CanonicalXml('inclusive', new Map(), () => undefined);
      expect(() => new XmlTokens(canonical).write(xml)).toThrow(NotCanonical);
    },
  );

  test('what never ends is refused before it fills the memory', () => {
    const tokens = new XmlTokens(new CanonicalXml('inclusive', new Map(), () => undefined));
    tokens.write('<!--');
    const piece = ' '.repeat(500_000);
    tokens.write(piece);
    tokens.write(piece);
    expect(() => tokens.write(piece)).toThrow(NotCanonical);
  });
});
