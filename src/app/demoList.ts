/** The shipped list, put in force by a first start: a sandbox without any list screens nothing. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import type { Actor } from '#core/audit';
import { carryOver, importList } from '#slices/ingestion';
import countries from '../../config/tables/countries.json' with { type: 'json' };
import { importPorts } from '../slices/ingestion/edge/runParts.ts';
import type { Installation, SliceProcess } from '../slices/processes.ts';
import { createListReaders } from '../sources/index.ts';
import { INDEX_TOOLS } from './adapters/indexTools.ts';
import { openProcess } from './process.ts';

const DEMO_LIST = new URL('../../config/demo/entities.jsonl', import.meta.url);

export async function importDemoList(installation: Installation, actor: Actor): Promise<void> {
  const reader = createListReaders(countries).get('DEMO');
  assert(reader !== undefined, 'no connector reads the shipped list');
  const { close, process } = openProcess<SliceProcess>(installation, {});
  const beside = { carryOver: process.ask(carryOver), tools: INDEX_TOOLS };
  await importList({
    actor,
    ports: importPorts(installation, beside),
    read: createReadStream(DEMO_LIST),
    reader,
    sourceId: 'DEMO',
  });
  await close();
}
