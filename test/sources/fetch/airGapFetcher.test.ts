/** Files of an air-gapped installation: what is read, what is refused before a byte is parsed. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { canonicalJson } from '#platform/canonicalJson';
import { jwkSet, type Signer, sha256, signerFromSeed } from '#platform/crypto';
import { type FetchedList, newSource } from '#slices/ingestion';
import { readTrustedKeys, writeBundle } from '#slices/lists';
import { createListFetcher } from '../../../src/sources/fetch/index.ts';
import { listEntity } from '../../slices/lists/listEntity.ts';

const trusted = signerFromSeed(new Uint8Array(32).fill(1));
const stranger = signerFromSeed(new Uint8Array(32).fill(2));
const keys = readTrustedKeys(jwkSet([trusted.publicKey]));

let base: string;
let root: string;
let spoolDirectory: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'air-gap-')));
  root = join(base, 'lists');
  spoolDirectory = join(base, 'spool');
  mkdirSync(root);
});

afterEach(() => rmSync(base, { recursive: true }));

function fetchFile(airGapPath: string, signal = new AbortController().signal) {
  return createListFetcher({ airGap: { keys, root, spoolDirectory } }).fetch({
    kind: 'full',
    signal,
    source: { ...newSource('UN_SC'), airGapPath },
  });
}

async function bundleOf(signer: Signer, name = 'Ann Example'): Promise<Buffer> {
  const header = {
    fetched_at: '2026-02-03T00:00:00.000Z',
    kind: 'full',
    list_version: 'v2026-02-02.a',
    source: 'UN_SC',
  } as const;
  const line = Buffer.from(`${canonicalJson(listEntity('un-1', { primary_name: name }))}\n`);
  const pieces: Uint8Array[] = [];
  for await (const piece of writeBundle(header, [line], signer)) pieces.push(piece);
  return Buffer.concat(pieces);
}

function signFile(place: string, signer: Signer): void {
  const digest = sha256(readFileSync(place));
  const message = Buffer.concat([Buffer.from('list-file-v1\0'), digest]);
  writeFileSync(`${place}.sig`, `${Buffer.from(signer.sign(message)).toString('base64')}\n`);
}

async function contentOf(fetched: FetchedList): Promise<Buffer> {
  if (fetched.status !== 'fetched') throw new Error('nothing was fetched');
  const pieces: Uint8Array[] = [];
  for await (const piece of fetched.file.read()) pieces.push(piece);
  await fetched.file.remove();
  return Buffer.concat(pieces);
}

const nothingIsLeft = () => expect(readdirSync(base)).not.toContain('spool');

describe('what is read', () => {
  test('a bundle of a trusted installation', async () => {
    const bundle = await bundleOf(trusted);
    writeFileSync(join(root, 'un.jsonl'), bundle);
    const fetched = await fetchFile('un.jsonl');
    expect(fetched).toMatchObject({ file: { bytes: bundle.length, isBundle: true } });
    expect(await contentOf(fetched)).toEqual(bundle);
    expect(readdirSync(spoolDirectory)).toEqual([]);
  });

  test('the newest bundle of a folder, by name', async () => {
    mkdirSync(join(root, 'in/un'), { recursive: true });
    const newest = await bundleOf(trusted, 'New');
    writeFileSync(join(root, 'in/un/2026-02-02.jsonl'), newest);
    writeFileSync(join(root, 'in/un/2026-01-01.jsonl'), await bundleOf(trusted, 'Old'));
    writeFileSync(join(root, 'in/un/2026-03-03.jsonl.part'), 'half');
    writeFileSync(join(root, 'in/un/.2026-04-04.jsonl'), 'hidden');
    symlinkSync(join(root, 'in/un/2026-01-01.jsonl'), join(root, 'in/un/9999.jsonl'));
    expect(await contentOf(await fetchFile('in/un'))).toEqual(newest);
  });

  test("a publisher's file with its signature beside it", async () => {
    writeFileSync(join(root, 'list.xml'), '<list/>');
    signFile(join(root, 'list.xml'), trusted);
    const fetched = await fetchFile('list.xml');
    expect(fetched).toMatchObject({ file: { isBundle: false } });
    expect((await contentOf(fetched)).toString()).toBe('<list/>');
  });

  test('what was verified, whatever becomes of the file', async () => {
    const place = join(root, 'un.jsonl');
    const bundle = await bundleOf(trusted);
    writeFileSync(place, bundle);
    const fetched = await fetchFile('un.jsonl');
    writeFileSync(place, 'something else');
    expect(await contentOf(fetched)).toEqual(bundle);
  });
});

describe('what no trusted key signed', () => {
  test.each([
    ['by a stranger', (bundle: Buffer) => bundle, stranger],
    ['and changed', (bundle: Buffer) => flipped(bundle, bundle.indexOf('Ann')), trusted],
    ['with another header', (bundle: Buffer) => flipped(bundle, bundle.indexOf('02.a')), trusted],
    ['and cut', (bundle: Buffer) => bundle.subarray(0, -10), trusted],
    ['and grown', (bundle: Buffer) => Buffer.concat([bundle, Buffer.from('{}\n')]), trusted],
  ])('a bundle signed %s is refused', async (_, change, signer) => {
    writeFileSync(join(root, 'un.jsonl'), change(await bundleOf(signer)));
    await expect(fetchFile('un.jsonl')).rejects.toMatchObject({ code: 'list-damaged' });
    expect(readdirSync(spoolDirectory)).toEqual([]);
  });

  test('a file without a signature, or with one that is not its own, is refused', async () => {
    const place = join(root, 'list.xml');
    writeFileSync(place, '<list/>');
    await expect(fetchFile('list.xml')).rejects.toThrow('no signature is beside it');
    signFile(place, stranger);
    await expect(fetchFile('list.xml')).rejects.toThrow('none of the trusted keys');
    signFile(place, trusted);
    appendFileSync(place, ' ');
    await expect(fetchFile('list.xml')).rejects.toThrow('none of the trusted keys');
    writeFileSync(`${place}.sig`, 'no base64');
    await expect(fetchFile('list.xml')).rejects.toMatchObject({ code: 'list-damaged' });
    expect(readdirSync(spoolDirectory)).toEqual([]);
  });

  test('a bundle without a line feed is not gathered in memory', async () => {
    const head = (await bundleOf(trusted)).subarray(0, 200).toString().replaceAll('\n', ' ');
    writeFileSync(join(root, 'un.jsonl'), head.padEnd(20 * 1024 * 1024, 'x'));
    await expect(fetchFile('un.jsonl')).rejects.toThrow('a line that is too long');
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  expect(at).toBeGreaterThanOrEqual(0);
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

describe('paths that are refused, and nothing of them is parsed', () => {
  /** Each is a file that would be good at a place that is not. */
  async function prepare(): Promise<void> {
    const bundle = await bundleOf(trusted);
    writeFileSync(join(base, 'outside.jsonl'), bundle);
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'folder', 'un.jsonl'), bundle);
    mkdirSync(join(root, 'empty'));
    symlinkSync(join(base, 'outside.jsonl'), join(root, 'link-out.jsonl'));
    symlinkSync(join(root, 'folder', 'un.jsonl'), join(root, 'link-in.jsonl'));
    symlinkSync(join(root, 'folder'), join(root, 'link-folder'));
    symlinkSync(base, join(root, 'link-base'));
    symlinkSync('/dev/zero', join(root, 'link-zero'));
    symlinkSync(join(root, 'link-loop'), join(root, 'link-loop'));
    mkdirSync(`${root}-beside`);
    writeFileSync(join(`${root}-beside`, 'un.jsonl'), bundle);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await new Promise<void>((resolve) => {
      const server = net.createServer().listen(join(root, 'socket'), () => server.close());
      server.on('close', resolve);
    });
  }

  test.each([
    '../outside.jsonl',
    'folder/../../outside.jsonl',
    'folder/../folder/un.jsonl',
    '..%2foutside.jsonl',
    '%2e%2e/outside.jsonl',
    '..\\outside.jsonl',
    '..',
    '',
    'folder/un.jsonl\0.xml',
    '/etc/passwd',
    '/proc/self/environ',
    '/proc/self/fd/0',
    '/dev/zero',
    '/dev/stdin',
    '//server/share/un.jsonl',
    '\\\\server\\share\\un.jsonl',
    'C:/lists/un.jsonl',
    'file:///etc/passwd',
    'http://127.0.0.1/un.jsonl',
    'link-out.jsonl',
    'link-in.jsonl',
    'link-folder/un.jsonl',
    'link-base/outside.jsonl',
    'link-zero',
    'link-loop',
    'pipe',
    'socket',
    'empty',
    'missing.jsonl',
    '../lists-beside/un.jsonl',
    `${'a/'.repeat(3_000)}un.jsonl`,
    'a'.repeat(400),
    'folder/un.jsonl\n',
  ])('%j', async (path) => {
    await prepare();
    await expect(fetchFile(path)).rejects.toMatchObject({ code: 'air-gap-path-invalid' });
    nothingIsLeft();
  });

  test('a folder that becomes a link while it is opened', async () => {
    await prepare();
    const swaps = 200;
    mkdirSync(join(base, 'evil'));
    writeFileSync(join(base, 'evil', 'un.jsonl'), 'not signed by anybody');
    for (let swap = 0; swap < swaps; swap++) {
      const going = fetchFile('folder/un.jsonl').then(contentOf);
      // At any moment it is the good file or nothing.
      await new Promise((resolve) => setImmediate(resolve));
      renameSync(join(root, 'folder'), join(root, 'moved'));
      symlinkSync(join(base, 'evil'), join(root, 'folder'));
      const content = await going.catch((error: { code: string }) => {
        expect(error.code).toBe('air-gap-path-invalid');
      });
      if (content) expect(content.toString()).toContain('Ann Example');
      rmSync(join(root, 'folder'));
      renameSync(join(root, 'moved'), join(root, 'folder'));
    }
  });
});

