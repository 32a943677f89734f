/** How a file comes to fit what is declared: what is made, what is added, and what is refused. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PlainTable, plainTable, type TableSpec, table } from '#core/kernel';
import { noCrashPoints } from '../../../src/storage/crashPoints.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { readOperations, writeOperations } from '../../../src/storage/sqlite/operations.ts';
import { layoutsOf, toRecord } from '../../../src/storage/sqlite/table/layout.ts';
import { ROWS_AT_OPENING_MAX } from '../../../src/storage/sqlite/table/schema.ts';
import { createTestClock } from '../contract/harness.ts';

interface Note {
  readonly noteId: string;
  readonly kind?: string;
  readonly at?: number;
  readonly stage?: string;
  readonly usedAt?: number;
  readonly version: number;
}

const PLAIN: TableSpec<Note> = { chain: 'any', key: ['noteId'], personal: 'none' };
const notes = (more: Partial<TableSpec<Note>> = {}): PlainTable =>
  plainTable(table<Note>('note', { ...PLAIN, ...more }));
const note = (number: number): Note => ({
  noteId: `note-${String(number).padStart(5, '0')}`,
  kind: number % 2 === 0 ? 'even' : 'odd',
  at: number,
  ...(number % 3 === 0 && { stage: 'read' }),
  version: 1,
});

let dataDir: string;
let file: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'table-schema-'));
  file = join(dataDir, 'file.sqlite');
});
afterEach(() => rm(dataDir, { recursive: true }));

const open = (...tables: PlainTable[]) => openDatabase(file, 'write', createTestClock(), tables);
/** Opens the file as one process would, and closes it. */
function use<T>(declared: PlainTable, work: (opened: Opened) => T): T {
  const database = open(declared);
  try {
    const layout = layoutsOf([declared]).get(declared.name);
    if (layout === undefined) throw new Error('no layout');
    const writer = writeOperations(database, noCrashPoints, [declared]);
    const reader = readOperations(database, [declared]);
    const page = (ask: object) =>
      reader
        .tablePage(declared.name, { index: 'key', limit: 1_000, ...ask })
        .map((row) => toRecord<Note>(layout, row));
    return work({ database, page, reader, writer });
  } finally {
    database.close();
  }
}
interface Opened {
  readonly database: DatabaseSync;
  readonly reader: ReturnType<typeof readOperations>;
  readonly writer: ReturnType<typeof writeOperations>;
  page(ask: object): Note[];
}
const add = (count: number, declared = notes()) =>
  use(declared, ({ writer }) => {
    const records = Array.from({ length: count }, (_, index) => note(index + 1));
    writer.tableInsertMissing('note', records as never);
  });
const refused = (declared: PlainTable, reason: RegExp) =>
  expect(() => open(declared).close()).toThrow(
    expect.objectContaining({ code: 'store-unavailable', message: expect.stringMatching(reason) }),
  );

test('a file that fits is opened without a write, and no statement is prepared for it', () => {
  const declared = notes({ indexes: { byKind: ['kind', 'at'] } });
  const database = open(declared);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  // busy_timeout is 0 by now: a write would fail at once.
  expect(() => open(declared).close()).not.toThrow();
  other.exec('ROLLBACK');
  other.close();
  const prepared: string[] = [];
  const recorded = {
    prepare: (text: string) => {
      prepared.push(text);
      return database.prepare(text);
    },
  } as DatabaseSync;
  readOperations(recorded, [declared]);
  writeOperations(recorded, noCrashPoints, [declared]);
  expect(prepared.filter((text) => text.includes('"note"'))).toEqual([]);
  database.close();
});

