/**
 * Manifests and compose files against the schemas that Kubernetes and Compose publish. `.ci/run`
 * installs these; where they are missing, and for overlays where `kubectl` is, it is said aloud.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, '.cache/manifests/bin');
/** Those that are supported, and some that clusters still run. */
const VERSIONS = ['1.30', '1.31', '1.32', '1.33', '1.34'];

const isInstalled = ['kubernetes-validate', 'check-jsonschema'].every((name) =>
  existsSync(join(PYTHON, name)),
);
if (!isInstalled) console.warn('SKIPPED: published schemas are not installed (.ci/run)');
const isKubectlHere = spawnSync('kubectl', ['version', '--client']).status === 0;
if (!isKubectlHere) console.warn('SKIPPED: overlays are rendered by kubectl, which is not here');

const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What is wrong with manifests by the schema of a version; empty where nothing is. */
function wrongOf(file: string, version: string): string {
  const words = ['--strict', '--quiet', '-k', version, file];
  const { status, stderr, stdout } = spawnSync(join(PYTHON, 'kubernetes-validate'), words, {
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

describe.skipIf(!isInstalled).each(VERSIONS)('Kubernetes %s takes', (version) => {
  const base = join(ROOT, 'docker/kubernetes/base');
  const files = readdirSync(base).filter((file) => file !== 'kustomization.yaml');

  test.each(files)('%s', (file) => expect(wrongOf(join(base, file), version)).toBe(''));

  test.skipIf(!isKubectlHere).each(['small', 'ha', 'air-gapped'])('overlay %s', (overlay) => {
    const from = join(ROOT, 'docker/kubernetes/overlays', overlay);
    const rendered = spawnSync('kubectl', ['kustomize', from], { encoding: 'utf8' });
    expect(rendered.stderr).toBe('');
    const file = join(folder, `${overlay}.yaml`);
    writeFileSync(file, rendered.stdout);
    expect(wrongOf(file, version)).toBe('');
  });
});

test.skipIf(!isInstalled)('a member that Kubernetes does not know is found', () => {
  const file = join(folder, 'wrong.yaml');
  const gateway = readFileSync(join(ROOT, 'docker/kubernetes/base/gateway.yaml'), 'utf8');
  writeFileSync(file, gateway.replace('livenessProbe:', 'livelinessProbe:'));
  expect(wrongOf(file, '1.34')).toContain('livelinessProbe');
});

describe.skipIf(!isInstalled)('the schema of Compose', () => {
  const wrong = (compose: unknown): string => {
    const file = join(folder, 'compose.json');
    writeFileSync(file, JSON.stringify(compose));
    const words = ['--builtin-schema', 'vendor.compose-spec', file];
    const { status, stdout } = spawnSync(join(PYTHON, 'check-jsonschema'), words, {
      encoding: 'utf8',
    });
    return status === 0 ? '' : stdout;
  };
  const read = (name: string): Record<string, unknown> => {
    const text = readFileSync(join(ROOT, 'docker', name), 'utf8');
    return parse(text, { merge: true }) as Record<string, unknown>;
  };

  test.each(['compose.yaml', 'compose.dev.yaml'])('takes %s', (name) => {
    expect(wrong(read(name))).toBe('');
  });

  test('refuses what it does not know', () => {
    expect(wrong({ ...read('compose.yaml'), servces: {} })).toContain('servces');
  });
});
