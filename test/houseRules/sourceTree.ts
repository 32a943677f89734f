/**
 * The repository's own code, read and parsed once for the house rules: every TypeScript file with
 * its lines, its syntax tree and its imports resolved to files.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'vitest/node';

export const ROOT = resolve(import.meta.dirname, '../..');

/** An ESTree node: a type, a place, and children wherever they are. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Import {
  readonly line: number;
  /** As written. */
  readonly specifier: string;
  /** From the root; undefined for a package. */
  readonly target: string | undefined;
  /** It is gone once the types are taken out. */
  readonly isType: boolean;
}

export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly program: Node;
  readonly imports: readonly Import[];
  lineOf(offset: number): number;
}

const ALIASES: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/^#core\/(.+)$/, (name) => `src/core/${name}/index.ts`],
  [/^#slices\/(.+)$/, (name) => `src/slices/${name}/index.ts`],
  [/^#platform\/(.+)$/, (name) => `src/platform/${name}.ts`],
  [/^#engine()$/, () => 'src/engine/index.ts'],
];

export function readSourceFiles(pattern: string): SourceFile[] {
  return (
    globSync(pattern, { cwd: ROOT })
      .map((path) => path.replaceAll('\\', '/'))
      // AssemblyScript: its compiler reads them, and what they say is said in plain beside them.
      .filter((path) => !path.endsWith('.as.ts') && !path.endsWith('.d.ts'))
      .sort()
      .map(readSourceFile)
  );
}

function readSourceFile(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return parseSource(path, text);
}

export function parseSource(path: string, text: string): SourceFile {
  const program = parseAst(text, { lang: 'ts' }, path) as unknown as Node;
  const lines = text.split('\n');
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  return { path, text, lines, program, lineOf, imports: importsOf(path, program, lineOf) };
}

function importsOf(path: string, program: Node, lineOf: (offset: number) => number): Import[] {
  const found: Import[] = [];
  walk(program, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    const target = resolveImport(path, specifier);
    found.push({ line: lineOf(node.start), specifier, target, isType: isOfTypes(node) });
  });
  return found;
}

/** Static, dynamic and re-exporting imports, and threads and children started from a file's URL. */
function specifierOf(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literal(node.source);
    case 'NewExpression': {
      if (nameOf(node.callee) !== 'URL') return undefined;
      const [first] = node.arguments as Node[];
      const text = literal(first);
      return text?.endsWith('.ts') ? text : undefined;
    }
    default:
      return undefined;
  }
}

const isOfTypes = (node: Node): boolean =>
  node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type';

function resolveImport(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    return relative(ROOT, resolve(ROOT, dirname(path), specifier)).replaceAll('\\', '/');
  }
  for (const [pattern, target] of ALIASES) {
    const match = pattern.exec(specifier);
    if (match) return target(match[1] ?? '');
  }
  return undefined;
}

export const fileExists = (path: string): boolean => existsSync(join(ROOT, path));

/** Depth first, parents before children; `ancestors` ends with the parent. */
export function walk(
  node: Node,
  visit: (node: Node, ancestors: readonly Node[]) => void,
  ancestors: readonly Node[] = [],
): void {
  visit(node, ancestors);
  const below = [...ancestors, node];
  for (const [key, value] of Object.entries(node)) {
    if (key === 'parent') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, below);
    }
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

/** `a.b.c` of a chain of plain names; undefined for anything else. */
export function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === 'Identifier') return String(value.name);
  if (value.type === 'ThisExpression') return 'this';
  if (value.type === 'MemberExpression' && value.computed !== true) {
    const object = nameOf(value.object);
    return object === undefined ? undefined : `${object}.${nameOf(value.property)}`;
  }
  return undefined;
}

function literal(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Literal' && typeof value.value === 'string'
    ? value.value
    : undefined;
}
