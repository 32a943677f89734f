/** Rules about the text of one file: sizes, headers, banned calls with what to write instead. */
import { type Node, nameOf, type SourceFile, walk } from './sourceTree.ts';

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 70;
/** What joins the parts only folds them: a function that grows with every slice is no fold. */
export const WIRING_LINES_MAX = 40;
export const COLUMNS_MAX = 100;

interface BannedCall {
  readonly name: RegExp;
  readonly allowed: (path: string) => boolean;
  readonly instead: string;
}

const inPlatform = (path: string): boolean => path.startsWith('src/platform/');
const isMain = (path: string): boolean => /^src\/(app\/\w+\/)?main\.ts$/.test(path);

const BANNED_CALLS: readonly BannedCall[] = [
  {
    name: /^(Date\.now|performance\.now|process\.hrtime(\.bigint)?)$/,
    allowed: inPlatform,
    instead: "take a Clock ('#platform/clock') as an argument",
  },
  {
    name: /^(Math\.random|randomUUID|randomBytes|randomInt|crypto\.(randomUUID|randomBytes))$/,
    allowed: inPlatform,
    instead: "take a Random ('#platform/random') as an argument",
  },
  {
    name: /^console\.\w+$/,
    allowed: (path) => path.startsWith('src/cli/') || isMain(path),
    instead: "take a Log ('#platform/log') as an argument",
  },
  {
    name: /^process\.exit$/,
    allowed: isMain,
    instead: 'return, or throw: only a main.ts ends the process',
  },
  { name: /^(eval|Function)$/, allowed: () => false, instead: 'write the code out' },
];

export function bannedCalls(file: SourceFile): string[] {
  const found: string[] = [];
  walk(file.program, (node) => {
    const at = `${file.path}:${file.lineOf(node.start)}`;
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const name = nameOf(node.callee) ?? '';
      const banned = BANNED_CALLS.find((rule) => rule.name.test(name) && !rule.allowed(file.path));
      if (banned) found.push(`${at} ${name}(): ${banned.instead}`);
      const bare = name === 'Date' && (node.arguments as unknown[]).length === 0;
      if (bare && !inPlatform(file.path))
        found.push(`${at} new Date(): take a Clock as an argument`);
    }
    if (nameOf(node) === 'process.env' && !inPlatform(file.path) && !isMain(file.path)) {
      found.push(
        `${at} process.env: take the value from Config ('#platform/config') as an argument`,
      );
    }
  });
  return found;
}

/** Names that stand for something a stranger must not learn byte by byte (ASVS 11.2.4). */
const SECRET_NAME = /(secret|signature|hmac|password|apiKey|credential|[a-z]Token|^hash|keyHash)$/;
/** Where secrets live. The engine's hashes are of words, and public. */
const SECRET_FOLDERS =
  /^src\/(api|app|cli|core\/\w+|platform|redis|slices\/\w+\/edge|storage|workers)\//;

export function secretComparisons(file: SourceFile): string[] {
  if (!SECRET_FOLDERS.test(file.path)) return [];
  const found: string[] = [];
  walk(file.program, (node) => {
    if (node.type !== 'BinaryExpression' || !/^[!=]==?$/.test(String(node.operator))) return;
    const sides = [node.left, node.right] as Node[];
    if (sides.some((side) => side.type === 'Literal' || nameOf(side) === 'undefined')) return;
    const secret = sides.map((side) => nameOf(side)?.split('.').at(-1) ?? '').find(isSecret);
    if (secret !== undefined) {
      const at = `${file.path}:${file.lineOf(node.start)}`;
      found.push(`${at} ${secret} compared by ${node.operator}: use constantTimeEqual`);
    }
  });
  return found;
}

const isSecret = (name: string): boolean => SECRET_NAME.test(name);

export function typeEscapes(file: SourceFile): string[] {
  const found: string[] = [];
  walk(file.program, (node) => {
    const at = `${file.path}:${file.lineOf(node.start)}`;
    if (node.type === 'TSAnyKeyword') found.push(`${at} any: use unknown, and narrow it`);
    if (node.type === 'TSNonNullExpression') {
      found.push(`${at} postfix !: assert from node:assert/strict, which also says what broke`);
    }
    if (node.type === 'ExportDefaultDeclaration') {
      found.push(`${at} default export: export it by name`);
    }
    if (node.type === 'CatchClause' && ((node.body as Node).body as Node[]).length === 0) {
      found.push(`${at} empty catch: handle what is expected and throw the rest`);
    }
  });
  return found;
}

