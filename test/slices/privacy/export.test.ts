/**
 * What a person is given: every document that slices hold of him, under AES-256 and a signed
 * manifest, without a trace of what he may not know of (customers.md P1, P2).
 */
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import {
  buildArchives,
  exportPartsOf,
  passphraseOf,
  privacyRequestTable,
  removeArchives,
} from '#slices/privacy';
import { createReport } from '#slices/str';
import { deskOf } from '../../../src/slices/str/edge/parts.ts';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { WHOLE } from '../str/strDesk.ts';

const NAME = 'Canaria Marquelle';
const PASSPHRASE = /^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/;
const IS_STRONG = 'AES-256';

interface Manifest {
  readonly files: readonly { entry: string; name: string; sha256: string }[];
  readonly key_id: string;
  readonly signature: string;
}

/** Every file by its entry. Rejects under a wrong passphrase. */
async function unzip(bytes: Uint8Array, password: string): Promise<Map<string, Buffer>> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { password, useWebWorkers: false });
  const files = new Map<string, Buffer>();
  for (const entry of await reader.getEntries()) {
    if (entry.directory) throw new Error('a directory');
    expect([entry.encrypted, entry.zipCrypto]).toEqual([true, false]);
    files.set(entry.filename, Buffer.from(await entry.getData(new Uint8ArrayWriter())));
  }
  await reader.close();
  return files;
}

