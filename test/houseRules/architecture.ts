/** Rules about files and what they import: directions, slice order, cycles, dead files. */
import { fileExists, readSourceFiles, type SourceFile } from './sourceTree.ts';

/** What each folder of src may import, besides itself. Arrows: docs/ARCHITECTURE.md. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  engine: ['platform'],
  core: ['platform'],
  storage: ['platform', 'core'],
  redis: ['platform', 'core'],
  api: ['platform', 'core'],
  workers: ['platform', 'core'],
  cli: ['platform', 'core'],
  supervisor: ['platform', 'core'],
  slices: ['platform', 'core', 'api', 'cli', 'workers', 'storage'],
  // Adapters of slices.
  sources: ['platform', 'core', 'slices'],
  reports: ['platform', 'core', 'slices'],
};

/** Engines that know no slice: neither by an import nor by the name of a file. */
const RUNTIMES: readonly string[] = ['api', 'cli', 'redis', 'storage', 'workers'];
/** What the edge of a slice is seen through; its rules know none of them. */
const EDGE_RUNTIMES: readonly string[] = ['api', 'cli', 'workers'];

/** Read as text, since a rule about regular expressions watches how modules are loaded. */
const textOf = (pattern: string): string =>
  readSourceFiles(pattern)
    .map(({ text }) => text)
    .join('\n');

const SLICES: readonly string[] = (
  /SLICES = \[([^\]]*)\]/.exec(textOf('src/app/slices.ts'))?.[1] ?? ''
)
  .split(',')
  .map((name) => name.trim())
  .filter((name) => name !== '');
