/**
 * Writes config/tables/pacs008.json from the schemas that ISO 20022 publishes:
 * `node scripts/makePacs008Schema.ts FOLDER`, the folder with pacs.008.001.01.xsd to .13.xsd.
 *
 * The table has every type once, whichever versions share it, so that thirteen schemas take the
 * room of three. A content model is a row of places: each takes elements of some names, so many
 * times. That is all that these schemas use, and what they use beyond it stops this script.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { XmlAttributes } from '../src/platform/xml/ports.ts';
import { readXml } from '../src/platform/xml/readXml.ts';

const OUT = join(import.meta.dirname, '../config/tables/pacs008.json');
const VERSIONS = Array.from({ length: 13 }, (_, at) => String(at + 1).padStart(2, '0'));

interface Node {
  readonly name: string;
  readonly given: Readonly<Record<string, string>>;
  readonly children: Node[];
}

/** A type as the table has it: references are places in the table. */
type Packed = Readonly<Record<string, unknown>>;

const types: string[] = [];
const placeOf = new Map<string, number>();
const roots: Record<string, number> = {};

async function treeOf(path: string): Promise<Node> {
  const open: Node[] = [];
  let root: Node | undefined;
  async function* bytes() {
    yield readFileSync(path);
  }
  await readXml(bytes(), {
    root() {
      // The schema says what it is of by its names.
    },
    open(name: string, _depth: number, attributes: XmlAttributes) {
      const given = Object.fromEntries(
        attributes.names().map((one) => [one, attributes.get(one) ?? '']),
      );
      const node = { children: [], given, name };
      open.at(-1)?.children.push(node);
      root ??= node;
      open.push(node);
    },
    close() {
      open.pop();
    },
  });
  assert(root !== undefined);
  return root;
}

function packType(name: string, named: ReadonlyMap<string, Node>): number {
  const node = named.get(name);
  assert(node !== undefined, `type ${name} is not there`);
  const packed = node.name === 'simpleType' ? packSimple(node) : packComplex(node, named);
  const text = JSON.stringify(packed);
  const known = placeOf.get(text);
  if (known !== undefined) return known;
  types.push(text);
  placeOf.set(text, types.length - 1);
  return types.length - 1;
}

function packSimple(node: Node): Packed {
  const [restriction] = node.children;
  assert(restriction?.name === 'restriction');
  const facets = (name: string) =>
    restriction.children
      .filter((child) => child.name === name)
      .map(({ given }) => given.value ?? '');
  const number = (name: string) => {
    const [value] = facets(name);
    return value === undefined ? undefined : Number(value);
  };
  const [pattern] = facets('pattern');
  const codes = facets('enumeration');
  return {
    is: (restriction.given.base ?? '').replace('xs:', ''),
    ...(codes.length > 0 && { codes }),
    ...(pattern !== undefined && { pattern }),
    ...(number('minLength') !== undefined && { min: number('minLength') }),
    ...(number('maxLength') !== undefined && { max: number('maxLength') }),
    ...(number('totalDigits') !== undefined && { digits: number('totalDigits') }),
    ...(number('fractionDigits') !== undefined && { fraction: number('fractionDigits') }),
    ...(number('minInclusive') !== undefined && { least: number('minInclusive') }),
  };
}

function packComplex(node: Node, named: ReadonlyMap<string, Node>): Packed {
  const [content] = node.children;
  assert(content !== undefined && node.children.length === 1);
  if (content.name === 'simpleContent') {
    const [extension] = content.children;
    const [attribute] = extension?.children ?? [];
    assert(extension !== undefined && attribute?.given.use === 'required');
    return {
      text: packType(extension.given.base ?? '', named),
      attribute: attribute.given.name,
      of: packType(attribute.given.type ?? '', named),
    };
  }
  return { places: packContent(content, named) };
}

/** Places in order: each `[least, most, {name: type}]`; `most` is 0 where there is no bound. */
function packContent(content: Node, named: ReadonlyMap<string, Node>): unknown[] {
  if (content.name === 'choice') return [packChoice(content, named)];
  assert(content.name === 'sequence');
  return content.children.map((child) => {
    if (child.name === 'any') return [...bounds(child), '*'];
    if (child.name === 'choice') return packChoice(child, named);
    assert(child.name === 'element', `a ${child.name} in a sequence`);
    return [...bounds(child), namesOf([child], named)];
  });
}

/** Where its elements repeat, the fourth member says how often each: one name takes the place. */
function packChoice(choice: Node, named: ReadonlyMap<string, Node>): unknown[] {
  const [least, most] = bounds(choice);
  const inner = choice.children.map((child): [string, number, number] => {
    assert(child.name === 'element', `a ${child.name} in a choice`);
    return [child.given.name ?? '', ...bounds(child)];
  });
  const leastInner = Math.min(least, ...inner.map(([, one]) => one));
  const names = namesOf(choice.children, named);
  if (inner.every(([, , many]) => many === 1)) return [leastInner, most, names];
  assert(most === 1, 'a repeated choice of repeated elements');
  return [leastInner, most, names, Object.fromEntries(inner.map(([name, , many]) => [name, many]))];
}

const bounds = ({ given }: Node): [number, number] => [
  Number(given.minOccurs ?? 1),
  given.maxOccurs === 'unbounded' ? 0 : Number(given.maxOccurs ?? 1),
];

const namesOf = (elements: readonly Node[], named: ReadonlyMap<string, Node>) =>
  Object.fromEntries(
    elements.map(({ given }) => [given.name ?? '', packType(given.type ?? '', named)]),
  );

for (const version of VERSIONS) {
  const schema = await treeOf(join(process.argv[2] ?? '', `pacs.008.001.${version}.xsd`));
  const named = new Map(schema.children.map((child) => [child.given.name ?? '', child]));
  roots[version] = packType('Document', named);
}

const table = { source: 'ISO 20022, pacs.008.001.01 to .13, as published', types: '@', roots };
const rows = types.map((type) => `    ${type}`).join(',\n');
writeFileSync(OUT, `${JSON.stringify(table, null, 2).replace('"@"', `[\n${rows}\n  ]`)}\n`);
