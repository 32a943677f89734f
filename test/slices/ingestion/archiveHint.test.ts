/** A packed list, a web page and another format are told to be that. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import { FileHead } from '../../../src/slices/ingestion/archiveHint.ts';

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

test.each([
  ['{"entities":[]}', 'UN XML', 'JSON'],
  ['\ufeff [1]', 'OFSI list, CSV or XML', 'JSON'],
  ['ent_num,SDN_Name\n1,A', 'EU XML', 'delimited text (CSV)'],
  ['"Last Updated";"27/04/2020"', 'UN XML', 'delimited text (CSV)'],
  ['<!DOCTYPE html><html>', 'UN XML', 'a web page (HTML)'],
  ['\n<HTML lang="en">', 'vendor feed, JSON lines', 'a web page (HTML)'],
  ['<?xml version="1.0"?><a/>', 'vendor feed, JSON lines', 'XML'],
  ['%PDF-1.7', 'UN XML', 'a PDF document'],
])('%s as %s is %s', (text, format, what) => {
  const error = explained(Buffer.from(text), { format });
  expect([error.code, error.message]).toEqual(['list-foreign', `expected ${format}, got ${what}`]);
});

test.each([
  ['<CONSOLIDATED_LIST', 'UN XML'],
  ['CONSOLIDATED_LIST>', 'UN XML'],
  ['Last Updated,27/04/2020', 'OFSI list, CSV or XML'],
  ['{"id":', 'FollowTheMoney JSON lines'],
  ['%PDF-1.7', 'national list: XLSX, CSV or PDF'],
])('%s as %s is damage of its own', (text, format) => {
  expect(explained(Buffer.from(text), { format })).toBe(damaged);
});

test('another error, another file and a workbook stay what they are', () => {
  const stopped = new Error('stopped');
  expect(explained(gzipSync('x'), { error: stopped })).toBe(stopped);
  expect(explained(Buffer.of())).toBe(damaged);
  const zip = Buffer.from('504b030414000000', 'hex');
  expect(explained(zip, { format: 'national list: XLSX, CSV or PDF' })).toBe(damaged);
});
