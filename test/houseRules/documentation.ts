/** Rules about comments: which exports must have one, and how a comment begins. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, nameOf, ROOT, type SourceFile, walk } from './sourceTree.ts';

/** Every export of these files has a JSDoc comment. In src/sources, tables are those of a page. */
const DOCUMENTED: readonly RegExp[] = [
  /^src\/core\//,
  /^src\/engine\//,
  /^src\/(?!sources\/)(.+\/)?tables\.ts$/, // what a slice stores
];

/** Comments below these paths are in plain English. */
const PLAIN: readonly string[] = ['src/'];

const ODD_START = /^(Of|Whoever|Whatever|Nobody|and|but|or)\b/;
/** An editor shows the comment of one declaration: half a sentence, where the next one goes on. */
const ODD_END = /,$/;
const ODD_WORDS = /(^| )weather|\bheld to\b/;

interface Comment {
  readonly start: number;
  readonly end: number;
  /** Without its marks, in one line; line comments below each other are one. */
  readonly text: string;
}

/** Re-exports are exempt: the comment stands at the declaration. Members need none. */
export function undocumentedExports(file: SourceFile): string[] {
  if (!DOCUMENTED.some((pattern) => pattern.test(file.path))) return [];
  const documented = new Set(
    commentsOf(file)
      .filter(({ start, text }) => file.text.startsWith('/**', start) && text !== '')
      .map(({ end }) => end),
  );
  const isDocumented = ({ start }: Node): boolean =>
    documented.has(file.text.slice(0, start).trimEnd().length);
  const overloaded = new Set<string>();
  return exportsOf(file).flatMap(({ statement, names }) => {
    const missing = names.filter((name) => !overloaded.has(name));
    for (const name of names) overloaded.add(name);
    if (isDocumented(statement)) return [];
    return missing.map(
      (name) =>
        `${file.path}:${file.lineOf(statement.start)} ${name} has no JSDoc: say what a caller ` +
        'needs (shape, unit, bounds, errors, the source of a formula or format)',
    );
  });
}

/** Exported declarations, each with the statement that its comment stands before. */
function exportsOf(file: SourceFile): { statement: Node; names: readonly string[] }[] {
  const statements = file.program.body as Node[];
  const listed = new Set(statements.flatMap(listedNames));
  return statements.flatMap((statement) => {
    const isExport = statement.type === 'ExportNamedDeclaration';
    const names = declaredNames(isExport ? statement.declaration : statement);
    const exported = isExport ? names : names.filter((name) => listed.has(name));
    return exported.length === 0 ? [] : [{ statement, names: exported }];
  });
}

/** Local names of `export { a, b }` without a source. */
function listedNames(statement: Node): string[] {
  if (statement.type !== 'ExportNamedDeclaration' || statement.source) return [];
  return (statement.specifiers as Node[]).map(({ local }) => nameOf(local) ?? '');
}

function declaredNames(value: unknown): string[] {
  const node = value as Node | null;
  if (node === null) return [];
  if (node.type === 'VariableDeclaration') {
    return (node.declarations as Node[]).flatMap(({ id }) => patternNames(id as Node));
  }
  const isDeclaration = /^(TS)?\w*(Declaration|DeclareFunction)$/.test(node.type);
  const name = isDeclaration ? nameOf(node.id) : undefined;
  return name === undefined ? [] : [name];
}

/** Names that a pattern binds: `a`, or `a` and `b` of `{ a, x: b }`. */
function patternNames(pattern: Node): string[] {
  const name = nameOf(pattern);
  if (name !== undefined) return [name];
  const parts = (pattern.properties ?? pattern.elements ?? []) as (Node | null)[];
  return parts.flatMap((part) => {
    const target = (part?.value ?? part?.argument ?? part?.left ?? part) as Node | null;
    return target === null ? [] : patternNames(target);
  });
}

/** Comments that a reader has to read twice. */
export function oddComments(file: SourceFile): string[] {
  if (!PLAIN.some((prefix) => file.path.startsWith(prefix))) return [];
  return commentsOf(file)
    .filter(({ text }) => [ODD_START, ODD_WORDS, ODD_END].some((odd) => odd.test(text)))
    .map(({ start, text }) => {
      const odd = ODD_START.exec(text)?.[0] ?? ODD_WORDS.exec(text)?.[0].trim();
      const mended = odd === undefined ? 'a whole sentence' : "subject first, the field's word";
      return `${file.path}:${file.lineOf(start)} '${odd ?? text.slice(-20)}': ${mended}`;
    });
}

/** Files that comments name and that are nowhere. `known` has the names of all files. */
export function lostFiles(file: SourceFile, known: ReadonlySet<string>): string[] {
  return commentsOf(file).flatMap(({ start, text }) =>
    text
      .split(/[^\w.<>*-]+/)
      .map((word) => word.replace(/\.$/, ''))
      .filter((word) => /^[\w-][\w.-]*\.(?:ts|mjs|cjs)$/.test(word) && !known.has(word))
      .map((name) => `${file.path}:${file.lineOf(start)} '${name}' is nowhere: name what is`),
  );
}

function commentsOf(file: SourceFile): Comment[] {
  const code = withoutLiterals(file);
  const found: Comment[] = [];
  for (const { 0: raw, index } of code.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g)) {
    const last = found.at(-1);
    const text = plainText(file.text.slice(index, index + raw.length));
    const isLine = raw.startsWith('//');
    if (last && isLine && isContinued(file.text, last, index)) {
      found[found.length - 1] = {
        start: last.start,
        end: index + raw.length,
        text: `${last.text} ${text}`,
      };
    } else {
      found.push({ start: index, end: index + raw.length, text });
    }
  }
  return found;
}

/** Whether a line comment stands right below another one, both on lines of their own. */
function isContinued(text: string, { start, end }: Comment, index: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', start) + 1, start);
  return (
    text.startsWith('//', start) &&
    before.trim() === '' &&
    /^\n[ \t]*$/.test(text.slice(end, index))
  );
}

/** The text with strings, templates and regular expressions blanked: `//` is no comment there. */
function withoutLiterals(file: SourceFile): string {
  const units = file.text.split('');
  walk(file.program, (node) => {
    if (node.type !== 'Literal' && node.type !== 'TemplateElement') return;
    units.fill(' ', node.start, node.end);
  });
  return units.join('');
}

function plainText(raw: string): string {
  return raw
    .replace(/^\/\*+|^\/\/|\*\/$/g, '')
    .replaceAll(/\n[ \t]*\*?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Lines of tests over lines of source, blank ones and comments included. */
export function testLinesPerSourceLine(): number {
  return lineCount('test/**/*.ts') / lineCount('src/**/*.ts');
}

function lineCount(pattern: string): number {
  return globSync(pattern, { cwd: ROOT })
    .map((path) => readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1)
    .reduce((sum, lines) => sum + lines, 0);
}
