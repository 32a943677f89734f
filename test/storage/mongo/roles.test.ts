/** R23: append-only is enforced by the server's own rights, so the role document must say so. */
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { plainTable } from '#core/kernel';
import roles from '../../../config/mongo-roles.json' with { type: 'json' };
import { mongoRoles } from '../../../scripts/tableDocs.ts';
import { COLLECTION_NAMES } from '../../../src/storage/mongo/collections.ts';
import { actionsOf } from '../../../src/storage/mongo/tableCollections.ts';
import { DECLARED } from '../contract/declaredTables.ts';
import { OLD_TABLES } from '../contract/oldTables.ts';

const APPEND_ONLY = [
  'audit_group',
  'audit_checkpoint',
  'list_version',
  'schedule_audit',
  'list_resolution',
];
const NAMED = [...OLD_TABLES, ...DECLARED.map(({ table }) => table)];
const TABLES = new Map(NAMED.map((table) => [table.name, plainTable(table)]));
const COLLECTIONS = new Set([...COLLECTION_NAMES, ...TABLES.keys()]);
const MONGO = new URL('../../../src/storage/mongo/', import.meta.url);

describe('roles of the MongoDB users', () => {
  const runtime = roles.roles.find(({ role }) => role === 'complianceRuntime');
  const privilegesOf = (collection: string) =>
    runtime?.privileges.filter(({ collections }) => collections.includes(collection)) ?? [];

  test.each([...COLLECTIONS])('%s has exactly one privilege, with the right to read', (name) => {
    const privileges = privilegesOf(name);
    expect(privileges).toHaveLength(1);
    expect(privileges[0]?.actions).toContain('find');
  });

  test.each(APPEND_ONLY)('nobody may change or remove %s', (name) => {
    for (const { privileges } of roles.roles) {
      const own = privileges.filter(({ collections }) => collections.includes(name));
      const actions = own.flatMap((privilege) => privilege.actions);
      expect(actions.filter((action) => /update|remove|drop|collMod|any/i.test(action))).toEqual(
        [],
      );
    }
  });

  test.each([...TABLES])('%s: as much as its declaration asks for, and no more', (name, table) => {
    const granted = privilegesOf(name).flatMap(({ actions }) => actions);
    expect(granted).toEqual(actionsOf(table));
  });

  test('a table that is only added to is granted no more than that', () => {
    const spec = { chain: 'any', key: ['id'], personal: 'none' } as const;
    const of = (given: object) => actionsOf({ name: 'made_up', spec: { ...spec, ...given } });
    const kept = { from: 'at', ms: 1 };
    expect(of({ writes: 'rows' })).toEqual(['find', 'insert']);
    expect(of({ kept, writes: 'appendOnly' })).toEqual(['find', 'insert', 'remove']);
    expect(of({ writes: 'once' })).toEqual(['find', 'insert', 'update']);
  });

  test('a table whose records a commit may remove is granted that', () => {
    const spec = { chain: 'any', key: ['id'], personal: 'none' } as const;
    expect(actionsOf({ name: 'made_up', spec })).toEqual(['find', 'insert', 'update', 'remove']);
  });

  test('a table that gains a right is moved to where its rights are', () => {
    const spec = { chain: 'any', key: ['id'], personal: 'none' } as const;
    const before = JSON.stringify({
      roles: [
        {
          role: 'complianceRuntime',
          privileges: [
            { collections: ['made_up', 'other'], actions: ['find', 'insert'] },
            { collections: ['third'], actions: ['find', 'insert', 'update', 'remove'] },
          ],
        },
      ],
    });
    const after = JSON.parse(mongoRoles(before, [{ name: 'made_up', spec }]));
    expect(after.roles[0].privileges).toEqual([
      { collections: ['other'], actions: ['find', 'insert'] },
      { collections: ['third', 'made_up'], actions: ['find', 'insert', 'update', 'remove'] },
    ]);
  });

  test('the adapter never updates or deletes what is append-only', async () => {
    const writes = /\b(group|checkpoint|saved)\s*\.\s*(update|replace|delete|findOneAnd|bulkWrite)/;
    for (const file of (await readdir(MONGO)).filter((name) => name.endsWith('.ts'))) {
      expect(await readFile(new URL(file, MONGO), 'utf8'), file).not.toMatch(writes);
    }
  });
});
