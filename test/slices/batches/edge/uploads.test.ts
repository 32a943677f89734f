/**
 * Uploads of batches over sockets: under one key one batch, whatever is sent again, at once or
 * half; what is cut off, lies or is damaged is no batch, no file, and no used key.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TECHNOLOGIES } from '../../../api/http/adapters.ts';
import { RawClient } from '../../../api/http/rawClient.ts';
import {
  type Caller,
  openRealGateway,
  type Problem,
  type RealGateway,
} from '../../../api/realGateway.ts';
import { hasRedis } from '../../../redis/realRedis.ts';
import {
  batchesOf,
  type CreatedBody,
  csvOf,
  filesIn,
  formOf,
  postForm,
  postText,
  SUBJECTS,
} from './fixture.ts';

/** The large variant: UPLOAD_ABORTS=1000. Only so many show whether memory stays behind. */
const ABORTS = Number(process.env.UPLOAD_ABORTS ?? 75);
const isLarge = ABORTS >= 1_000;
if (!isLarge) {
  console.warn('SKIPPED: memory after uploads that were left is looked at with UPLOAD_ABORTS=1000');
}
/** By then all code is loaded and compiled, and heaps are as large as uploads make them. */
const WARM_ROUNDS = 100;
const GROWTH_BYTES_MAX = 20 * 1024 * 1024;
const FIELDS = [
  ['name', 'Night'],
  ['lists', 'DEMO'],
] as const;

