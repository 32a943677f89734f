/** Versions of the shipped list, for screenings that are repeated when others are in force. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importList } from '#slices/ingestion';
import type { CountryTable } from '#slices/lists';
import countries from '../../../config/tables/countries.json' with { type: 'json' };
import { createListReaders } from '../../../src/sources/index.ts';
import type { RealGateway } from '../../api/realGateway.ts';
import { importPorts } from '../ingestion/runParts.ts';

const DEMO_FILE = new URL('../../../config/demo/entities.jsonl', import.meta.url);

/** The lines of its entities. */
export async function demoLines(): Promise<readonly string[]> {
  const [, ...lines] = (await readFile(DEMO_FILE, 'utf8')).trimEnd().split('\n');
  return lines;
}

/** The shipped list without its first n entities, which is in force then: a hit becomes none. */
export async function publishWithout(n: number, gateway: RealGateway, folder: string) {
  const [head = '', ...lines] = (await readFile(DEMO_FILE, 'utf8')).trimEnd().split('\n');
  const kept = lines.slice(n);
  const day = String(n + 1).padStart(2, '0');
  const of = { entity_count: kept.length, release_date: `2026-01-${day}` };
  const first = JSON.stringify({ ...(JSON.parse(head) as object), ...of });
  const file = join(folder, `${n}.jsonl`);
  await writeFile(file, `${[first, ...kept].join('\n')}\n`);
  const reader = createListReaders(countries as CountryTable).get('DEMO');
  assert(reader !== undefined);
  await importList({
    actor: 'cli:test',
    ports: importPorts(gateway.installation),
    read: createReadStream(file),
    reader,
    sourceId: 'DEMO',
  });
  await gateway.refreshLists();
}
