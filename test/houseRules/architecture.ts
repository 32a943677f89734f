/** Rules about files and what they import: directions, slice order, cycles, dead files. */
import { fileExists, type SourceFile } from './sourceTree.ts';

/** What each folder of src may import, besides itself. Arrows: docs/ARCHITECTURE.md. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  engine: ['platform'],
  domain: ['platform'],
  storage: ['platform', 'domain'],
  sources: ['platform', 'domain'],
  redis: ['platform', 'domain'],
  reports: ['platform', 'domain'],
  api: ['platform', 'domain'],
  workers: ['platform', 'domain'],
  cli: ['platform', 'domain'],
  supervisor: ['platform', 'domain'],
};

/** A slice imports only to its left, and answers to the right by events. */
const SLICES: readonly string[] = [
  'kernel',
  'identity',
  'audit',
  'privacy',
  'forms',
  'lists',
  'resolution',
  'sanctions',
  'screening',
  'risk',
  'kyc',
  'aml',
  'tcr',
  'webhooks',
];

/** Composition roots: they see every folder, and nothing else imports them. */
const isRoot = (path: string): boolean => /^src\/(app\/\w+|(\w+\/)?main)\.ts$/.test(path);
const isEntry = (path: string): boolean => path.endsWith('/main.ts');
const folderOf = (path: string): string => path.split('/')[1] ?? '';
const sliceOf = (path: string): string => path.split('/')[2] ?? '';

export function directionViolations(files: readonly SourceFile[]): string[] {
  const found: string[] = [];
  for (const file of files) {
    for (const { line, target } of file.imports) {
      if (target === undefined) continue;
      const reason = directionReason(file.path, target);
      if (reason !== undefined) found.push(`${file.path}:${line} ${reason}`);
    }
  }
  return found;
}

export function directionReason(from: string, to: string): string | undefined {
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
    return `${folder} must not import ${target}: declare a port and wire it in src/app`;
  }
  return target === 'domain' ? sliceReason(from, to) : undefined;
}

function sliceReason(from: string, to: string): string | undefined {
  const slice = sliceOf(to);
  if (folderOf(from) === 'domain' && sliceOf(from) === slice) return undefined;
  if (!to.endsWith('/index.ts')) {
    return `imports ${to}: import the slice's surface, '#domain/${slice}', and export it there`;
  }
  if (folderOf(from) !== 'domain') return undefined;
  const [left, right] = [sliceOf(from), slice].map((name) => SLICES.indexOf(name));
  if (left === -1 || right === -1)
    return `a slice is missing in SLICES: ${sliceOf(from)}, ${slice}`;
  return (right ?? 0) < (left ?? 0)
    ? undefined
    : `${sliceOf(from)} must not import ${slice}, which stands to its right: declare a port in ` +
        `${sliceOf(from)}/ports.ts, or answer by an event`;
}

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
