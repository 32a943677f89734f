/** The regular expressions of a file: written as literals, joined of strings, or built by code. */
import { join } from 'node:path';
import { slowWord } from './regexTime.ts';
import { type Node, nameOf, ROOT, type SourceFile, walk } from './sourceTree.ts';

const INSTEAD = 'bound what is repeated, make spaces single first, or trim and split by hand';

/** Those whose text stands in the file. */
export function slowRegexes(file: SourceFile): string[] {
  const found: string[] = [];
  walk(file.program, (node) => {
    const at = `${file.path}:${file.lineOf(node.start)}`;
    if (node.type === 'Literal' && isWritten(node.regex)) {
      found.push(...complaint(at, node.regex.pattern, node.regex.flags));
    }
    if (!isBuilt(node)) return;
    const [source, flags] = (node.arguments as Node[]).map(constantText);
    if (source !== undefined) found.push(...complaint(at, source, flags ?? ''));
  });
  return found;
}

/** Those that code puts together while its file is loaded: the files are loaded, and watched. */
export async function slowBuiltRegexes(files: readonly SourceFile[]): Promise<string[]> {
  const built = new Map<string, [source: string, flags: string][]>();
  for (const file of files) if (isBuilding(file)) built.set(file.path, []);
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, [source, flags = '']: [string, string?]) => {
      const stack = new Error().stack ?? '';
      for (const [path, regexes] of built) {
        if (stack.includes(join(ROOT, path))) regexes.push([source, flags]);
      }
      return new target(source, flags);
    },
  });
  try {
    for (const path of built.keys()) await import(join(ROOT, path));
  } finally {
    globalThis.RegExp = original;
  }
  return [...built].flatMap(([path, regexes]) =>
    regexes.length === 0
      ? [`${path} builds a RegExp later: build it while the file is loaded`]
      : regexes.flatMap(([source, flags]) => complaint(path, source, flags)),
  );
}

function isBuilding(file: SourceFile): boolean {
  let found = false;
  walk(file.program, (node) => {
    const [source] = isBuilt(node) ? (node.arguments as Node[]) : [];
    if (source !== undefined && constantText(source) === undefined) found = true;
  });
  return found;
}

function complaint(at: string, source: string, flags: string): string[] {
  const word = slowWord(source, flags);
  if (word === undefined) return [];
  const what =
    word === '' ? 'a repetition within a repetition' : `${JSON.stringify(word)} repeated`;
  return [`${at} /${source}/${flags} is slow on ${what}: ${INSTEAD}`];
}

const isWritten = (regex: unknown): regex is { pattern: string; flags: string } =>
  typeof regex === 'object' && regex !== null && 'pattern' in regex;

const isBuilt = (node: Node): boolean =>
  (node.type === 'NewExpression' || node.type === 'CallExpression') &&
  nameOf(node.callee) === 'RegExp';

/** Undefined for what is no string or sum of strings. */
function constantText(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  const [left, right] = [constantText(node.left as Node), constantText(node.right as Node)];
  return left === undefined || right === undefined ? undefined : left + right;
}