describe('an air-gapped deployment', () => {
  test('opens no connection, whatever the address of the source', async () => {
    const connect = vi.spyOn(net.Socket.prototype, 'connect');
    const fetcher = createListFetcher({ airGap: { keys, root, spoolDirectory } });
    const signal = new AbortController().signal;
    const source = { ...newSource('UN_SC'), url: 'http://127.0.0.1:9/list.xml' };
    await expect(fetcher.fetch({ kind: 'full', signal, source })).rejects.toMatchObject({
      code: 'air-gap-path-invalid',
    });
    expect(connect).not.toHaveBeenCalled();
    connect.mockRestore();
  });

  test('reads nothing where no folder is configured', async () => {
    const fetcher = createListFetcher({ airGap: { keys, spoolDirectory } });
    const source = { ...newSource('UN_SC'), airGapPath: 'un.jsonl' };
    const { signal } = new AbortController();
    await expect(fetcher.fetch({ kind: 'full', signal, source })).rejects.toThrow('AIR_GAP_DIR');
  });

  test('stops reading a file once the run is given up', async () => {
    writeFileSync(join(root, 'un.jsonl'), await bundleOf(trusted));
    const signal = AbortSignal.abort(new Error('lease lost'));
    await expect(fetchFile('un.jsonl', signal)).rejects.toThrow('lease lost');
  });
});