describe('what is declared later', () => {
  test('an index finds the records of before, block after block', () => {
    add(2_500);
    use(notes({ indexes: { byKind: ['kind', 'at'] } }), ({ page, writer }) => {
      const even = page({ equal: { kind: 'even' }, from: 2_400, index: 'byKind' });
      expect(even).toEqual(Array.from({ length: 51 }, (_, index) => note(2_400 + index * 2)));
      writer.tableInsertMissing('note', [{ ...note(9_998) }]);
      expect(page({ equal: { kind: 'even' }, from: 9_000, index: 'byKind' })).toHaveLength(1);
    });
  });

  test('an index of the same name with other fields takes its place', () => {
    add(10, notes({ indexes: { by: ['kind'] } }));
    use(notes({ indexes: { by: ['at'] } }), ({ database, page }) => {
      expect(page({ from: 9, index: 'by' })).toEqual([note(9), note(10)]);
      const indexes = database
        .prepare("SELECT sql FROM sqlite_schema WHERE name = 'note_by'")
        .all();
      expect(indexes).toHaveLength(1);
    });
  });

  test('a derived field that means something else is told anew', () => {
    const shown = (values: string[]) =>
      notes({ derived: { isShown: { field: 'kind', in: values } }, indexes: { by: ['isShown'] } });
    add(4, shown(['odd']));
    const ask = { equal: { isShown: true }, index: 'by' };
    use(shown(['odd']), ({ page }) => expect(page(ask)).toEqual([note(1), note(3)]));
    use(shown(['even']), ({ page }) => expect(page(ask)).toEqual([note(2), note(4)]));
  });

  test('work, lease and touch reach the records of before', () => {
    add(4);
    const more = {
      derived: { isOpen: { field: 'kind', in: ['odd'] } },
      leased: { lane: ['kind'] },
      open: 'isOpen',
      touch: 'usedAt',
      work: ['stage'],
    } as const;
    use(notes(more), ({ page, reader, writer }) => {
      const ask = { holder: 'w', lane: ['odd'], limit: 9, now: 1 };
      expect(reader.tableLanes('note', { limit: 9, now: 1 })).toEqual([['odd']]);
      const [first, second] = writer.tableLease('note', ask);
      expect([first?.lease.fence, second?.lease.tries]).toEqual([1, 1]);
      const key = { noteId: note(3).noteId };
      writer.tableTouch('note', key, 7);
      expect(writer.tableSaveWork('note', { key, work: { stage: undefined } })).toBe(true);
      const { stage: _, ...worked } = note(3);
      expect(page({})[2]).toEqual({ ...worked, usedAt: 7 });
    });
  });

  test('an index of an append-only table is filled, and the table stays so', () => {
    const later = { indexes: { byKind: ['kind'] }, writes: 'appendOnly' } as const;
    add(3, notes({ writes: 'appendOnly' }));
    use(notes(later), ({ database, page }) => {
      expect(page({ equal: { kind: 'odd' }, index: 'byKind' })).toEqual([note(1), note(3)]);
      expect(() => database.exec('UPDATE note SET kind = 1')).toThrow(/append-only/);
      expect(() => database.exec('DELETE FROM note')).toThrow(/append-only/);
    });
  });
});

describe('what cannot be reached by adding is refused by name', () => {
  test('another key, another way of writing, a place', () => {
    add(2);
    refused(notes({ key: ['kind'] }), /note: its key is declared as \(kind\)/);
    refused(notes({ writes: 'appendOnly' }), /note: it is declared as appendOnly, .* versioned/);
    refused(notes({ isPlaced: true }), /note: the file has no column "place"/);
    use(notes(), ({ page }) => expect(page({})).toEqual([note(1), note(2)]));
  });

  test('unique values that records share', () => {
    add(4);
    refused(notes({ unique: { kind: ['kind'] } }), /note: records share the values of "note_kind"/);
    use(notes({ unique: { at: ['at'] } }), ({ reader }) => {
      expect(reader.tableFindUnique('note', { unique: 'at', values: { at: 3 } })).toBeDefined();
    });
  });

  test('a column or an index of more records than can wait for it', () => {
    add(1);
    const fill = new DatabaseSync(file);
    fill.exec(`WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n
        WHERE i < ${ROWS_AT_OPENING_MAX})
      INSERT INTO note (note_id, version, document)
        SELECT 'n' || i, 1, '{"noteId":"n' || i || '","version":1}' FROM n`);
    fill.close();
    const reason = /note: at cannot be added at start to more than 100000 records/;
    refused(notes({ indexes: { byTime: ['at'] } }), reason);
    use(notes(), ({ page }) => expect(page({ limit: 1 })).toHaveLength(2));
  });
});

