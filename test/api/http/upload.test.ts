/**
 * An upload over real sockets, on both adapters, into a real folder of blobs: whole, it is a file
 * with its digest; left, cut or lying about its length at any byte, it is nothing, and the server
 * goes on.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { type ReceivedCsv, receiveCsv } from '#slices/intake';
import { type HttpRequest, readUploadForm } from '../../../src/api/http/index.ts';
import { openFolderBlobStore } from '../../../src/storage/index.ts';
import { type Running, start, TECHNOLOGIES, text } from './adapters.ts';

const ABORTS = 60;
const ROWS = Array.from({ length: 40_000 }, (_, at) => `C-${at},Name ${at}\n`).join('');
const CSV = Buffer.from(`external_id,full_name\n${ROWS}`);

const form = (file: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from('--B\r\nContent-Disposition: form-data; name="name"\r\n\r\nnight\r\n'),
    Buffer.from('--B\r\nContent-Disposition: form-data; name="file"; filename="c.csv"\r\n\r\n'),
    file,
    Buffer.from('\r\n--B--\r\n'),
  ]);

const head = (framing: string) =>
  'POST /upload HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=B\r\n' +
  `${framing}\r\n\r\n`;

function chunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 10_000) {
    const chunk = body.subarray(at, at + 10_000);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

describe.each(TECHNOLOGIES)('%s', (technology) => {
  let directory: string;
  let running: Running;
  const received: ReceivedCsv[] = [];
  const refused: string[] = [];
  let underWay = 0;
  let onSettled: () => void = () => undefined;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'upload-'));
    const blobs = await openFolderBlobStore({ directory });
    const upload = (request: HttpRequest) =>
      readUploadForm(
        { bytes: request.bodyStream(), contentType: request.header('content-type') },
        {
          check: () => [],
          fileField: 'file',
          fields: ['name'],
          take: (bytes) => receiveCsv(bytes, { blobs }),
        },
      );
    running = await start(technology, async (request) => {
      underWay++;
      try {
        const { file } = await upload(request);
        received.push(file);
        return text(file.address);
      } catch (error) {
        refused.push(error instanceof DomainError ? error.code : String(error));
        return text('refused', 400);
      } finally {
        underWay--;
        onSettled();
      }
    });
  });
  afterAll(async () => {
    await running.server.close(0);
    await rm(directory, { force: true, recursive: true });
  });

  const filesIn = async (folder: string) =>
    (await readdir(join(directory, folder), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile(),
    ).length;

  const settled = (count: number) =>
    new Promise<void>((resolve) => {
      onSettled = () => {
        if (refused.length + received.length >= count && underWay === 0) resolve();
      };
      onSettled();
    });

  /** Sends so much of it and goes away, by a reset or by an end. */
  const leave = (bytes: Buffer, upTo: number, isReset: boolean) =>
    new Promise<void>((resolve) => {
      const socket = connect(running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume();
      socket.write(bytes.subarray(0, upTo), () => {
        if (isReset) socket.resetAndDestroy();
        else socket.end();
      });
    });

  const post = (body: Uint8Array) =>
    fetch(`http://127.0.0.1:${running.port}/upload`, {
      body: new Uint8Array(body),
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
      method: 'POST',
    });

  const plainForm = form(CSV);
  const gzipForm = form(gzipSync(CSV));
  const messages = [plainForm, gzipForm].flatMap((body) => [
    Buffer.concat([Buffer.from(head(`Content-Length: ${body.length}`)), body]),
    Buffer.concat([Buffer.from(head('Transfer-Encoding: chunked')), chunked(body)]),
  ]);

  test('left at any byte, plain or gzip, by length or in chunks: nothing is kept', async () => {
    // Positions by the golden ratio: spread over the message, the same in every run.
    const at = (round: number) => ((round * 0.618_034) % 1) * 0.97 + 0.02;
    let ends = 0;
    for (let round = 0; round < ABORTS; round++) {
      const isReset = round % 3 === 0;
      ends += isReset ? 0 : 1;
      const message = messages[round % messages.length] ?? Buffer.of();
      await leave(message, Math.floor(message.length * at(round)), isReset);
    }
    // A reset may take back what the server has not seen yet; an end does not.
    await settled(ends);
    expect(received).toEqual([]);
    expect(refused.length).toBeLessThanOrEqual(ABORTS);
    expect(await filesIn('sha256')).toBe(0);
    expect(await filesIn('tmp')).toBe(0);
  });

  test('a length that is a lie, a form without its end: nothing is kept', async () => {
    const before = refused.length;
    const lying = Buffer.from(head(`Content-Length: ${plainForm.length + 7}`));
    await leave(Buffer.concat([lying, plainForm]), lying.length + plainForm.length, false);
    await settled(before + 1);
    expect((await post(plainForm.subarray(0, plainForm.length - 12))).status).toBe(400);
    expect(refused.at(-1)).toBe('multipart-malformed');
    expect(received).toEqual([]);
    expect((await filesIn('sha256')) + (await filesIn('tmp'))).toBe(0);
  });

  test.each([
    ['plain', CSV],
    ['gzip', gzipSync(CSV)],
  ])('%s, sent whole: the digest of what was sent', async (packing, sent) => {
    const response = await post(form(sent));
    const digest = createHash('sha256').update(sent).digest('hex');
    expect([response.status, await response.text()]).toEqual([200, digest]);
    expect(received.at(-1)).toMatchObject({
      packing: packing === 'gzip' ? 'gzip' : 'none',
      rows: 40_000,
    });
    expect(await filesIn('tmp')).toBe(0);
  });
});
