/** OFAC's files with the children inside their records in another order. */

interface Node {
  /** With its brackets; of a text, the text itself. */
  readonly tag: string;
  readonly children: Node[];
}

type Change = <Item>(items: Item[]) => Item[];

/** What stands in an order of its own: the parts of a name, and what is no record. */
const ORDERED = /^<(?:DocumentedName|sdnList|Sanctions|ReferenceValueSets|publshInformation)[\s>]/;

/** The file with the children of everything from `depth` on, changed. */
export function withChildren(xml: string, depth: number, change: Change): string {
  const root: Node = { tag: '', children: [] };
  const open = [root];
  for (const [token] of xml.matchAll(/<[^>]+>|[^<]+/g)) {
    const node = { tag: token, children: [] };
    if (token.startsWith('</')) open.pop();
    else {
      open.at(-1)?.children.push(node);
      if (nameOf(token) !== undefined) open.push(node);
    }
  }
  return root.children.map((node) => written(node, depth, change)).join('');
}

function written(node: Node, depth: number, change: Change): string {
  const { tag, children } = node;
  const name = nameOf(tag);
  if (name === undefined) return tag;
  const elements = children.filter((child) => child.tag.startsWith('<'));
  const isChanged = depth <= 0 && !ORDERED.test(tag) && elements.length > 1;
  const inner = isChanged ? change(elements) : children;
  return `${tag}${inner.map((child) => written(child, depth - 1, change)).join('')}</${name}>`;
}

/** Name of an element with content; a text and `<a/>` have none. */
const nameOf = (tag: string): string | undefined =>
  tag.endsWith('/>') ? undefined : /^<([^\s/>?!]+)[\s>]/.exec(tag)?.[1];

export const reversed: Change = (items) => items.toReversed();

/** Neither the file's order nor its mirror image. */
export const interleaved: Change = (items) => [
  ...items.filter((_, index) => index % 2 === 1),
  ...items.filter((_, index) => index % 2 === 0),
];