test('an append-only record goes behind a border that a purge has stored, and not before', () => {
  const kept = notes({ kept: { from: 'at', ms: 10 }, writes: 'appendOnly' });
  add(20, kept);
  use(kept, ({ database, page, writer }) => {
    expect(() => database.exec('DELETE FROM note WHERE at = 1')).toThrow(/append-only/);
    expect(writer.tablePurge('note', 15)).toBe(5);
    expect(page({}).map(({ at }) => at)).toEqual(Array.from({ length: 15 }, (_, no) => no + 6));
    expect(() => database.exec('DELETE FROM note WHERE at = 6')).toThrow(/append-only/);
    // An earlier clock moves nothing back.
    expect(writer.tablePurge('note', 3)).toBe(0);
    expect(database.prepare('SELECT border FROM store_table').all()).toEqual([{ border: 5 }]);
  });
});

test('an append-only table is kept for another time from its next opening on', () => {
  add(20, notes({ writes: 'appendOnly' }));
  const kept = notes({ kept: { from: 'at', ms: 10 }, writes: 'appendOnly' });
  use(kept, ({ database, writer }) => {
    expect(writer.tablePurge('note', 15)).toBe(5);
    expect(() => database.exec('DELETE FROM note')).toThrow(/append-only/);
    expect(() => database.exec('UPDATE note SET at = 1')).toThrow(/append-only/);
  });
  use(notes({ writes: 'appendOnly' }), ({ database }) => {
    expect(() => database.exec('DELETE FROM note')).toThrow(/append-only/);
  });
});

test('a field whose column is the store’s own is refused', () => {
  const bad = { chain: 'any', key: ['id'], personal: 'none' } as const;
  const declared = plainTable(table('bad', { ...bad, indexes: { by: ['version'] } } as never));
  expect(() => open(declared)).toThrow(/table bad: two things lie in the column "version"/);
});

test('integers are stored as integers, and text that looks like one as text', () => {
  const declared = notes({ indexes: { by: ['kind', 'at'] } });
  use(declared, ({ database, page, writer }) => {
    const odd = { kind: '1', noteId: 'a', version: 1 };
    const numbered = { at: 2 ** 53 - 1, kind: '\uFFFD', noteId: 'b', version: 1 };
    const high = { at: -1, kind: '\u{1F600}', noteId: 'c', version: 1 };
    writer.tableInsertMissing('note', [odd, high, numbered, { ...odd, at: 1, noteId: 'd' }]);
    const types = database.prepare('SELECT typeof(kind) AS kind, typeof(at) AS at FROM note').all();
    expect(new Set(types.map(({ kind }) => kind))).toEqual(new Set(['text']));
    expect(new Set(types.map(({ at }) => at))).toEqual(new Set(['null', 'integer']));
    // By the bytes of UTF-8: JavaScript would have the last two the other way round.
    expect(page({ index: 'by' }).map(({ noteId }) => noteId)).toEqual(['d', 'b', 'c']);
    for (const at of [0.5, Number.NaN, 2 ** 53]) {
      const bad = () => writer.tableInsertMissing('note', [{ ...odd, at, noteId: 'e' }]);
      expect(bad).toThrow(/no safe integer/);
    }
    const half = () => writer.tableInsertMissing('note', [{ ...odd, kind: '\uD83D', noteId: 'e' }]);
    expect(half).toThrow(/half a character/);
  });
});
