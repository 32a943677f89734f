/** Messages made from the rules of the formats, for tests: small, and changed by each. */
import { DomainError } from '#core/kernel';
import {
  type MessageFormat,
  type ReadingContext,
  type ReadTransactions,
  readMessage,
} from '#slices/monitoring';

export const CONTEXT: ReadingContext = { ownBics: new Set(), ownIbans: [], zone: 'UTC' };

export const read = (
  format: MessageFormat,
  text: string | Buffer,
  context: ReadingContext = CONTEXT,
): ReadTransactions =>
  readMessage(format, typeof text === 'string' ? Buffer.from(text) : text, context);

/** The code under which a message is refused as a whole, and where. */
export function refusalOf(
  format: MessageFormat,
  text: string | Buffer,
): { readonly code: string; readonly pointer: string | undefined } | undefined {
  try {
    read(format, text);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { code: error.code, pointer: error.violations[0]?.pointer };
  }
}

export interface Pacs008Options {
  readonly version?: string;
  readonly prefix?: string;
  /** Instead of the usual content of the one transaction. */
  readonly transaction?: string;
  readonly header?: string;
  readonly count?: number;
}

/** A pacs.008 of one or several transactions; the elements are those that version .08 has. */
export function pacs008({
  count = 1,
  header = '',
  prefix = '',
  transaction = creditTransfer(),
  version = '08',
}: Pacs008Options = {}): string {
  const declaration = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
  const inner = [
    '<FIToFICstmrCdtTrf><GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-03-05T10:00:00Z</CreDtTm>',
    `<NbOfTxs>${count}</NbOfTxs>${header}`,
    '<SttlmInf><SttlmMtd>INDA</SttlmMtd></SttlmInf></GrpHdr>',
    `${transaction.repeat(count)}</FIToFICstmrCdtTrf>`,
  ].join('');
  const named =
    prefix === '' ? inner : inner.replace(/<(\/?)/g, (_, slash: string) => `<${slash}${prefix}:`);
  const name = prefix === '' ? 'Document' : `${prefix}:Document`;
  const namespace = `urn:iso:std:iso:20022:tech:xsd:pacs.008.001.${version}`;
  const start = `<?xml version="1.0" encoding="UTF-8"?><${name} ${declaration}="${namespace}">`;
  return `${start}${named}</${name}>`;
}

/** One transaction; `parts` replace elements of it by name. */
export function creditTransfer(parts: Readonly<Record<string, string>> = {}): string {
  const elements: readonly (readonly [string, string])[] = [
    [
      'PmtId',
      '<InstrId>I-1</InstrId><EndToEndId>E-1</EndToEndId>' +
        '<UETR>00000000-0000-4000-b221-3244f5d5c293</UETR>',
    ],
    ['IntrBkSttlmAmt', '<IntrBkSttlmAmt Ccy="EUR">1000</IntrBkSttlmAmt>'],
    ['IntrBkSttlmDt', '2026-03-05'],
    ['AccptncDtTm', '2026-03-05T09:59:58.5+01:00'],
    ['InstdAmt', '<InstdAmt Ccy="USD">1100.50</InstdAmt>'],
    ['ChrgBr', 'SHAR'],
    ['InstgAgt', '<FinInstnId><BICFI>AAAAGB2LXXX</BICFI></FinInstnId>'],
    ['InstdAgt', '<FinInstnId><BICFI>BBBBDEFF</BICFI></FinInstnId>'],
    ['Dbtr', '<Nm>Anna &amp; Söhne</Nm><PstlAdr><TwnNm>Lyon</TwnNm><Ctry>FR</Ctry></PstlAdr>'],
    ['DbtrAcct', '<Id><IBAN>FR1420041010050500013M02606</IBAN></Id>'],
    ['DbtrAgt', '<FinInstnId><BICFI>AAAAGB2LXXX</BICFI></FinInstnId>'],
    ['CdtrAgt', '<FinInstnId><BICFI>BBBBDEFFXXX</BICFI></FinInstnId>'],
    ['Cdtr', '<Nm>محمد علي</Nm>'],
    ['CdtrAcct', '<Id><Othr><Id>4711</Id></Othr></Id>'],
    ['RmtInf', '<Ustrd>Invoice 12</Ustrd>'],
  ];
  const given = (name: string, text: string): string => {
    const content = parts[name] ?? text;
    return content === '' || content.startsWith(`<${name}`)
      ? content
      : `<${name}>${content}</${name}>`;
  };
  return `<CdtTrfTxInf>${elements.map(([name, text]) => given(name, text)).join('')}</CdtTrfTxInf>`;
}

/** An MT103 as a bank sends it; `fields` replace or add fields by tag, '' takes one away. */
export function mt103(
  fields: Readonly<Record<string, string>> = {},
  { application = 'I103BBBBDEFFXXXXN', user = '{121:00000000-0000-4000-b221-3244f5d5c293}' } = {},
): string {
  const usual: Record<string, string> = {
    '20': 'REF-1',
    '23B': 'CRED',
    '32A': '260305EUR1000,',
    '33B': 'USD1100,5',
    '50K': '/4711\r\nANNA MARTIN\r\n1 RUE DE LYON\r\n69001 LYON',
    '59': '/DE89370400440532013000\r\nTAREK VELMORANI\r\nBERLIN',
    '70': 'INVOICE 12',
    '71A': 'SHA',
  };
  const replaced = Object.entries(fields);
  for (const [tag, text] of replaced) {
    if (text === '') delete usual[tag];
    else usual[tag] = text;
  }
  const body = Object.entries(usual)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, text]) => `:${tag}:${text}`)
    .join('\r\n');
  return `{1:F01AAAAGB2LAXXX0000000000}{2:${application}}{3:${user}}{4:\r\n${body}\r\n-}`;
}
