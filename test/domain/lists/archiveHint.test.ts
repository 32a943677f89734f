/** A packed list is told to be one. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DomainError } from '#domain/kernel';
import { FileHead } from '../../../src/domain/lists/archiveHint.ts';

const damaged = new DomainError('list-damaged', { detail: 'line 1: bytes that are not UTF-8' });

function explained(bytes: Uint8Array, { error = damaged as unknown, format = 'UN XML' } = {}) {
  const head = new FileHead();
  // However it arrives.
  for (const byte of bytes) head.add(Uint8Array.of(byte));
  return head.explain(error, format) as DomainError;
}

test.each([
  ['gzip', gzipSync('<CONSOLIDATED_LIST/>')],
  ['zip', Buffer.from('504b030414000000', 'hex')],
  ['xz', Buffer.from('fd377a585a000004', 'hex')],
])('%s', (name, bytes) => {
  const error = explained(bytes);
  expect([error.code, error.message, error.cause]).toEqual([
    'list-foreign',
    `expected UN XML, got a ${name} archive: unpack it first`,
    damaged,
  ]);
});

test('another error, another file and a workbook stay what they are', () => {
  const stopped = new Error('stopped');
  expect(explained(gzipSync('x'), { error: stopped })).toBe(stopped);
  expect(explained(Buffer.from('<html>'))).toBe(damaged);
  expect(explained(Buffer.of())).toBe(damaged);
  const zip = Buffer.from('504b030414000000', 'hex');
  expect(explained(zip, { format: 'national list: XLSX, CSV or PDF' })).toBe(damaged);
});