describe.skipIf(!hasRedis)(`the export of a person (${IS_STRONG})`, () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let officer: Caller;

  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
    tenantId = await gateway.tenant('sandbox');
    agent = await gateway.caller(tenantId, 'agent_l1');
    officer = await gateway.caller(tenantId, 'compliance_officer', 'agent_l2');
    for (const [name, subject_ref] of [
      [NAME, 'C-1'],
      [NAME, 'C-1'],
      ['Somebody Else', 'C-2'],
    ]) {
      const screened = await agent.screen({ name, subject_ref });
      expect(screened.status).toBe(200);
    }
  });
  afterAll(() => gateway?.close());

  const ports = () => exportPartsOf(gateway.process);
  const build = () =>
    buildArchives(ports(), (_, error) => {
      throw error;
    });

  async function proven(external_ref: string): Promise<string> {
    const body = {
      action: 'export',
      identity: { method: 'in_person' },
      requester: { relation: 'self' },
      subject: { external_ref },
    };
    const received = await agent.post('/v1/privacy/dsar', body);
    const { request_id } = received.json<{ request_id: string }>();
    await officer.post(`/v1/privacy/dsar/${request_id}/identity`, { verified: true });
    return `/v1/privacy/dsar/${request_id}`;
  }

  async function opened(external_ref: string) {
    const path = await proven(external_ref);
    expect(await build()).toBe(1);
    expect((await officer.post(`${path}/download`)).status).toBe(409);
    expect((await officer.post(`${path}/approve`)).json()).toMatchObject({ status: 'completed' });
    const { passphrase } = (await officer.post(`${path}/passphrase`)).json<{
      passphrase: string;
    }>();
    const { url } = (await officer.post(`${path}/download`)).json<{ url: string }>();
    const response = await fetch(gateway.origin + url, { headers: keyOf(officer) });
    expect(response.status).toBe(200);
    return { bytes: new Uint8Array(await response.arrayBuffer()), passphrase, path, url };
  }

  const keyOf = (caller: Caller) => {
    const [name = '', value = ''] = caller.credentialLine.split(': ');
    return { [name]: value };
  };

  test('all that is held is in it, nothing of others, and the manifest is signed', async () => {
    const { bytes, passphrase } = await opened('C-1');
    expect(passphrase).toMatch(PASSPHRASE);
    const files = await unzip(bytes, passphrase);
    const text = (entry: string) => files.get(entry)?.toString() ?? '';
    const manifest = JSON.parse(text('manifest.json')) as Manifest;
    expect(manifest.files.map(({ name }) => name.replace(/[0-9a-f-]{36}/, 'ID'))).toEqual([
      ...['screenings/ID.json', 'screenings/ID.json', 'requests.json', 'index.html'],
      'rights.html',
    ]);
    for (const { entry, sha256 } of manifest.files) {
      expect(sha256Hex(files.get(entry) ?? '')).toBe(sha256);
    }
    const { signature, ...signed } = manifest;
    const message = Buffer.from(`privacy-manifest-v1\0${canonicalJson(signed)}`);
    const { publicKey } = gateway.installation.signer;
    expect(manifest.key_id).toBe(gateway.installation.signer.keyId);
    expect(publicKey.verify(message, Buffer.from(signature, 'base64'))).toBe(true);
    const [first = ''] = [...files.keys()];
    expect(JSON.parse(text(first))).toMatchObject({
      decision: 'CLEAR',
      query: { names: [NAME.toLowerCase()] },
    });
    const all = [...files.values()].join('\n');
    expect(all).not.toMatch(/somebody else|thresholds|weights|score/i);
    // The directory of a ZIP is not encrypted, and its names say nothing.
    const directory = [...files.keys()].sort();
    expect(directory).toEqual([
      ...['001.json', '002.json', '003.json', 'index.html', 'manifest.json', 'rights.html'],
    ]);
    expect(Buffer.from(bytes).includes(NAME.toLowerCase())).toBe(false);
    await expect(unzip(bytes, `${passphrase}X`)).rejects.toThrow();
  });

  test('who was reported gets what his twin gets who was not, but for ids and dates', async () => {
    for (const subject_ref of ['T-1', 'T-2']) {
      await agent.screen({ name: NAME, subject_ref });
    }
    const cli = { principal: { actor: 'cli:test', kind: 'cli' }, tenantId } as const;
    const subject = { ...WHOLE.subject, id: 'T-1', name: NAME };
    await createReport(deskOf(gateway.process), cli, { ...WHOLE, subject } as typeof WHOLE);
    const told = async (subjectRef: string): Promise<string> => {
      const { bytes, passphrase } = await opened(subjectRef);
      const files = await unzip(bytes, passphrase);
      return [...files]
        .map(([entry, content]) => `${entry} ${content}`)
        .join('\n')
        .replaceAll(subjectRef, 'REF')
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/"(sha256|signature)": "[^"]+"/g, '$1');
    };
    const reported = await told('T-1');
    expect(reported).toBe(await told('T-2'));
    expect(reported).not.toMatch(/report of|\bstr\b|suspicio|structuring/i);
  });

  test('the passphrase is told once, and a link is for one caller', async () => {
    const { path, url } = await opened('C-1');
    expect((await officer.post(`${path}/passphrase`)).problem()).toMatchObject({
      code: 'privacy-archive-gone',
      status: 410,
    });
    const other = await gateway.caller(tenantId, 'compliance_officer');
    expect((await other.get(url)).problem()).toMatchObject({ code: 'privacy-link-expired' });
    expect((await officer.get(`${url}0`)).status).toBe(403);
    expect((await agent.get(url)).status).toBe(403);
  });

  test('of whom nothing is held gets an archive that says so', async () => {
    const { bytes, passphrase } = await opened('C-unknown');
    const files = await unzip(bytes, passphrase);
    expect([...files.keys()].sort()).toEqual([
      ...['001.json', 'index.html', 'manifest.json', 'rights.html'],
    ]);
    expect(files.get('index.html')?.toString()).toContain('requests.json');
  });

  test('after thirty days archive and key are removed, and the request says so', async () => {
    const { path } = await opened('C-1');
    const requestId = path.split('/').at(-1) ?? '';
    const { tables } = gateway.installation.storage;
    const request = await tables.find(privacyRequestTable, { requestId, tenantId });
    const keyId = request?.archive?.keyId ?? '';
    const key = await ports().dataKeys.find({ keyId, tenantId });
    expect(key && passphraseOf(key)).toMatch(PASSPHRASE);
    expect(await removeArchives(ports())).toBe(0);
    const clock = {
      ...ports().clock,
      now: () => ((request?.archiveUntil ?? 0) + 1) as never,
    };
    expect(await removeArchives({ ...ports(), clock })).toBeGreaterThan(0);
    expect(await ports().dataKeys.find({ keyId, tenantId })).toBeUndefined();
    expect((await officer.get(path)).json()).toMatchObject({ archive: null, status: 'completed' });
    expect((await officer.post(`${path}/download`)).problem()).toMatchObject({
      code: 'privacy-archive-gone',
    });
    expect((await ports().signed.check(tenantId)).refusals).toEqual([]);
  });
});
