/**
 * An air-gapped installation takes a list in a network namespace without a route: the whole
 * import, from the signed bundle to the version in force, by the command line's own process. What
 * needs the network cannot work there, and what merely tries to is seen by strace: no internet
 * socket is made.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SourceId } from '#core/kernel';
import { jwkSet } from '#platform/crypto';
import { importList } from '#slices/ingestion';
import { listStore } from '#slices/lists';
import { listFormatReader } from '../../src/sources/listFormat.ts';
import { DEMO, edition, openAt, pointSource } from '../slices/ingestion/listPublisher.ts';
import { importPorts } from '../slices/ingestion/runParts.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMESPACE = ['unshare', '--map-root-user', '--net'];
const mayUnshare = spawnSync('unshare', [...NAMESPACE.slice(1), 'true']).status === 0;
if (!mayUnshare) console.warn('SKIPPED: the air gap needs leave to make a network namespace');
const mayTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
if (!mayTrace) console.warn('SKIPPED IN PART: no strace here; only what connects would be seen');
const UN = 'UN_SC' as SourceId;
/** A documentation address, at which no host answers. */
const PUBLISHER = 'http://192.0.2.1/list';

interface Ended {
  readonly code: number;
  readonly output: string;
  /** System calls that made a socket of the internet. */
  readonly sockets: readonly string[];
}

describe.skipIf(!mayUnshare)('an air-gapped installation', () => {
  let folder = '';
  let bundle: Buffer = Buffer.alloc(0);
  const place = (...parts: string[]): string => join(folder, ...parts);

  function enclosed(command: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    const trace = place('trace');
    writeFileSync(trace, '');
    const tracer = ['strace', '-f', '--seccomp-bpf', '-e', 'trace=socket,connect', '-o', trace];
    const [program = '', ...args] = [...NAMESPACE, ...(mayTrace ? tracer : []), ...command];
    const { HOME = '', PATH = '' } = process.env;
    return new Promise((resolve) => {
      const options = { cwd: ROOT, env: { HOME, PATH, ...env } };
      const child = execFile(program, args, options, (_error, stdout, stderr) => {
        const sockets = readFileSync(trace, 'utf8').match(/^.*AF_INET.*$/gm) ?? [];
        resolve({ code: child.exitCode ?? -1, output: stdout + stderr, sockets });
      });
    });
  }

  const cli = (...words: string[]): Promise<Ended> =>
    enclosed(
      [process.execPath, '--disable-warning=ExperimentalWarning', 'src/app/cli/main.ts', ...words],
      {
        AIR_GAP_DIR: place('media'),
        AIR_GAP_KEYS_FILE: place('keys.json'),
        DATA_DIR: place('inside'),
        DEPLOYMENT_MODE: 'air-gapped',
      },
    );

  async function point(change: Parameters<typeof pointSource>[1], sourceId = DEMO): Promise<void> {
    const inside = await openAt(place('inside'), 'test');
    await pointSource(inside, change, sourceId);
    await inside.close();
  }

  /** A house with a network signs the list that this one is given. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'air-gap-'));
    mkdirSync(place('media'));
    const outside = await openAt(place('outside'), 'test');
    const { version } = await importList({
      actor: 'cli:test',
      ports: importPorts(outside),
      read: (async function* () {
        yield Buffer.from(edition('Carried By Hand'));
      })(),
      reader: listFormatReader,
      sourceId: DEMO,
    });
    const bytes = await outside.blobs.get(version.bundleBlob);
    assert(bytes !== undefined);
    bundle = Buffer.from(bytes);
    writeFileSync(place('media', 'demo.jsonl'), bundle);
    writeFileSync(place('keys.json'), JSON.stringify(jwkSet([outside.signer.publicKey])));
    await outside.close();
  });
  afterAll(() => rmSync(folder, { force: true, recursive: true }));

  test('stands where nobody can be reached, and a try would be seen', async () => {
    const script = `fetch('${PUBLISHER}').catch(({cause}) => { console.log(cause.code); })`;
    const { output, sockets } = await enclosed([process.execPath, '-e', script]);
    expect(output.trim()).toBe('ENETUNREACH');
    if (mayTrace) expect(sockets.join()).toContain('192.0.2.1');
  });

  test('has a signed list in force without one internet socket', async () => {
    await point({ airGapPath: 'demo.jsonl', url: PUBLISHER });
    const fetched = await cli('list', 'fetch', '--source', DEMO, '--json');
    expect(fetched.sockets).toEqual([]);
    expect(fetched.code, fetched.output).toBe(0);
    const inside = await openAt(place('inside'), 'test');
    const source = await listStore(inside.storage.tables).findSource(DEMO);
    await inside.close();
    expect(source).toMatchObject({ active: { entityCount: 3 }, lastStatus: 'success' });
  });

  test('refuses a bundle of which one byte was turned, and asks nobody', async () => {
    const turned = Buffer.from(bundle);
    const at = turned.indexOf('Carried');
    turned[at] = (turned[at] ?? 0) ^ 1;
    writeFileSync(place('media', 'turned.jsonl'), turned);
    await point({ airGapPath: 'turned.jsonl', url: PUBLISHER });
    await expectRefusal(DEMO, /signature|damaged/);
  });

  test('refuses a source that has an address and no path, and asks nobody', async () => {
    await point({ url: PUBLISHER }, UN);
    await expectRefusal(UN, /air_gap_path/);
  });

  async function expectRefusal(sourceId: string, message: RegExp): Promise<void> {
    const refused = await cli('list', 'fetch', '--source', sourceId);
    expect(refused.sockets).toEqual([]);
    expect(refused.code).not.toBe(0);
    expect(refused.output).toMatch(message);
  }
});
