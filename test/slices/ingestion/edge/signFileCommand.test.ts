/** A file that `list sign` signed is taken by the fetcher of an installation without a network. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { generatePrivateKeyPem } from '#platform/crypto';
import { newSource } from '#slices/ingestion';
import { readTrustedKeys } from '#slices/lists';
import { runCommandLine } from '../../../../src/cli/commandLine.ts';
import { createAirGapFetcher } from '../../../../src/sources/fetch/airGapFetcher.ts';
import { surroundings } from '../../../cli/surroundings.ts';

const folder = mkdtempSync(join(tmpdir(), 'sign-file-'));
afterAll(() => rmSync(folder, { force: true, recursive: true }));
const root = join(folder, 'in');
mkdirSync(root);

async function sign(file: string): Promise<{ key: object }> {
  const key = join(folder, 'house.pem');
  writeFileSync(key, generatePrivateKeyPem());
  let out = '';
  const streams = {
    err: { write: () => {} },
    out: { write: (text: string) => (out += text) },
  };
  const words = ['list', 'sign', '--key', key, '--file', file, '--json'];
  const code = await runCommandLine(words, streams, surroundings());
  expect(code).toBe(0);
  return JSON.parse(out);
}

const fetched = (keys: object[]) =>
  createAirGapFetcher({
    keys: readTrustedKeys({ keys }),
    root,
    spoolDirectory: join(folder, 'spool'),
  }).fetch({
    kind: 'full',
    signal: new AbortController().signal,
    source: { ...newSource('UN_SC'), airGapPath: 'un.xml' },
  });

test('signed, it is taken; changed after it or signed by another, it is not', async () => {
  const file = join(root, 'un.xml');
  writeFileSync(file, '<CONSOLIDATED_LIST/>');
  const { key } = await sign(file);
  const list = await fetched([key]);
  expect(list).toMatchObject({ file: { isBundle: false }, status: 'fetched' });
  writeFileSync(file, '<CONSOLIDATED_LIST></CONSOLIDATED_LIST>');
  await expect(fetched([key])).rejects.toMatchObject({ code: 'list-damaged' });
  const { key: other } = await sign(file);
  await expect(fetched([key])).rejects.toMatchObject({ code: 'list-damaged' });
  await expect(fetched([key, other])).resolves.toMatchObject({ status: 'fetched' });
});