interface RawUpload {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

describe.skipIf(!hasRedis).each(TECHNOLOGIES)('uploads of batches over %s', (technology) => {
  let gateway: RealGateway;
  let bank: Caller;
  let port = 0;

  beforeAll(async () => {
    gateway = await openRealGateway(technology);
    bank = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    port = Number(new URL(gateway.origin).port);
  });
  afterAll(() => gateway?.close());

  const text = (more: object = {}) =>
    JSON.stringify({ name: 'Weekly', subjects: SUBJECTS, ...more });
  const large = (indent = 0) => {
    const subjects = Array.from({ length: 12_000 }, (_, at) => ({
      external_id: `C-${at}`,
      full_name: `Somebody With A Longer Name Who Makes It Large ${at}`,
    }));
    return JSON.stringify({ name: 'Large', subjects }, null, indent);
  };
  const jsonUpload = (body = text()): RawUpload => ({
    body: Buffer.from(body),
    contentType: 'application/json',
    path: '/v1/aml/batches',
  });
  const formUpload = (file: Uint8Array | string): RawUpload => ({
    ...formOf(FIELDS, file),
    path: '/v1/aml/batches/csv',
  });
  const headOf = (upload: RawUpload, key: string, framing: string, caller = bank) =>
    `POST ${upload.path} HTTP/1.1\r\nHost: h\r\n${caller.credentialLine}\r\n` +
    `Idempotency-Key: ${key}\r\nContent-Type: ${upload.contentType}\r\n${framing}\r\n\r\n`;
  const lengthOf = ({ body }: RawUpload) => `Content-Length: ${body.length}`;
  const send = async (upload: RawUpload, key: string = crypto.randomUUID()) =>
    bank.send(upload.path, {
      body: new Uint8Array(upload.body),
      headers: { 'Content-Type': upload.contentType, 'Idempotency-Key': key },
      method: 'POST',
    });

  test('a form that is compressed itself is refused for it', async () => {
    const form = formUpload(csvOf(5));
    const answer = await bank.send(form.path, {
      body: new Uint8Array(gzipSync(form.body)),
      headers: {
        'Content-Encoding': 'gzip',
        'Content-Type': form.contentType,
        'Idempotency-Key': crypto.randomUUID(),
      },
      method: 'POST',
    });
    expect(answer.problem()).toMatchObject({ code: 'media-type-unsupported', status: 415 });
  });

  describe('under one key', () => {
    test('small JSON is the same in whatever order and spacing it is written', async () => {
      const key = crypto.randomUUID();
      const first = await postText(bank, text(), key);
      const spaced = JSON.stringify({ subjects: SUBJECTS, name: 'Weekly' }, null, 3);
      const again = await postText(bank, spaced, key);
      expect([first.status, again.status, again.text]).toEqual([202, 202, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const other = await postText(bank, text({ name: 'Other' }), key);
      expect(other.problem()).toMatchObject({ code: 'idempotency-key-reused', status: 422 });
    });

    test('large JSON is the same byte for byte, and nothing is kept of what is not', async () => {
      const key = crypto.randomUUID();
      const first = await postText(bank, large(), key);
      expect(first.status, first.text).toBe(202);
      const files = await filesIn(gateway, 'sha256');
      const again = await postText(bank, large(), key);
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
      expect((await postText(bank, large(1), key)).problem().code).toBe('idempotency-key-reused');
      expect(await filesIn(gateway, 'sha256')).toEqual(files);
    });

    test('a form is the same with another boundary and its parts in another order', async () => {
      const key = crypto.randomUUID();
      const first = await postForm(bank, formOf(FIELDS, csvOf(500)), key);
      const again = await postForm(bank, formOf([...FIELDS].reverse(), csvOf(500)), key);
      expect([first.status, again.text]).toEqual([202, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      for (const form of [
        formOf(FIELDS, csvOf(501)),
        formOf([...FIELDS, ['include_pep', 'false']], csvOf(500)),
      ]) {
        expect((await postForm(bank, form, key)).problem().code).toBe('idempotency-key-reused');
      }
    });

    test('a query is one batch', async () => {
      const key = crypto.randomUUID();
      const source = { filter: {}, type: 'query' };
      const first = await postText(bank, text({ source, subjects: undefined }), key);
      const again = await postText(bank, text({ source, subjects: undefined }), key);
      expect([first.status, again.text]).toEqual([202, first.text]);
      const other = text({
        source: { ...source, filter: { 'kyc_case.status': 'approved' } },
        subjects: undefined,
      });
      expect((await postText(bank, other, key)).problem().code).toBe('idempotency-key-reused');
    });

    test.each([['JSON'], ['form']])(
      '%s: a second one waits while the first uploads',
      async (kind) => {
        const upload = kind === 'JSON' ? jsonUpload(large()) : formUpload(csvOf(20_000));
        const key = crypto.randomUUID();
        const client = await RawClient.open(port);
        client.write(headOf(upload, key, lengthOf(upload)));
        client.socket.write(upload.body.subarray(0, 100_000));
        // The key is taken before the first byte is written.
        await expect.poll(() => filesIn(gateway, 'tmp')).toHaveLength(1);
        const waiting = await send(upload, key);
        expect(waiting.problem()).toMatchObject({
          code: 'idempotency-key-in-progress',
          status: 409,
        });
        expect(waiting.headers.get('retry-after')).toBe('1');
        client.socket.write(upload.body.subarray(100_000));
        const first = await client.answer();
        client.end();
        expect(first.status).toBe(202);
        const again = await send(upload, key);
        expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([
          first.body,
          'true',
        ]);
      },
    );
  });

  test('who may not is told before the first byte of the body', async () => {
    const auditor = await gateway.caller(bank.tenantId, 'auditor');
    const upload = formUpload(csvOf(10));
    const huge = { ...upload, body: Buffer.alloc(0) };
    const told = async (head: string) => {
      const client = await RawClient.open(port);
      client.write(head);
      const { body, status } = await client.answer();
      client.end();
      return [status, (JSON.parse(body) as Problem).code];
    };
    const framing = 'Content-Length: 1000000';
    const key = crypto.randomUUID();
    expect(await told(headOf(upload, key, framing, auditor))).toEqual([403, 'role-insufficient']);
    expect(await told(headOf(upload, 'none', framing))).toEqual([400, 'idempotency-key-invalid']);
    const plain = { ...upload, contentType: 'text/csv' };
    expect(await told(headOf(plain, key, framing))).toEqual([415, 'media-type-unsupported']);
    const tooLong = headOf(huge, key, 'Content-Length: 8589934593');
    expect(await told(tooLong)).toEqual([413, 'body-too-large']);
  });

  test('left at any byte there is no batch and no file, and the key is free', async () => {
    const caller = await gateway.caller(await gateway.tenant('sandbox'), 'agent_l1');
    const files = (await filesIn(gateway, 'sha256')).length;
    const csv = csvOf(6_000);
    const uploads = [formUpload(csv), formUpload(gzipSync(csv)), jsonUpload(large())];
    const keys: string[] = [];
    let resident = 0;
    for (let round = 0; round < ABORTS; round++) {
      if (isLarge && round === WARM_ROUNDS) resident = residentBytes();
      const upload = uploads[round % uploads.length] ?? jsonUpload();
      const key = crypto.randomUUID();
      keys.push(key);
      const isChunked = round % 2 === 0;
      const head = headOf(
        upload,
        key,
        isChunked ? 'Transfer-Encoding: chunked' : lengthOf(upload),
        caller,
      );
      const body = isChunked ? inChunks(upload.body) : upload.body;
      // By the golden ratio: spread, and the same in every run; the last byte never comes.
      const upTo = Math.floor(body.length * ((round * 0.618_034) % 1) * 0.99);
      await leave(
        port,
        Buffer.concat([Buffer.from(head), body.subarray(0, upTo)]),
        round % 3 === 0,
      );
    }
    await expect.poll(() => filesIn(gateway, 'tmp'), { timeout: 10_000 }).toEqual([]);
    if (isLarge) {
      const grown = () => residentBytes() - resident;
      await expect.poll(grown, { timeout: 60_000 }).toBeLessThan(GROWTH_BYTES_MAX);
    }
    expect((await filesIn(gateway, 'sha256')).length).toBe(files);
    expect(await batchesOf(caller)).toEqual([]);
    expect(await gateway.headSeq(caller.tenantId)).toBe(await eventsBefore(gateway, caller));
    const [upload = jsonUpload()] = uploads;
    for (const key of keys.slice(0, 5)) {
      // Reserved until the server has seen that the client is gone.
      await expect.poll(async () => (await sendAs(caller, upload, key)).status).toBe(202);
    }
    expect(await batchesOf(caller)).toHaveLength(5);
  });

  test('cut off at 99 %, and sent again under the same key: one batch', async () => {
    const upload = formUpload(csvOf(30_000));
    const key = crypto.randomUUID();
    const before = (await batchesOf(bank)).length;
    const head = Buffer.from(headOf(upload, key, lengthOf(upload)));
    const most = upload.body.subarray(0, Math.floor(upload.body.length * 0.99));
    await leave(port, Buffer.concat([head, most]), false);
    await expect.poll(async () => (await send(upload, key)).status).toBe(202);
    expect((await batchesOf(bank)).length).toBe(before + 1);
    expect(await filesIn(gateway, 'tmp')).toEqual([]);
  });

  const csv = csvOf(50);
  const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const emptyLines = gzipSync(`external_id,full_name\n${'\n'.repeat(64 * 1024 * 1024)}`);
  const damaged = (at: number) => {
    const packed = Buffer.from(gzipSync(csv));
    packed.writeUInt8((packed.at(at) ?? 0) ^ 0xff, packed.length + at);
    return packed;
  };
  test.each([
    ['64 MiB of zeros in gzip', zeros, 400, 'csv-invalid'],
    ['64 MiB of empty lines in gzip', emptyLines, 413, 'body-too-large'],
    ['gzip in gzip', gzipSync(gzipSync(csv)), 400, 'upload-damaged'],
    ['gzip cut off', gzipSync(csv).subarray(0, 60), 400, 'upload-damaged'],
    ['a wrong checksum', damaged(-6), 400, 'upload-damaged'],
    ['a wrong length in gzip', damaged(-2), 400, 'upload-damaged'],
    ['no file at all', Buffer.of(), 400, 'csv-invalid'],
    ['a header without rows', Buffer.from('external_id,full_name\n'), 400, 'csv-invalid'],
    ['no header', Buffer.from('C-1,Somebody\n'), 400, 'csv-invalid'],
    [
      'a header with __proto__',
      Buffer.from('external_id,full_name,__proto__\na,b,c\n'),
      400,
      'csv-invalid',
    ],
    ['a column twice', Buffer.from('external_id,full_name,full_name\na,b,c\n'), 400, 'csv-invalid'],
    ['semicolons', Buffer.from('external_id;full_name\na;b\n'), 400, 'csv-invalid'],
    ['UTF-16', Buffer.from(`\ufeff${csv}`, 'utf16le'), 400, 'csv-invalid'],
    ['Latin-1', Buffer.from(`${csv}C-99,Jos\u00e9\n`, 'latin1'), 400, 'csv-invalid'],
  ])('%s is refused, and nothing is kept of it', async (_, file, status, code) => {
    const files = await filesIn(gateway, 'sha256');
    const before = await gateway.headSeq(bank.tenantId);
    const answer = await postForm(bank, formOf(FIELDS, file));
    expect([answer.status, answer.problem().code], answer.text).toEqual([status, code]);
    expect(await gateway.headSeq(bank.tenantId)).toBe(before);
    expect(await filesIn(gateway, 'sha256')).toEqual(files);
    expect(await filesIn(gateway, 'tmp')).toEqual([]);
  });

  test.each([
    ['a byte-order mark and CRLF', `\ufeff${csv.replaceAll('\n', '\r\n')}`],
    ['line breaks in quotes', `${csv}C-50,"Name\nof two lines"\n`],
    ['rows that cannot be read', `${csv}C-51,\n,\n"C-52"x,y\n`],
    ['cells that are formulas', `${csv}C-53,=cmd|' /C calc'!A0\n`],
    ['gzip of two members', Buffer.concat([gzipSync(csv), gzipSync('C-54,Other\n')])],
  ])('%s: taken', async (_, file) => {
    const answer = await postForm(bank, formOf(FIELDS, file));
    expect(answer.status, answer.text).toBe(202);
    expect(answer.json<CreatedBody>().subjects_total).toBeGreaterThanOrEqual(50);
  });

  test('a file that ends inside quotes is refused by its line, and kept nowhere', async () => {
    const before = await filesIn(gateway, 'sha256');
    const answer = await postForm(bank, formOf(FIELDS, `${csv}C-50,"Nam`));
    expect([answer.status, answer.json<{ code: string }>().code]).toEqual([400, 'csv-invalid']);
    expect(answer.text).toContain('line 52: expected the quote that opens a field there');
    expect(await filesIn(gateway, 'sha256')).toEqual(before);
    expect(await filesIn(gateway, 'tmp')).toEqual([]);
  });

  const part = (name: string, value = 'x') =>
    `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = `--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${csv}\r\n`;
  const good = `${part('name')}${file}--B--\r\n`;
  const FORM = 'multipart/form-data; boundary=B';
  test.each([
    ['no boundary', 'multipart/form-data', good, 400],
    ['a boundary that is too long', `multipart/form-data; boundary=${'B'.repeat(71)}`, good, 400],
    ['no closing boundary', FORM, `${part('name')}${file}`, 400],
    ['ten thousand parts', FORM, `${part('name').repeat(10_000)}${good}`, 400],
    ['a field of a megabyte', FORM, `${part('name', 'x'.repeat(1 << 20))}${file}--B--\r\n`, 413],
    ['a field __proto__', FORM, `${part('__proto__')}${good}`, 400],
    ['a field that nobody knows', FORM, `${part('tenant_id')}${good}`, 400],
    ['no file', FORM, `${part('name')}--B--\r\n`, 400],
    ['two files', FORM, `${part('name')}${file}${file}--B--\r\n`, 400],
    ['no name', FORM, `${file}--B--\r\n`, 400],
    ['a name after the file that is none', FORM, `${file}${part('name', ' ')}--B--\r\n`, 400],
    ['something after the end', FORM, `${good}more`, 400],
  ])('a form with %s is refused', async (_, contentType, body, status) => {
    const files = await filesIn(gateway, 'sha256');
    const answer = await send({
      body: Buffer.from(body),
      contentType,
      path: '/v1/aml/batches/csv',
    });
    expect([answer.status, typeof answer.problem().code], answer.text).toEqual([status, 'string']);
    expect(await filesIn(gateway, 'sha256')).toEqual(files);
    expect(await filesIn(gateway, 'tmp')).toEqual([]);
  });

  test('a form whose fields follow the file is taken', async () => {
    const body = Buffer.from(`${file}${part('name')}${part('lists', 'DEMO')}--B--\r\n`);
    const contentType = FORM;
    expect((await send({ body, contentType, path: '/v1/aml/batches/csv' })).status).toBe(202);
  });
});

function inChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 30_000) {
    const chunk = body.subarray(at, at + 30_000);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

/** Sends so much and goes away, by a reset or by an end. */
async function leave(port: number, bytes: Buffer, isReset: boolean): Promise<void> {
  const client = await RawClient.open(port);
  await new Promise<void>((resolve) => {
    client.socket.write(bytes, () => resolve());
  });
  if (isReset) client.socket.resetAndDestroy();
  else client.socket.end();
  await client.closed;
}

/** Memory of server and client together, without their garbage. */
function residentBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage.rss();
}

const sendAs = (caller: Caller, upload: RawUpload, key: string) =>
  caller.send(upload.path, {
    body: new Uint8Array(upload.body),
    headers: { 'Content-Type': upload.contentType, 'Idempotency-Key': key },
    method: 'POST',
  });

/** Entries of a tenant that are none of its batches: it was made, and its caller. */
async function eventsBefore({ installation }: RealGateway, { tenantId }: Caller): Promise<number> {
  const page = { chainId: tenantId as never, fromSeq: 1, limit: 100 };
  const events = await installation.storage.audit.readEvents(page);
  return events.filter(({ action = '' }) => /^(identity\.|SANCTIONS_POLICY_)/.test(action)).length;
}
