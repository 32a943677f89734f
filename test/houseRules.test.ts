/**
 * The house rules that a machine can check (CONTRIBUTING.md lists them). Every failure names the
 * file, the line, and what to write instead.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  cycles,
  deadFiles,
  directionReason,
  directionViolations,
  missingTargets,
  slicedNames,
} from './houseRules/architecture.ts';
import {
  bannedCalls,
  fileNames,
  headers,
  longFunctions,
  secretComparisons,
  sizes,
  specifiers,
  typeEscapes,
  unfinished,
} from './houseRules/code.ts';
import {
  lostFiles,
  oddComments,
  testLinesPerSourceLine,
  undocumentedExports,
} from './houseRules/documentation.ts';
import { lostPaths, misplacedTests, readDocuments } from './houseRules/places.ts';
import { slowBuiltRegexes, slowRegexes } from './houseRules/regexes.ts';
import { slowWord } from './houseRules/regexTime.ts';
import { parseSource, ROOT, readSourceFiles, type SourceFile } from './houseRules/sourceTree.ts';

const source = readSourceFiles('src/**/*.ts');
const all = [
  ...source,
  ...['test', 'bench', 'scripts'].flatMap((f) => readSourceFiles(`${f}/**/*.ts`)),
];

const tests = all.filter(({ path }) => path.endsWith('.test.ts'));

const each = (files: readonly SourceFile[], rule: (file: SourceFile) => string[]): string[] =>
  files.flatMap(rule);

describe('house rules: architecture', () => {
  test('imports follow the arrows', () => {
    expect(directionViolations(source)).toEqual([]);
  });

  test("no file of a runtime is named by a slice's noun", () => {
    expect(slicedNames(source)).toEqual([]);
  });

  test('every import names a file', () => {
    expect(missingTargets(all)).toEqual([]);
  });

  test('there are no import cycles', () => {
    expect(cycles(all)).toEqual([]);
  });

  test('every file is reached from a composition root', () => {
    expect(deadFiles(source)).toEqual([]);
  });

  test("a test lies at its source's path, or is a scenario of its slice", () => {
    expect(misplacedTests(tests, source)).toEqual([]);
  });

  test('file names are camelCase nouns, at most three folders deep', () => {
    expect(each(source, fileNames)).toEqual([]);
  });
});

describe('house rules: code', () => {
  test('files and lines keep their size', () => {
    expect(each(all, sizes)).toEqual([]);
  });

  test('functions keep their size', () => {
    expect(each(source, longFunctions)).toEqual([]);
  });

  test('every source file opens by saying what it is', () => {
    expect(each(all, headers)).toEqual([]);
  });

  test('time, randomness, environment and console come in as arguments', () => {
    expect(each(source, bannedCalls)).toEqual([]);
  });

  test('secrets are compared in constant time', () => {
    expect(each(source, secretComparisons)).toEqual([]);
  });

  test('the type system has no holes', () => {
    expect(each(source, typeEscapes)).toEqual([]);
  });

  test('imports carry their ending', () => {
    expect(each(all, specifiers)).toEqual([]);
  });

  test('regular expressions take linear time', async () => {
    expect(each(source, slowRegexes)).toEqual([]);
    expect(await slowBuiltRegexes(source)).toEqual([]);
  });

  test('nothing is left unfinished', () => {
    expect(each(all, unfinished)).toEqual([]);
  });
});

describe('house rules: documentation', () => {
  test('every export of the engine and of a tables.ts has a JSDoc comment', () => {
    expect(each(source, undocumentedExports)).toEqual([]);
  });

  test('comments begin with their subject', () => {
    expect(each(source, oddComments)).toEqual([]);
  });

  test('a file that a comment names is there', () => {
    const known = new Set(
      globSync('{src,test,bench,scripts,packages}/**/*.{ts,mjs,cjs}', { cwd: ROOT }).map((path) =>
        basename(path),
      ),
    );
    expect(each(all, (file) => lostFiles(file, known))).toEqual([]);
  });

  test('documents name files that there are', () => {
    expect(readDocuments().flatMap((document) => lostPaths(document))).toEqual([]);
  });

  test('test lines over source lines are printed, goal 1', () => {
    const ratio = testLinesPerSourceLine();
    console.log(`test lines over source lines: ${ratio.toFixed(2)} (goal 1)`);
    expect(Number.isFinite(ratio)).toBe(true);
    expect(ratio).toBeGreaterThan(0.5);
  });
});

