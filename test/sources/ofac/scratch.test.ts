/** What waits for the end of an OFAC file, laid down on the disk from the first pages on. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readWholeList } from '#slices/ingestion';
import { type CountryTable, createCountryLookup, type ListEntity } from '#slices/lists';
import { advancedFile } from '../../../bench/ofacFiles.ts';
import { ofacReader } from '../../../src/sources/ofac/reader.ts';
import { chunksOf } from '../chunks.ts';
import { entry, sdnFile } from './sdnFile.ts';

const tableFile = new URL('../../../config/tables/countries.json', import.meta.url);
const countries = createCountryLookup(JSON.parse(readFileSync(tableFile, 'utf8')) as CountryTable);
const inMemory = ofacReader(countries);
const onDisk = ofacReader(countries, { keptBytesMax: 20_000 });
const sourceId = 'OFAC_SDN';

/** More names than a block holds, and relations that lead forwards, backwards and nowhere. */
const COUNT = 4_500;
const linked = (uid: number): string =>
  `<remarks>(Linked To: NAME ${(uid * 7) % (COUNT + 50)}) (Linked To: ALIAS ${uid >> 1})</remarks>`;
const aka = (uid: number): string =>
  `<akaList><aka><uid>${uid}</uid><type>a.k.a.</type><category>strong</category>
    <lastName>ALIAS ${uid}</lastName></aka></akaList>`;
const SDN = sdnFile({
  entries: Array.from({ length: COUNT }, (_, uid) =>
    entry({
      uid,
      lastName: `NAME ${uid}`,
      inner: `${uid % 5 === 0 ? linked(uid) : ''}${aka(uid)}`,
    }),
  ),
});
const FILES = { sdn: SDN, advanced: [...advancedFile({ count: 300 })].join('') };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ofac-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Files of the folder that this process holds open, those without a name included. */
function heldOpen(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder) ? [target] : [];
    } catch (error) {
      // The descriptor that listed the folder is closed by now.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  });
}

const isLinux = process.platform === 'linux';

function expectNothingLeft(): void {
  expect(readdirSync(folder)).toEqual([]);
  if (isLinux) expect(heldOpen()).toEqual([]);
}

test.each(['sdn', 'advanced'] as const)('%s: the list is the same on the disk', async (layout) => {
  const text = FILES[layout];
  const expected = await readWholeList(inMemory, chunksOf(text), { sourceId });
  const read = await readWholeList(onDisk, chunksOf(text), { sourceId, scratchFolder: folder });
  expect(JSON.stringify(read)).toBe(JSON.stringify(expected));
  expect(read.entities.some(({ associations }) => associations.length > 0)).toBe(true);
  expectNothingLeft();
});

test.skipIf(!isLinux)('the file is there meanwhile, without a name', async () => {
  let seen: string[] = [];
  const sink = {
    entity: () => {},
    line: () => {},
    added: () => {},
    removed: () => {},
    ready: async () => {
      seen = heldOpen();
    },
  };
  await onDisk.read(chunksOf(SDN), { sourceId, scratchFolder: folder, sink });
  expect(seen).toHaveLength(1);
  expectNothingLeft();
});

test('a sink that is full is waited for while the list is handed on', async () => {
  let waiting = 0;
  let most = 0;
  const sink = {
    entity: (entity: ListEntity) => {
      if (entity.properties?.remarks) most = Math.max(most, ++waiting);
    },
    line: () => {},
    added: () => {},
    removed: () => {},
    ready: async () => {
      waiting = 0;
    },
  };
  await onDisk.read(chunksOf(SDN), { sourceId, scratchFolder: folder, sink });
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(1_000);
});

test('a damaged file leaves nothing behind', async () => {
  const cut = SDN.slice(0, -2_000);
  const read = readWholeList(onDisk, chunksOf(cut), { sourceId, scratchFolder: folder });
  await expect(read).rejects.toMatchObject({ code: 'list-damaged' });
  expectNothingLeft();
});

test('a file that is given up leaves nothing behind', async () => {
  const given = new Error('given up');
  async function* chunks() {
    yield* chunksOf(SDN.slice(0, SDN.length / 2));
    throw given;
  }
  const read = readWholeList(onDisk, chunks(), { sourceId, scratchFolder: folder });
  await expect(read).rejects.toBe(given);
  expectNothingLeft();
});

test('a sink that fails leaves nothing behind', async () => {
  const sink = {
    entity: () => {},
    line: () => {},
    added: () => {},
    removed: () => {},
    ready: () => Promise.reject(new Error('no room')),
  };
  const read = onDisk.read(chunksOf(SDN), { sourceId, scratchFolder: folder, sink });
  await expect(read).rejects.toThrow('no room');
  expectNothingLeft();
});

test('a disk that cannot be written to fails the read', async () => {
  const scratchFolder = join(folder, 'file');
  writeFileSync(scratchFolder, '');
  const read = readWholeList(onDisk, chunksOf(SDN), { sourceId, scratchFolder });
  await expect(read).rejects.toThrow(/EEXIST|ENOTDIR/);
});
