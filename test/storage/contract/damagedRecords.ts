/**
 * One record that cannot be read never takes the others with it: it is refused by its name, pages
 * and looks for work leave it out, and whoever needs all of them is told.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { table } from '#core/kernel';
import { checkRecords } from '../../../src/slices/audit/edge/checks.ts';
import type { Storage } from '../../../src/storage/index.ts';
import { append, at, CHAIN_A, type MakeHarness, type StoreHarness, TENANT_A } from './harness.ts';

interface Note {
  readonly tenantId: string;
  readonly noteId: string;
  readonly writtenAt: number;
  readonly state: 'open' | 'done';
  readonly text: string;
  readonly version: number;
}

const noteTable = table<Note, 'tenantId' | 'noteId'>('damage_note', {
  chain: 'tenantId',
  derived: { isOpen: { field: 'state', in: ['open'] } },
  indexes: { byTime: ['tenantId', 'writtenAt'], open: ['isOpen', 'tenantId', 'writtenAt'] },
  key: ['tenantId', 'noteId'],
  leased: { lane: ['tenantId'] },
  open: 'isOpen',
  personal: 'none',
});

const COUNT = 7;
const noteOf = (no: number): Note => ({
  noteId: `note-${no}`,
  state: 'open',
  tenantId: TENANT_A,
  text: `text ${no}`,
  version: 1,
  writtenAt: no,
});

export function damagedRecordsContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: a damaged record`, () => {
    let harness: StoreHarness;
    let storage: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open([noteTable]);
      const changes = Array.from({ length: COUNT }, (_, no) => noteTable.insert(noteOf(no)));
      await append(storage, { chain: CHAIN_A, changes });
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });

    const cut = async (no: number) => {
      expect(await harness.alter('damage_note', `"text ${no}"`, '"text')).toBe(1);
    };
    const DAMAGED = { code: 'record-damaged', message: expect.stringContaining('damage_note') };
    const find = (no: number) =>
      storage.tables.find(noteTable, { noteId: `note-${no}`, tenantId: TENANT_A });
    const pageOf = (limit: number, more: object = {}) =>
      storage.tables.page(noteTable, {
        equal: { tenantId: TENANT_A },
        index: 'byTime',
        limit,
        ...more,
      });

    async function everyNo(limit: number, more: object = {}): Promise<readonly number[]> {
      const found: number[] = [];
      let page = await pageOf(limit, more);
      for (;;) {
        expect(page.records.length === limit || page.next === undefined).toBe(true);
        found.push(...page.records.map(({ writtenAt }) => writtenAt));
        if (page.next === undefined) return found;
        page = await pageOf(limit, { ...more, after: page.next });
      }
    }

    test('is refused by its table and key, and the others are found', async () => {
      await cut(3);
      await expect(find(3)).rejects.toMatchObject({
        ...DAMAGED,
        message: expect.stringContaining('note-3'),
      });
      expect(await find(4)).toEqual(noteOf(4));
    });

    test.each([
      ['without its key', `"noteId":"note-3"`, `"noteIdx":"note-3"`],
      ['of another form', JSON.stringify(noteOf(3)), 'null'],
    ])('%s is one, too', async (_, from, to) => {
      expect(await harness.alter('damage_note', from, to)).toBe(1);
      await expect(find(3)).rejects.toMatchObject(DAMAGED);
      expect(await everyNo(50)).toEqual([0, 1, 2, 4, 5, 6]);
    });

    test.each([1, 2, 3, 6, 50])('is left out of pages of %i, which are full', async (limit) => {
      for (const no of [0, 2, 3, 6]) await cut(no);
      expect(await everyNo(limit)).toEqual([1, 4, 5]);
      expect(await everyNo(limit, { direction: 'descending' })).toEqual([5, 4, 1]);
    });

    test('is named by the page that leaves it out', async () => {
      await cut(3);
      expect((await pageOf(50)).damaged).toEqual([expect.stringContaining('note-3')]);
      expect((await pageOf(2)).damaged).toBeUndefined();
      const tables = [noteTable];
      await expect(checkRecords({ storage, tables } as never)).rejects.toThrow('note-3');
    });

    test('is thrown to whoever needs every record', async () => {
      await cut(3);
      await expect(pageOf(50, { isWhole: true })).rejects.toMatchObject(DAMAGED);
    });

    test('holds no other work up', async () => {
      await cut(0);
      const { tables } = storage;
      const open = await tables.inTurns(noteTable, {
        equal: { isOpen: true },
        index: 'open',
        lane: 'tenantId',
        limit: 50,
      });
      expect(open).toHaveLength(COUNT - 1);
      const ask = { holder: 'one', lane: [TENANT_A], limit: 3, now: at(0) };
      const leased = await tables.lease(noteTable, ask);
      expect(leased.map(({ record }) => record.noteId)).toEqual(['note-1', 'note-2']);
      expect(await tables.held(noteTable, { limit: 50 })).toHaveLength(2);
    });
  });
}