describe('house rules: lockfile', () => {
  test('npm ci finds an entry for every platform, or run scripts/completeLockfile.mjs', () => {
    const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(lockfile.packages).flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) =>
          !(`node_modules/${name}` in lockfile.packages) &&
          !(`${path}/node_modules/${name}` in lockfile.packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('every package for the systems that are tested has its digest', () => {
    interface Entry {
      readonly integrity?: string;
      readonly version?: string;
      readonly os?: readonly string[];
      readonly cpu?: readonly string[];
    }
    const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Entry>;
    };
    const isTested = (path: string, { cpu = ['x64'], os = ['linux'] }: Entry) =>
      os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64')) && !/musl/.test(path);
    const without = Object.entries(lockfile.packages)
      .filter(
        ([path, entry]) => path !== '' && entry.version !== undefined && isTested(path, entry),
      )
      .filter(([, { integrity }]) => integrity === undefined)
      .map(([path]) => path);
    expect(without).toEqual([]);
  });
});

describe('the rules bite', () => {
  const parse = (text: string, path = 'src/api/example.ts'): SourceFile => parseSource(path, text);

  test.each([
    ['src/platform/a.ts', 'src/core/kernel/index.ts', 'platform must not import core'],
    ['src/engine/a.ts', 'src/core/kernel/index.ts', 'engine must not import core'],
    ['src/api/a.ts', 'src/storage/index.ts', 'api must not import storage'],
    ['src/cli/a.ts', 'src/app/gateway/openGateway.ts', 'take what you need as an argument'],
    ['src/core/audit/a.ts', 'src/slices/lists/index.ts', 'core must not import slices'],
    ['src/core/kernel/a.ts', 'src/core/audit/index.ts', 'stands to its right'],
    ['src/slices/lists/a.ts', 'src/slices/ingestion/index.ts', 'stands to its right'],
    ['src/api/a.ts', 'src/slices/lists/index.ts', 'is a runtime'],
    ['src/api/a.ts', 'src/core/audit/chain.ts', "'#core/audit'"],
    ['src/reports/a.ts', 'src/slices/batches/batch.ts', "'#slices/batches'"],
    ['src/slices/lists/a.ts', 'src/slices/lists/edge/b.ts', 'must not import its edge'],
    ['src/slices/lists/a.ts', 'src/api/operation.ts', 'belongs in edge/'],
    ['src/slices/batches/edge/a.ts', 'src/slices/lists/edge/b.ts', 'slice.ts alone'],
    ['src/slices/batches/a.ts', 'src/slices/screening/schemas.ts', "'#slices/screening'"],
    ['src/slices/screening/slice.ts', 'src/slices/batches/asks.ts', 'stands to its right'],
    ['src/slices/batches/a.ts', 'src/storage/storage.ts', 'import type'],
    ['src/slices/lists/a.ts', 'src/slices/processes.ts', 'as an argument'],
  ])('%s may not import %s', (from, to, reason) => {
    expect(directionReason(from, to)).toContain(reason);
  });

  test.each([
    ['src/main.ts', 'src/storage/index.ts'],
    ['src/app/gateway/main.ts', 'src/redis/index.ts'],
    ['src/app/worker/main.ts', 'src/slices/batches/edge/jobs.ts'],
    ['src/slices/screening/a.ts', 'src/slices/lists/index.ts'],
    ['src/slices/lists/edge/a.ts', 'src/slices/lists/edge/b.ts'],
    ['src/slices/lists/slice.ts', 'src/slices/lists/edge/b.ts'],
    ['src/slices/lists/edge/a.ts', 'src/api/operation.ts'],
    ['src/slices/lists/edge/a.ts', 'src/slices/processes.ts'],
    ['src/slices/lists/slice.ts', 'src/slices/slice.ts'],
    ['src/slices/batches/slice.ts', 'src/slices/screening/asks.ts'],
    ['src/slices/batches/edge/a.ts', 'src/slices/screening/schemas.ts'],
    ['src/slices/processes.ts', 'src/api/operation.ts'],
    ['src/storage/sqlite/a.ts', 'src/core/audit/index.ts'],
  ])('%s may import %s', (from, to) => {
    expect(directionReason(from, to)).toBeUndefined();
  });

  test("a slice's noun is found in a runtime's file name, a migration keeps its own", () => {
    const named = (path: string): string[] => slicedNames([parse('', path)]);
    expect(named('src/api/batchReplies.ts').join()).toContain("'batch'");
    expect(named('src/workers/allBatches.ts').join()).toContain("'batch'");
    expect(named('src/storage/sqlite/migrations/m0002Runs.ts')).toEqual([]);
    expect(named('src/api/blobReply.ts')).toEqual([]);
  });

  test.each([
    ['src/slices/lists/deep/a.ts', 1],
    ['src/app/gateway/deep/a.ts', 1],
    ['src/slices/lists/edge/a.ts', 0],
    ['src/app/gateway/a.ts', 0],
  ])('%s is placed wrongly %i times', (path, times) => {
    expect(fileNames(parse('', path))).toHaveLength(times);
  });

  test.each([
    ['test/core/audit/chain.test.ts', ''],
    ['test/slices/lists/shrunk.test.ts', ''],
    ['test/storage/sqlite/crashes.test.ts', ''],
    ['test/e2e/anything.test.ts', ''],
    ['test/slices/lists/edge/shrunk.test.ts', 'test/slices/lists/shrunk.test.ts'],
    ['test/nowhere/shrunk.test.ts', 'no folder of src'],
    ['test/core/chain.test.ts', 'move it to test/core/audit/chain.test.ts'],
  ])('%s lies where it should, or is told %j', (path, mend) => {
    const up = '../'.repeat(path.split('/').length - 1);
    const test = parse(`import '${up}src/core/audit/chain.ts';`, path);
    const found = misplacedTests(
      [test],
      [
        { path: 'src/core/audit/chain.ts' },
        { path: 'src/slices/lists/edge/jobs.ts' },
        { path: 'src/storage/sqlite/open.ts' },
      ],
    );
    expect(found).toHaveLength(mend === '' ? 0 : 1);
    expect(found.join()).toContain(mend);
  });

  test('a path that a document names is looked for, a pattern is not', () => {
    const text = 'See `src/a.ts`, `src/slices/<slice>/b.ts`, `npm test` and [c](c.md#d).';
    const lost = lostPaths({ path: 'docs/x.md', text }, () => false);
    expect(lost).toHaveLength(2);
    expect(lost.join()).toContain("docs/x.md:1 'src/a.ts' names no file");
    expect(lost.join()).toContain("'docs/c.md'");
  });

  test.each([
    ['Date.now()', 'Clock'],
    ['new Date()', 'Clock'],
    ['Math.random()', 'Random'],
    ['console.log(1)', 'Log'],
    ['process.env.HOME', 'Config'],
    ['process.exit(1)', 'main.ts'],
  ])('%s is refused with its replacement', (code, instead) => {
    expect(bannedCalls(parse(`/** x */\nexport const a = ${code};\n`)).join()).toContain(instead);
  });

  test('a secret compared by === is refused, a comparison with a literal is not', () => {
    expect(secretComparisons(parse('export const f = (a, hash) => a.hash === hash;'))).toHaveLength(
      1,
    );
    expect(secretComparisons(parse('export const f = (hash) => hash === undefined;'))).toEqual([]);
  });

  test.each([
    ...['\\s+$', '[\\s,]+x', '\\s*(?:;|\\n)\\s*', 'IMO\\s*(?:No)?\\s*:', '^\\d+ ?,?\\d*$', 'a.*b'],
    ...['^(a+)+$', '^(?:a|a)*$', '(a*)*b', '^(\\w+\\s?)*$', '^(?:(?:x?|y?)a)*$', '(\\d+)\\1'],
    ...['\\b(?:very )*good', '(?=.*a)b', '(?<=a.*)b', '\\s{0,5000}x'],
  ])('/%s/ is refused as slow', (pattern) => {
    expect(slowWord(pattern, '')).toBeDefined();
    expect(slowRegexes(parse(`/** x */\nexport const a = /${pattern}/;\n`))).toHaveLength(1);
  });

  test.each([
    ...['\\s+', '^\\s+x', '\\bword\\s*$', '\\s{0,8}x', '^(?:a|ab)(?:c|d)*$', '^[\\w.]+@[\\w.]+$'],
    ...[
      '^([a-z]([a-z-]{0,61}[a-z])?\\.)+[a-z]$',
      '\\.(?=\\s+\\p{Lu}|\\s*$)',
      '\\([^()]*\\)',
      'a[^;]*',
    ],
  ])('/%s/ takes linear time', (pattern) => {
    expect(slowWord(pattern, 'u')).toBeUndefined();
  });

  test('any, postfix ! and empty catch are refused', () => {
    const file = parse('export function f(a: any) { try { a!.b(); } catch {} }');
    expect(typeEscapes(file)).toHaveLength(3);
  });

  test('a function of 71 lines is refused', () => {
    const body = '  a();\n'.repeat(69);
    expect(longFunctions(parse(`function f() {\n${body}}\n`))).toHaveLength(1);
    expect(longFunctions(parse(`function f() {\n${body.slice(7)}}\n`))).toHaveLength(0);
  });

  test('a function of 41 lines is refused where parts are joined', () => {
    const text = (lines: number) => `function f() {\n${'  a();\n'.repeat(lines - 2)}}\n`;
    const found = longFunctions(parse(text(41), 'src/app/example.ts'));
    expect(found.join()).toContain('fold over SLICES');
    expect(longFunctions(parse(text(40), 'src/app/example.ts'))).toEqual([]);
  });

  test.each([
    'export const a = 1;',
    'export let a = 1;',
    'export function a() {}',
    'export async function a() {}',
    'export class a {}',
    'export type a = 1;',
    'export interface a { b: 1 }',
    'export const { a } = b;',
    'const a = 1;\nexport { a };',
    '// Not JSDoc.\nexport const a = 1;',
    '/** */\nexport const a = 1;',
    '/** Of the next line. */\nconst b = 1;\nexport const a = b;',
  ])('%j lacks its JSDoc', (code) => {
    const found = undocumentedExports(parse(code, 'src/engine/example.ts'));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(' a has no JSDoc');
    expect(undocumentedExports(parse(code, 'src/slices/audit/tables.ts'))).toHaveLength(1);
    expect(undocumentedExports(parse(code, 'src/api/example.ts'))).toEqual([]);
  });

  test.each([
    '/** Says it. */\nexport const a = 1;',
    '/** Says it. */\nexport interface A { b: 1 }',
    '/** Says it. */\nexport function a(b: 1): 1;\nexport function a(b: number) { return b; }',
    '/** Says it. */\nconst a = 1;\nexport { a };',
    "export { a } from './b.ts';\nexport * from './c.ts';",
    'const a = 1;',
  ])('%j needs no other JSDoc', (code) => {
    expect(undocumentedExports(parse(code, 'src/engine/example.ts'))).toEqual([]);
  });

  test.each([
    '/** Of one unit. */',
    '// Whoever waits hears of it.',
    '/* Whatever comes. */',
    "/** Nobody's buffer. */",
    '/**\n * Held elsewhere, but held\n * to the vectors.\n */',
    '// It is weather.',
    'a(); // Of a line with code',
  ])('%j is refused as odd', (comment) => {
    const file = parse(`\n${comment}\n`, 'src/engine/example.ts');
    expect(oddComments(file)).toEqual([expect.stringMatching(/:2 .*subject first/)]);
    expect(oddComments(parse(comment, 'bench/example.ts'))).toEqual([]);
    const split = parse(
      '\n/** Milliseconds of rest, */\nconst a = 1;\n/** and of work. */\nconst b = 2;',
      'src/example.ts',
    );
    expect(oddComments(split)).toEqual([
      expect.stringMatching(/:2 .*a whole sentence/),
      expect.stringMatching(/:4 'and'/),
    ]);
  });

  test('a comment that names a file which is nowhere is found, a pattern is none', () => {
    const file = parse('// As gone.ts does.\n// See here.ts and <publisher>.ts.\n', 'src/a.ts');
    expect(lostFiles(file, new Set(['here.ts']))).toEqual([expect.stringContaining("'gone.ts'")]);
  });

  test.each([
    '// Often, and nobody knows why,\n// Of course a second line may begin so.',
    "const a = '// Of a string', b = `// Of a template`;",
    'const a = /\\/\\/ Of a regex/;',
    '// The whole is withheld today.',
  ])('%j reads well', (code) => {
    expect(oddComments(parse(code, 'src/engine/example.ts'))).toEqual([]);
  });
});
