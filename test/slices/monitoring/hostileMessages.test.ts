/**
 * Messages made to harm: none opens a file or a connection, none takes long, none is taken. And any
 * text at all ends in records or in a refusal with a code, never in another error.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { DomainError } from '#core/kernel';
import type { MessageFormat } from '#slices/monitoring';
import { creditTransfer, mt103, pacs008, read, refusalOf } from './messages.ts';

const opened = vi.hoisted(() => ({ count: 0 }));
vi.mock('node:net', async (original) => {
  const net = await original<typeof import('node:net')>();
  const connect: typeof net.connect = (...given: unknown[]) => {
    opened.count++;
    return (net.connect as (...all: unknown[]) => ReturnType<typeof net.connect>)(...given);
  };
  return { ...net, connect, createConnection: connect };
});
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const counted =
    <Called extends (...given: never[]) => unknown>(call: Called) =>
    (...given: Parameters<Called>) => {
      opened.count++;
      return call(...given);
    };
  return { ...fs, openSync: counted(fs.openSync), readFileSync: counted(fs.readFileSync) };
});

const XML = 'iso20022_pacs008';
const isCode = (code: string | undefined) => code !== undefined && code !== 'internal';

/** Elements that are opened in one transaction, and what is wrong with them. */
const HOSTILE: Readonly<Record<string, () => string | Buffer>> = {
  'a document type': () => pacs008().replace('?>', '?><!DOCTYPE a SYSTEM "http://127.0.0.1/x">'),
  'an external entity': () =>
    pacs008()
      .replace('?>', '?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>')
      .replace('Lyon', '&x;'),
  'an entity of nobody': () => pacs008().replace('Lyon', '&x;'),
  'entities that multiply': () =>
    pacs008().replace('?>', '?><!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'),
  'an XInclude': () =>
    pacs008().replace(
      '<Nm>',
      '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/><Nm>',
    ),
  'a stylesheet': () =>
    pacs008().replace('?>', '?><?xml-stylesheet href="http://127.0.0.1/x.xsl"?>'),
  '16,000 nested prefixes': () => {
    const open = Array.from({ length: 16_000 }, (_, at) => `<p${at}:a xmlns:p${at}="u:${at}">`);
    return open.join('');
  },
  'an attribute of 20 MB': () => pacs008().replace('Ccy="EUR"', `Ccy="${'E'.repeat(20_000_000)}"`),
  'a text of 9 MB': () => pacs008().replace('Lyon', 'x'.repeat(9_000_000)),
  'a hundred attributes': () =>
    pacs008().replace('Ccy="EUR"', Array.from({ length: 100 }, (_, at) => `a${at}="1"`).join(' ')),
  'a depth of a hundred': () => `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
  'UTF-7': () => '+ADw-?xml version=+ACI-1.0+ACI- encoding=+ACI-UTF-7+ACI-?+AD4-',
  'a declared encoding that it has not': () => pacs008().replace('UTF-8', 'UTF-16'),
  'UTF-16': () => Buffer.from(`\ufeff${pacs008()}`, 'utf16le'),
  'bytes that are no UTF-8': () => {
    const bytes = Buffer.from(pacs008());
    bytes[bytes.indexOf('Lyon')] = 0xff;
    return bytes;
  },
  'a lying count': () => pacs008().replace('<NbOfTxs>1', '<NbOfTxs>999999999999999'),
  'two documents': () => {
    const bare = pacs008().replace(/^<\?xml.*?\?>/, '');
    return `<Envelope>${bare}${bare}</Envelope>`;
  },
};

describe('hostile XML', () => {
  test('an opened file would be counted', () => {
    opened.count = 0;
    readFileSync(import.meta.filename);
    expect(opened.count).toBe(1);
  });

  test.each(Object.entries(HOSTILE))('%s is refused', (_, make) => {
    const message = make();
    opened.count = 0;
    const refused = refusalOf(XML, message);
    expect(isCode(refused?.code)).toBe(true);
    expect(opened.count).toBe(0);
  });

  test('what is cut off at any byte is refused', () => {
    const whole = Buffer.from(pacs008());
    for (let end = 0; end < whole.length; end++) {
      expect(isCode(refusalOf(XML, whole.subarray(0, end))?.code), `cut at ${end}`).toBe(true);
    }
  });

  test('a message leaves nothing behind for the next one', () => {
    const before = read(XML, pacs008());
    for (const make of Object.values(HOSTILE)) refusalOf(XML, make());
    expect(read(XML, pacs008())).toEqual(before);
    // Other namespaces under the same prefix.
    expect(refusalOf(XML, pacs008({ prefix: 'a', version: '99' }))?.code).toBe(
      'message-version-unsupported',
    );
    expect(read(XML, pacs008({ prefix: 'a' }))).toEqual(before);
  });
});

/** Whatever was changed in a message of the format. */
function changed(message: string): fc.Arbitrary<string> {
  const pieces = fc.constantFrom(
    '',
    '<',
    '>',
    '/',
    '-}',
    '{1:',
    '\r\n',
    ':32A:',
    '&#0;',
    '"',
    '\0',
    'é',
  );
  return fc
    .array(
      fc.record({
        at: fc.nat(message.length),
        cut: fc.integer({ max: 8, min: 0 }),
        put: fc.oneof(pieces, fc.string({ maxLength: 4 })),
      }),
      { maxLength: 6, minLength: 1 },
    )
    .map((edits) =>
      edits.reduce(
        (text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut),
        message,
      ),
    );
}

describe('any text ends in records or in a refusal', () => {
  const holds = (format: MessageFormat, text: string | Buffer) => {
    try {
      const { refusals, transactions } = read(format, text);
      for (const { code, detail } of refusals) expect([code, detail]).not.toContain('');
      for (const { transaction } of transactions) expect(transaction.tx_id).not.toBe('');
    } catch (error) {
      expect(error).toBeInstanceOf(DomainError);
    }
  };

  test.each([
    ['iso20022_pacs008', pacs008({ count: 1, transaction: creditTransfer() })],
    ['swift_mt103', mt103({ '50F': '1/A\r\n2/B\r\n3/FR/C', '50K': '', '72': '/INS/X' })],
    ['json_service', JSON.stringify(read('swift_mt103', mt103()).transactions[0]?.transaction)],
  ] as const)('%s, changed in places', (format, message) => {
    fc.assert(fc.property(changed(message), (text) => holds(format, text)));
  });

  test.each(['iso20022_pacs008', 'swift_mt103', 'json_service'] as const)(
    '%s, any bytes',
    (format) => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
          holds(format, Buffer.from(bytes)),
        ),
      );
    },
  );
});
