/**
 * The public data that re-ranker 2 is made from, in the folder that TEST_DATA_DIR names (its
 * SOURCES.md has origins and licences). Nothing of it ships but what the tables count.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWholeList } from '#slices/ingestion';
import type { CountryTable, ListEntity } from '#slices/lists';
import countries from '../../config/tables/countries.json' with { type: 'json' };
import { createListReaders } from '../../src/sources/index.ts';

const TEXT_BYTES_MAX = 1 << 29;

/** Published lists by source. */
export const LISTS = {
  EU_CFSP: 'lists/eu/xmlFullSanctionsList_1_1_2022-03-18_first1044.xml.xz',
  HMT_OFSI: 'lists/uk/ConList_2020-04-27.csv.xz',
  OFAC_SDN: 'lists/ofac/sdn_2024-07-02_DERIVED_from_csv.xml.xz',
  UN_SC: 'lists/un/consolidated_2025-04-19.xml.xz',
} as const;

/** A source that LISTS has. */
export type ListSource = keyof typeof LISTS;

function root(): string {
  const folder = process.env.TEST_DATA_DIR;
  assert(folder !== undefined, 'TEST_DATA_DIR: expected the folder of the data');
  return folder;
}

/** The bytes of a file of the data, unpacked. */
export function bytesOf(path: string): Buffer {
  const file = join(root(), path);
  if (!path.endsWith('.xz')) return readFileSync(file);
  return execFileSync('xz', ['-dc', file], { maxBuffer: TEXT_BYTES_MAX });
}

/** The lines of a text file of the data, without the empty ones. */
export function linesOf(path: string): string[] {
  return bytesOf(path)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '');
}

/** Splits a line of a CSV without line breaks in its fields. */
export function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === '"' && isQuoted && line.charAt(at + 1) === '"') {
      field += '"';
      at += 1;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === ',' && !isQuoted) {
      fields.push(field);
      field = '';
    } else field += char;
  }
  return [...fields, field];
}

const read = new Map<ListSource, readonly ListEntity[]>();

/** The entities of a published list, read as the product reads them. */
export async function entitiesOf(source: ListSource): Promise<readonly ListEntity[]> {
  const known = read.get(source);
  if (known !== undefined) return known;
  const reader = createListReaders(countries as CountryTable).get(source);
  assert(reader !== undefined, `no reader for ${source}`);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytesOf(LISTS[source]);
  }
  const { entities } = await readWholeList(reader, chunks(), { sourceId: source });
  read.set(source, entities);
  return entities;
}

/** Names of real people and companies, with what and whence they are. */
export function* realNames(): Generator<{ name: string; kind: string; source: string }> {
  for (const line of linesOf('names/real_names.tsv.xz')) {
    const [name = '', kind = '', source = ''] = line.split('\t');
    yield { kind, name, source: source.trim() };
  }
}
