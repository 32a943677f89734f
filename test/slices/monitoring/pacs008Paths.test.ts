/** No element of any version is lost silently: each has a place in the record, or is kept raw. */
import { describe, expect, test } from 'vitest';
import {
  GROUP_PATHS,
  KEPT_RAW,
  type PathRow,
  TRANSACTION_PATHS,
} from '../../../src/slices/monitoring/pacs008Paths.ts';
import {
  documentType,
  type SchemaType,
  VERSIONS,
} from '../../../src/slices/monitoring/pacs008Schema.ts';

/** Paths of all texts and attributes below a type. */
function* leavesOf(type: SchemaType, path: string): Generator<string> {
  if (type.attribute !== undefined) yield `${path}@${type.attribute.name}`;
  if (type.places === undefined || type.places === 'any') {
    yield path;
    return;
  }
  for (const { names } of type.places) {
    for (const [name, below] of names) yield* leavesOf(below, `${path}/${name}`);
  }
}

const leaves = (version: string): string[] => {
  const type = documentType(version);
  if (type === undefined) throw new Error(version);
  // Without the document and the one element in it.
  return [...leavesOf(type, '')].map((path) => path.split('/').slice(2).join('/'));
};

const below = (element: string, rows: readonly PathRow[]): string[] =>
  rows.map(([path]) => `${element}/${path}`);
const MAPPED = new Set([
  ...below('GrpHdr', GROUP_PATHS),
  ...below('CdtTrfTxInf', TRANSACTION_PATHS),
]);
const isKeptRaw = (path: string): boolean =>
  KEPT_RAW.some((kept) =>
    kept.startsWith('…')
      ? `${path}/`.replace('@', '/').includes(`${kept.slice(1)}/`)
      : `${path}/`.replace('@', '/').startsWith(`${kept}/`),
  );

describe('paths of pacs.008', () => {
  test('there are thirteen versions', () => {
    expect(VERSIONS).toHaveLength(13);
  });

  test.each(VERSIONS)('every element of .%s is mapped, or kept raw by name', (version) => {
    const lost = leaves(version).filter((path) => !MAPPED.has(path) && !isKeptRaw(path));
    expect(lost).toEqual([]);
  });

  test('every row is of some version', () => {
    const known = new Set(
      VERSIONS.flatMap(leaves).flatMap((path) => {
        const steps = path.replace('@', '/@').split('/');
        return steps.map((_, at) =>
          steps
            .slice(0, at + 1)
            .join('/')
            .replace('/@', '@'),
        );
      }),
    );
    const dead = [...MAPPED].filter((path) => !known.has(path) && !isFormOfAll(path));
    expect(dead).toEqual([]);
  });
});

/** Agents and accounts have one list for all versions: some pairs of elements never were. */
const isFormOfAll = (path: string): boolean =>
  path.includes('/FinInstnId/') || path.includes('Acct/Id/');
