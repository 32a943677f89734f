/** The tables of the product hold the rows of every part, once each. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RoleSets } from '#core/identity';
import { codesOf, foldProblems, type ProblemRows } from '#core/kernel';
import { DESCRIBED_OPERATIONS } from '../../scripts/writeDocs.ts';
import { AUDIT_ACTIONS, PROBLEMS, TOPICS } from '../../src/app/sliceRows.ts';
import { directionReason } from '../houseRules/architecture.ts';
import { type Node, ROOT, readSourceFiles, walk } from '../houseRules/sourceTree.ts';

/** Which part declares a row: path of its file to the keys in it. */
async function declared(name: string): Promise<Map<string, readonly string[]>> {
  const files = globSync(`src/**/${name}.ts`, { cwd: ROOT }).sort();
  const modules = files.map(async (file) => {
    const module = (await import(join(ROOT, file))) as Record<string, ProblemRows>;
    return [file.replaceAll('\\', '/'), Object.keys(module[name] ?? {})] as const;
  });
  return new Map(await Promise.all(modules));
}

test('every problem that a part declares is in the table, and nothing else', async () => {
  const codes = [...(await declared('problems')).values()].flat();
  expect([...codesOf(PROBLEMS)]).toEqual(codes.sort());
});

test.each([
  ['events', TOPICS],
  ['auditActions', AUDIT_ACTIONS],
])('all %s that a part declares are in their table, and nothing else', async (name, table) => {
  expect(Object.keys(table)).toEqual([...(await declared(name)).values()].flat().sort());
});

test('what rows say is a sentence', () => {
  for (const { says } of [...Object.values(TOPICS), ...Object.values(AUDIT_ACTIONS)]) {
    expect(says).toMatch(/^[A-Z].*\.$/);
  }
});

test('an entry has the severity of its row', () => {
  const wrong = readSourceFiles('src/**/*.ts').flatMap(({ lineOf, path, program }) => {
    const found: string[] = [];
    walk(program, (node) => {
      const action = wordIn(node, 'action');
      const severity = wordIn(node, 'severity');
      if (action === undefined || severity === undefined) return;
      if (AUDIT_ACTIONS[action]?.severity === severity) return;
      found.push(`${path}:${lineOf(node.start)} ${action} is not ${severity}`);
    });
    return found;
  });
  expect(wrong).toEqual([]);
});

test('every operation names a set of roles that a slice declares', async () => {
  const files = globSync('src/slices/*/roles.ts', { cwd: ROOT });
  const modules = await Promise.all(files.map((file) => import(join(ROOT, file))));
  const sets = new Set(modules.flatMap(({ roles }) => Object.values(roles as RoleSets)));
  expect(DESCRIBED_OPERATIONS.filter((of) => !sets.has(of.roles)).map(({ id }) => id)).toEqual([]);
});

test('a code that two parts declare stops the start', () => {
  const row = PROBLEMS.internal;
  expect(() => foldProblems([{ gone: row }, { gone: row }])).toThrow("'gone' is declared twice");
});

test('a code is thrown only where its row may be seen', async () => {
  const homes = new Map(
    [...(await declared('problems'))].flatMap(([file, codes]) => codes.map((code) => [code, file])),
  );
  const wrong = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const thrown = [...text.matchAll(/new DomainError\(\s*'([a-z-]+)'/g)];
    return thrown.flatMap(([, code = '']) => {
      const reason = refusal(path, homes.get(code) ?? '');
      return reason === undefined ? [] : [`${path} throws ${code}: ${reason}`];
    });
  });
  expect(wrong).toEqual([]);
});

/** As an import of the surface of the part that declares the row would be refused. */
function refusal(path: string, home: string): string | undefined {
  const part = home.slice(0, home.lastIndexOf('/'));
  if (path.startsWith(`${part}/`)) return undefined;
  return directionReason(path, part.startsWith('src/api') ? home : `${part}/index.ts`);
}

/** A member of an object that is written out as a text. */
function wordIn({ properties, type }: Node, name: string): string | undefined {
  if (type !== 'ObjectExpression') return undefined;
  for (const { key, value } of properties as { key?: Node; value?: Node }[]) {
    if (key?.name === name && typeof value?.value === 'string') return value.value;
  }
  return undefined;
}