export function sizes(file: SourceFile): string[] {
  const found: string[] = [];
  const lineCount = file.lines.length - 1;
  if (lineCount > FILE_LINES_MAX) {
    found.push(`${file.path}:${FILE_LINES_MAX} has ${lineCount} lines: split it along a noun`);
  }
  for (const [index, line] of file.lines.entries()) {
    if ([...line].length > COLUMNS_MAX) {
      found.push(`${file.path}:${index + 1} is wider than ${COLUMNS_MAX} columns: break it`);
    }
  }
  return found;
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

export function longFunctions(file: SourceFile): string[] {
  const isWiring = file.path.startsWith('src/app/');
  const mend = isWiring
    ? 'let the slice build its own parts in its edge, and fold over SLICES here'
    : 'keep its control flow, move the leaves out';
  return functionLengths(file)
    .filter(({ lineCount }) => lineCount > (isWiring ? WIRING_LINES_MAX : FUNCTION_LINES_MAX))
    .map(
      ({ line, lineCount }) => `${file.path}:${line} is a function of ${lineCount} lines: ${mend}`,
    );
}

/** Counted whole: a factory with long closures is split as well. */
function functionLengths(file: SourceFile): { line: number; lineCount: number }[] {
  const found: { line: number; lineCount: number }[] = [];
  walk(file.program, (node) => {
    if (!FUNCTIONS.includes(node.type)) return;
    const line = file.lineOf(node.start);
    found.push({ line, lineCount: file.lineOf(node.end) - line + 1 });
  });
  return found;
}

export function headers(file: SourceFile): string[] {
  return /^(#!.*\n)?(\/\*\*|\/\/)/.test(file.text)
    ? []
    : [`${file.path}:1 opens without a comment: say what it is, why so, and what it may assume`];
}

const UNFINISHED = new RegExp(
  `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`,
);

export function unfinished(file: SourceFile): string[] {
  return file.lines.flatMap((line, index) =>
    UNFINISHED.test(line)
      ? [`${file.path}:${index + 1} is unfinished: do it, or open an issue`]
      : [],
  );
}

export function fileNames(file: SourceFile): string[] {
  const name = file.path.split('/').at(-1) ?? '';
  const found: string[] = [];
  if (!/^[a-z][a-zA-Z0-9]*(\.test|\.d)?\.ts$/.test(name)) {
    found.push(`${file.path}:1 is not named in camelCase`);
  }
  const banned = file.path
    .split('/')
    .find((part) => /^(utils?|helpers?|common|services?|misc)(\.ts)?$/.test(part));
  if (banned !== undefined) {
    found.push(`${file.path}:1 '${banned}' says nothing: name it by what it does`);
  }
  if (!isPlaced(file.path)) {
    found.push(
      `${file.path}:1 lies too deep: three folders under src at the most, under app one, and in ` +
        'a slice its rules flat beside edge/',
    );
  }
  return found;
}

function isPlaced(path: string): boolean {
  if (path.startsWith('src/slices/')) return /^src\/slices\/(\w+\/(edge\/)?)?[\w.]+$/.test(path);
  if (path.startsWith('src/core/')) return /^src\/core\/\w+\/[\w.]+$/.test(path);
  if (path.startsWith('src/app/')) return /^src\/app\/(\w+\/)?[\w.]+$/.test(path);
  return path.split('/').length <= 5;
}

/** `import … from './x'` runs unbuilt only with its ending, and a wrong arrow hides in `..`. */
export function specifiers(file: SourceFile): string[] {
  return file.imports.flatMap(({ line, specifier }) => {
    const at = `${file.path}:${line} '${specifier}'`;
    if (specifier.startsWith('.') && !/\.(ts|json|mjs)$/.test(specifier)) {
      return [`${at}: write the file's ending, Node resolves nothing by itself`];
    }
    return [];
  });
}
