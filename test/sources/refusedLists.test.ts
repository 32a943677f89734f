/**
 * Every layout that is read, damaged in every way that a file comes damaged: the version in force
 * stays, the failure is in the evidence, and its message names the place. The whole import runs,
 * with every allowance given, so that nothing but the reading of the file can refuse it. And the
 * same file with its records in another order, which is no news.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { importList, type ListReader } from '#slices/ingestion';
import { versionTable } from '#slices/lists';
import table from '../../config/tables/countries.json' with { type: 'json' };
import { createListReaders } from '../../src/sources/index.ts';
import { MemoryStore, memoryPorts } from '../slices/ingestion/memoryPorts.ts';
import { actions, source } from '../slices/ingestion/release.ts';
import { chunksOf } from './chunks.ts';
import { LAYOUTS, type Layout, type Order } from './layouts.ts';

const readers = createListReaders(table);
/**
 * By line, by record, or by what was found at the beginning or in a count. A spreadsheet is a
 * directory of packed parts, and a PDF one of objects: cut, there is no place within them.
 */
const PLACE = new RegExp(
  [
    '(?:line|row|page|INDIVIDUAL|Entity|Target|entry) \\d',
    'expected .+, got ',
    'says \\d|DateGenerated|above the heading',
    '^(?:spreadsheet|PDF): ',
  ].join('|'),
);
const BOMB = `<!DOCTYPE b [<!ENTITY a0 "ha">${Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`,
).join('')}]>`;

const turned: Order = (list) => [...list];
const backwards: Order = (list) => list.toReversed();

/** Files that are no list, by what was done to a good one. */
function damages(
  { kind, lies = [], readsUtf16 = false }: Layout,
  good: Buffer,
): [string, Uint8Array][] {
  const text = good.toString();
  const middle = Math.floor(good.length / 2);
  const cuts: [string, Uint8Array][] = [0.1, 0.5, 0.9].map((share) => [
    `cut after ${share * 100} %`,
    good.subarray(0, Math.floor(good.length * share)),
  ]);
  const all: [string, Uint8Array][] = [
    ...cuts,
    ['empty', Buffer.alloc(0)],
    ['a page of excuses', Buffer.from('<html><body>Maintenance</body></html>')],
    ['nothing but zero bytes', Buffer.alloc(good.length)],
  ];
  const utf16 = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, 'utf16le')]);
  if (!readsUtf16) all.push(['in UTF-16', utf16]);
  if (kind === 'binary') return all;
  const within = (bytes: readonly number[]): Buffer =>
    Buffer.concat([good.subarray(0, middle), Buffer.from(bytes), good.subarray(middle)]);
  all.push(['with zero bytes within', within([0, 0, 0])]);
  for (const [from, to] of lies) {
    expect(text.replace(from, to)).not.toBe(text);
    all.push([`that says ${to.trim()}`, Buffer.from(text.replace(from, to))]);
  }
  if (kind !== 'xml') return all;
  const name = text.indexOf('Velmorani');
  const put = (inner: string): string => text.slice(0, name) + inner + text.slice(name);
  return [
    ...all,
    ['with bytes of no text within', within([0xc3, 0x28])],
    ['with an entity bomb', Buffer.from(put('&a9;').replace(/<(?=[A-Za-z])/, `${BOMB}<`))],
    ['with an entity of its own', Buffer.from(put('&xxe;'))],
    ['that declares UTF-16', Buffer.from(text.replace(/<\?xml[^>]*\?>/, declared('UTF-16')))],
    ['in Latin-1, undeclared', Buffer.from(put('\u00e9'), 'latin1')],
    ['twice in one file', Buffer.concat([good, good])],
  ];
}
const declared = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>`;

describe.each(Object.entries(LAYOUTS))('%s', (_name, layout) => {
  const store = new MemoryStore();
  const reader = readers.get(layout.source) as ListReader;
  let good: Buffer;

  const take = (bytes: Uint8Array) =>
    importList({
      actor: 'cli:test',
      allow: { older: true, shrink: true },
      ports: memoryPorts(store),
      read: chunksOf(bytes, 97),
      reader,
      sourceId: layout.source,
    });
  const fileIn = async (order: Order) => Buffer.from(await layout.file(order));

  beforeAll(async () => {
    good = await fileIn(turned);
    expect(await take(good)).toMatchObject({ status: 'success' });
  });

  test('in another order is no news', async () => {
    const same = await take(await fileIn(backwards));
    expect(same.counts).toMatchObject({ added: 0, removed: 0, updated: 0 });
    expect(same.status).toBe('skipped');
  });

  test('damaged leaves the version in force, with an error that names the place', async () => {
    const active = source(store, layout.source).active;
    for (const [what, bytes] of damages(layout, good)) {
      const error = await take(bytes).catch((reason: unknown) => reason);
      expect(error, what).toBeInstanceOf(DomainError);
      expect(error, what).toMatchObject({
        code: expect.stringMatching(/^list-(?:damaged|foreign)$/),
        message: expect.stringMatching(PLACE),
      });
      expect(source(store, layout.source)).toMatchObject({ active, lastStatus: 'failed' });
      expect(actions(store).at(-1), what).toBe('SANCTIONS_LIST_FAILED');
    }
    expect(store.house.records(versionTable)).toHaveLength(1);
  });
});
