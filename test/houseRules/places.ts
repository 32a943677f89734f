/** Rules about where things lie: tests beside what they test, and paths that documents name. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT, type SourceFile } from './sourceTree.ts';

/** Folders of tests that are about the whole product, or about what is no source. */
const WHOLE: readonly string[] = ['bench', 'docker', 'e2e', 'scripts'];
const SCENARIO = /^test\/slices\/\w+\/\w+\.test\.ts$/;

/** A test lies at its source's path; a scenario lies in the folder of what it is about. */
export function misplacedTests(
  tests: readonly SourceFile[],
  sources: readonly Pick<SourceFile, 'path'>[],
): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  const folders = new Set([...paths].flatMap(foldersOf));
  return tests.flatMap((test) => {
    const mend = mendOf(test, { folders, paths });
    return mend === undefined ? [] : [`${test.path}:1 ${mend}`];
  });
}

interface Sources {
  readonly paths: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

function mendOf(test: SourceFile, { folders, paths }: Sources): string | undefined {
  const { path } = test;
  const source = path.replace(/^test/, 'src').replace(/\.test\.ts$/, '.ts');
  if (paths.has(source) || isWhole(path)) return undefined;
  const own = namesake(test, paths);
  if (own !== undefined) {
    return `tests ${own}: move it to ${own.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')}`;
  }
  if (path.startsWith('test/slices/')) {
    return SCENARIO.test(path)
      ? undefined
      : `names no source: name it by the file that it tests, or move it to ${scenarioOf(path)}`;
  }
  // The tests of a file with many of them have a folder of its name.
  const folder = posix.dirname(source);
  return folders.has(folder) || paths.has(`${folder}.ts`)
    ? undefined
    : `lies in no folder of src: move it to test/slices/<slice>/, or to what it is about`;
}

const isWhole = (path: string): boolean => {
  const [, folder = '', file] = path.split('/');
  return file === undefined || WHOLE.includes(folder);
};

/** The one source of the test's name that it imports, somewhere else. */
function namesake({ imports, path }: SourceFile, paths: ReadonlySet<string>): string | undefined {
  const name = posix.basename(path).replace('.test.ts', '.ts');
  return imports
    .map(({ target }) => target)
    .find((target) => target !== undefined && paths.has(target) && nameIs(target, name));
}

const nameIs = (path: string, name: string): boolean => posix.basename(path) === name;

const scenarioOf = (path: string): string => {
  const [test, slices, slice = '<slice>'] = path.split('/');
  return `${test}/${slices}/${slice}/${posix.basename(path)}`;
};

const foldersOf = (path: string): string[] => {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
};

/** A document as it is read for its paths. */
export interface Document {
  /** From the root. */
  readonly path: string;
  readonly text: string;
}

/** What tells people their way. A changelog names what was. */
export const readDocuments = (): Document[] =>
  globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const IN_TICKS =
  /`((?:src|test|docs|bench|scripts|config|docker)(?:\/[^`\s]*)?|\w+\.(?:md|json))`/g;
const LINK = /\]\(([^)#:\s]+)(?:#[^)]*)?\)/g;

/** Paths between backticks, from the root, and links to files, which name nothing. */
export function lostPaths(
  { path, text }: Document,
  exists: (path: string) => boolean = (named) => existsSync(join(ROOT, named)),
): string[] {
  return text.split('\n').flatMap((line, index) => {
    const ticked = [...line.matchAll(IN_TICKS)].map(([, named = '']) => named).filter(isPath);
    const linked = [...line.matchAll(LINK)].map(([, named = '']) => join(dirname(path), named));
    return [...ticked, ...linked]
      .filter((named) => !exists(named))
      .map((named) => `${path}:${index + 1} '${named}' names no file: write where it lies now`);
  });
}

/** Patterns and names to be filled in are none. */
const isPath = (named: string): boolean => named.includes('/') && !/[<>*{}…]/.test(named);