const TABLES: readonly string[] = [
  ...textOf('src/{core,slices}/*/tables.ts').matchAll(/table<[^(]*\('(\w+)'/g),
].map(([, name = '']) => name);

/** A part uses those to its left, and answers to the right by events. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  core: ['kernel', 'conditions', 'audit', 'identity', 'privacy', 'blobs', 'work', 'reactions'],
  slices: SLICES,
};

const singular = (word: string): string => word.toLowerCase().replace(/(?<=ch)es$|(?<!s)s$/, '');

/** Words of tables and slices that runtimes use in a sense of their own. */
const COMMON_WORDS: ReadonlySet<string> = new Set([
  ...['api', 'audit', 'document', 'file', 'form', 'intake', 'key', 'part', 'request'],
  ...['transaction', 'version'],
]);
/** What slices talk about, in the singular: their names, their tables', and nouns beside them. */
const NOUNS: ReadonlySet<string> = new Set(
  [
    ...SLICES,
    ...TABLES.flatMap((name) => name.split('_')),
    ...['cohort', 'entity', 'hit', 'snapshot', 'subject'],
  ]
    .map(singular)
    .filter((word) => !COMMON_WORDS.has(word)),
);

/** Composition roots: they see every folder, and nothing else imports them. */
const isRoot = (path: string): boolean => /^src\/(app\/.+|main)\.ts$/.test(path);
const isEntry = (path: string): boolean => path.endsWith('/main.ts');
const folderOf = (path: string): string => path.split('/')[1] ?? '';
/** For a file of core or of slices: the part in whose order it stands. */
const partOf = (path: string): string => path.split('/')[2] ?? '';
const isEdge = (path: string): boolean => /^src\/slices\/\w+\/edge\//.test(path);
/** How slices register, and what processes offer them: files that no slice owns. */
const isRegistration = (path: string): boolean => /^src\/slices\/\w+\.ts$/.test(path);
const isRules = (path: string): boolean =>
  folderOf(path) === 'slices' &&
  !isRegistration(path) &&
  !isEdge(path) &&
  !path.endsWith('/slice.ts');

export function directionViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap(wrongArrows);
}

function wrongArrows(file: SourceFile): string[] {
  return file.imports.flatMap(({ isType, line, target }) => {
    if (target === undefined) return [];
    const reason = directionReason(file.path, target, isType);
    return reason === undefined ? [] : [`${file.path}:${line} ${reason}`];
  });
}

export function directionReason(from: string, to: string, isType = false): string | undefined {
  if (!to.startsWith('src/')) {
    return /^(config|package\.json)/.test(to)
      ? undefined
      : `imports ${to}, which is not product code`;
  }
  if (isRoot(to) && !isRoot(from))
    return `imports ${to}: take what you need as an argument instead`;
  if (isRoot(from)) return undefined;
  const [folder, target] = [folderOf(from), folderOf(to)];
  if (folder !== target && !MAY_IMPORT[folder]?.includes(target)) {
    return RUNTIMES.includes(folder) && target === 'slices'
      ? `${folder} is a runtime and must not import a slice: declare what it needs in ${folder}, ` +
          'and let the slice hand it in'
      : `${folder} must not import ${target}: declare a port and wire it in src/app`;
  }
  if (folder === 'slices' && target === 'storage' && !isType) {
    return 'imports storage: a slice may take its types alone (import type)';
  }
  if (isRules(from) && EDGE_RUNTIMES.includes(target)) {
    return `the rules of a slice must not import ${target}: what it sees of them belongs in edge/`;
  }
  if (isRegistration(to)) {
    return isRules(from)
      ? `the rules of a slice must not import ${to}: take what you need as an argument instead`
      : undefined;
  }
  return target in ORDER ? partReason(from, to) : undefined;
}

function partReason(from: string, to: string): string | undefined {
  const [folder, part] = [folderOf(to), partOf(to)];
  const isInside = folderOf(from) === folder && partOf(from) === part;
  if (isEdge(to) && !(isInside && !isRules(from))) {
    return isInside
      ? `the rules of ${part} must not import its edge: move what both need beside the rules`
      : `imports ${to}: an edge is loaded by slices/${part}/slice.ts alone; what others need of ` +
          `it belongs in '#slices/${part}'`;
  }
  if (isInside) return undefined;
  if (!to.endsWith('/index.ts') && !isSideSurface(from, to)) {
    return `imports ${to}: import the surface, '#${folder}/${part}', and export it there`;
  }
  if (folderOf(from) !== folder) return undefined;
  const [left, right] = [partOf(from), part].map((name) => ORDER[folder]?.indexOf(name) ?? -1);
  if (left === -1 || right === -1) {
    return `a part of ${folder} is missing in ORDER: ${partOf(from)}, ${part}`;
  }
  return (right ?? 0) < (left ?? 0)
    ? undefined
    : `${partOf(from)} must not import ${part}, which stands to its right: declare a port in ` +
        `${partOf(from)}/ports.ts, or answer by an event`;
}

/**
 * Surfaces beside the index, which would load too much: words on the wire for edges, and what a
 * slice asks for the registration of those that ask the same.
 */
const isSideSurface = (from: string, to: string): boolean =>
  (isEdge(from) && /^src\/slices\/\w+\/schemas\.ts$/.test(to)) ||
  (from.endsWith('/slice.ts') && /^src\/slices\/\w+\/asks\.ts$/.test(to));

/** A slice's noun in the name of a runtime's file. Migrations are named by what they once did. */
export function slicedNames(files: readonly SourceFile[]): string[] {
  return files.flatMap(nounsInName);
}

function nounsInName({ path }: SourceFile): string[] {
  if (!RUNTIMES.includes(folderOf(path)) || path.includes('/migrations/')) return [];
  const noun = wordsOf(path).find((word) => NOUNS.has(word));
  return noun === undefined
    ? []
    : [
        `${path}:1 '${noun}' is a slice's noun: name it by what it does for every slice, ` +
          'or move it to that slice',
      ];
}

/** In the singular and in small letters, those of the folders included. */
const wordsOf = (path: string): string[] =>
  path
    .replace(/^src\/\w+\/|\.ts$/g, '')
    .split(/\/|(?=[A-Z])/)
    .map(singular);

export function missingTargets(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter(({ target }) => target !== undefined && !fileExists(target))
      .map(({ line, specifier }) => `${file.path}:${line} '${specifier}' names no file`),
  );
}

/** Files that no process reaches. A test alone keeps nothing alive. */
export function deadFiles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const alive = new Set(files.map((file) => file.path).filter(isEntry));
  for (const path of alive) {
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target !== undefined && byPath.has(target)) alive.add(target);
    }
  }
  return files
    .filter((file) => !alive.has(file.path))
    .map((file) => `${file.path}:1 is reached from no main.ts: wire it in src/app or delete it`);
}

/** Each cycle once, from its first file by name. Imports of types count: they bind as well. */
export function cycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path);
    if (seenAt !== -1) found.add(rotate(trail.slice(seenAt)).join(' → '));
    if (seenAt !== -1 || done.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target !== undefined && byPath.has(target)) visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const file of files) visit(file.path, []);
  return [...found].map((cycle) => `${cycle} → … is a cycle: move what both need to a third file`);
}

function rotate(ring: readonly string[]): string[] {
  const first = ring.indexOf([...ring].sort()[0] ?? '');
  return [...ring.slice(first), ...ring.slice(0, first)];
}
