/** The rows of pacs008Paths.ts as a tree of elements, whose steps write into a draft. */
import type { PathRow } from './pacs008Paths.ts';

/** A transaction while it is read: members of whatever kind. */
export type Draft = Record<string, unknown>;
/** Writes a text where its row says. */
export type Write = (draft: Draft, text: string) => void;

/** What becomes of an element and of those below it. */
export interface PathNode {
  readonly children: Map<string, PathNode>;
  /** When it begins: lists get their next element, words are set. */
  readonly begins: Write[];
  /** When it ends with a text. */
  readonly writes: Write[];
  /** By the name of its attribute. */
  readonly attributes: Map<string, Write>;
}

const emptyNode = (): PathNode => ({
  attributes: new Map(),
  begins: [],
  children: new Map(),
  writes: [],
});

/** The tree of these rows. */
export function pathTree(rows: readonly PathRow[]): PathNode {
  const root = emptyNode();
  for (const [path, target] of rows) {
    const [elements = '', attribute] = path.split('@');
    const node = nodeAt(root, elements.split('/'));
    const write = writeOf(target);
    if (attribute !== undefined) node.attributes.set(attribute, write);
    else if (target.endsWith('+') || target.includes('=')) node.begins.push(write);
    else node.writes.push(write);
  }
  return root;
}

function nodeAt(root: PathNode, names: readonly string[]): PathNode {
  let node = root;
  for (const name of names) {
    const next = node.children.get(name) ?? emptyNode();
    node.children.set(name, next);
    node = next;
  }
  return node;
}

const TARGET =
  /^(?<path>[a-z_.\d-]+?)(?:(?<list>\[\])|\+(?<scheme>\w*)|(?<joined>,)|=(?<word>\w+))?$/;

function writeOf(target: string): Write {
  const parts = TARGET.exec(target)?.groups ?? {};
  const keys = (parts.path ?? '').split('.');
  const last = keys.pop() ?? '';
  const into = (then: (parent: Draft, text: string) => void): Write => {
    return (draft, text) => {
      const parent = parentOf(draft, keys);
      if (parent !== undefined) then(parent, text);
    };
  };
  if (parts.list !== undefined) return into((parent, text) => listOf(parent, last).push(text));
  if (parts.word !== undefined) {
    return into((parent) => {
      parent[last] = parts.word;
    });
  }
  if (parts.joined !== undefined) {
    return into((parent, text) => {
      parent[last] = parent[last] === undefined ? text : `${parent[last]}, ${text}`;
    });
  }
  if (parts.scheme === '') return into((parent) => listOf(parent, last).push({}));
  if (parts.scheme !== undefined) {
    return into((parent, id) => listOf(parent, last).push({ id, scheme: parts.scheme }));
  }
  return into((parent, text) => {
    parent[last] ??= text;
  });
}

/** The object that holds the last key; undefined below a list that has no element yet. */
function parentOf(draft: Draft, keys: readonly string[]): Draft | undefined {
  let parent: Draft = draft;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? '';
    if (keys[at + 1] === '-1') {
      const last = listOf(parent, key).at(-1);
      if (last === undefined) return undefined;
      parent = last as Draft;
      at++;
    } else {
      const next = (parent[key] ?? {}) as Draft;
      parent[key] = next;
      parent = next;
    }
  }
  return parent;
}

function listOf(parent: Draft, key: string): unknown[] {
  const list = (parent[key] ?? []) as unknown[];
  parent[key] = list;
  return list;
}
