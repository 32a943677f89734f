/** `compliance`, the `bin` of package.json: it finds its installation from any folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { BIN } from '../../src/cli/help.ts';

const ROOT = join(import.meta.dirname, '../..');
const elsewhere = mkdtempSync(join(tmpdir(), 'named-'));
afterAll(() => rmSync(elsewhere, { recursive: true }));

test('it runs by a link, elsewhere, and calls itself by its name', () => {
  const named = Object.entries(manifest.bin);
  expect(named).toEqual([[BIN, 'scripts/compliance']]);
  const script = join(ROOT, 'scripts/compliance');
  expect(() => accessSync(script, constants.X_OK)).not.toThrow();
  symlinkSync(script, join(elsewhere, BIN));
  const { npm_lifecycle_event: _, ...env } = process.env;
  const help = execFileSync(join(elsewhere, BIN), ['--help'], { cwd: elsewhere, encoding: 'utf8' });
  expect(help).toMatch(/^Usage: compliance <noun> <verb>/);
  const wrong = spawnSync(join(elsewhere, BIN), ['tenant', 'lst'], { encoding: 'utf8', env });
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toMatch(/^unknown command .*'tenant list'.*; see compliance --help\n$/);
});
