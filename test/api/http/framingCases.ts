/**
 * Requests that two readers could take apart differently, or that no reader may take at all, each
 * with the section that says so (RFC 9112 unless another is named). Data for framing.test.ts.
 *
 * `S` is a second request hidden behind the first. Whoever answers it, or runs a handler for it,
 * has been smuggled into.
 */
export interface FramingCase {
  readonly id: string;
  readonly rfc: string;
  readonly bytes: string;
}

const S = 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n';
const H = 'Host: h\r\n';
const CHUNKED = `POST / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\n\r\n`;

function post(lines: string, body: string): string {
  return `POST / HTTP/1.1\r\n${H}${lines}\r\n${body}`;
}

function get(lines: string): string {
  return `GET / HTTP/1.1\r\n${H}${lines}\r\n${S}`;
}

type Row = readonly [id: string, rfc: string, bytes: string];

const CONTENT_LENGTH: readonly Row[] = [
  ['cl-twice-different', '6.3', post('Content-Length: 0\r\nContent-Length: 5\r\n', S)],
  ['cl-twice-different-first-long', '6.3', post('Content-Length: 5\r\nContent-Length: 0\r\n', S)],
  ['cl-twice-same', '6.3', post('Content-Length: 0\r\nContent-Length: 0\r\n', S)],
  ['cl-list', '9110 8.6', post('Content-Length: 0, 0\r\n', S)],
  ['cl-list-different', '9110 8.6', post('Content-Length: 0, 5\r\n', S)],
  ['cl-empty', '9110 8.6', post('Content-Length:\r\n', S)],
  ['cl-blank', '9110 8.6', post('Content-Length:  \r\n', S)],
  ['cl-negative', '9110 8.6', post('Content-Length: -1\r\n', S)],
  ['cl-plus', '9110 8.6', post('Content-Length: +0\r\n', S)],
  ['cl-hex', '9110 8.6', post('Content-Length: 0x0\r\n', S)],
  ['cl-decimal-point', '9110 8.6', post('Content-Length: 0.0\r\n', S)],
  ['cl-exponent', '9110 8.6', post('Content-Length: 1e1\r\n', S)],
  ['cl-underscore', '9110 8.6', post('Content-Length: 1_0\r\n', S)],
  ['cl-inner-space', '9110 8.6', post('Content-Length: 1 0\r\n', S)],
  ['cl-letters', '9110 8.6', post('Content-Length: five\r\n', S)],
  ['cl-trailing-letter', '9110 8.6', post('Content-Length: 0a\r\n', S)],
  ['cl-beyond-64-bit', '9110 8.6', post('Content-Length: 18446744073709551616\r\n', S)],
  ['cl-beyond-any', '9110 8.6', post(`Content-Length: ${'9'.repeat(40)}\r\n`, S)],
  ['cl-vertical-tab', '5.1', post('Content-Length:\v0\r\n', S)],
  ['cl-form-feed', '5.1', post('Content-Length:\f0\r\n', S)],
  ['cl-nul', '9110 5.5', post('Content-Length: 0\0\r\n', S)],
  ['cl-name-space-before-colon', '5.1', post('Content-Length : 5\r\n', S)],
  ['cl-name-tab-before-colon', '5.1', post('Content-Length\t: 5\r\n', S)],
  ['cl-name-leading-space', '5.2', `POST / HTTP/1.1\r\n Content-Length: 5\r\n${H}\r\n${S}`],
  ['cl-quoted', '9110 8.6', post('Content-Length: "0"\r\n', S)],
  ['cl-trailing-high-byte', '9110 8.6', post('Content-Length: 0\xe9\r\n', S)],
  ['cl-fullwidth-digit', '9110 8.6', post('Content-Length: \xef\xbc\x90\r\n', S)],
];

const TRANSFER_ENCODING: readonly Row[] = [
  [
    'te-and-cl',
    '6.3',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${S}`),
  ],
  [
    'te-and-cl-reversed',
    '6.3',
    post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${S}`),
  ],
  [
    'te-and-cl-zero',
    '6.3',
    post('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${S}`),
  ],
  [
    'te-and-cl-empty',
    '6.3',
    post('Content-Length:\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${S}`),
  ],
  ['te-identity', '6.1', post('Transfer-Encoding: identity\r\n', S)],
  ['te-identity-and-cl', '6.1', post('Transfer-Encoding: identity\r\nContent-Length: 0\r\n', S)],
  ['te-empty', '6.1', post('Transfer-Encoding:\r\n', S)],
  ['te-empty-and-cl', '6.1', post('Transfer-Encoding:\r\nContent-Length: 0\r\n', S)],
  ['te-xchunked', '6.1', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${S}`)],
  ['te-chunkedx', '6.1', post('Transfer-Encoding: chunkedx\r\n', `0\r\n\r\n${S}`)],
  ['te-chunk', '6.1', post('Transfer-Encoding: chunk\r\n', `0\r\n\r\n${S}`)],
  ['te-not-last', '6.3', post('Transfer-Encoding: chunked, gzip\r\n', `0\r\n\r\n${S}`)],
  ['te-gzip-chunked', '6.1', post('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${S}`)],
  ['te-chunked-twice', '6.1', post('Transfer-Encoding: chunked, chunked\r\n', `0\r\n\r\n${S}`)],
  [
    'te-two-lines',
    '6.1',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${S}`),
  ],
  [
    'te-two-lines-identity',
    '6.1',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', `0\r\n\r\n${S}`),
  ],
  ['te-quoted', '6.1', post('Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${S}`)],
  ['te-semicolon', '6.1', post('Transfer-Encoding: chunked;q=1\r\n', `0\r\n\r\n${S}`)],
  ['te-trailing-comma', '6.1', post('Transfer-Encoding: chunked,\r\n', `0\r\n\r\n${S}`)],
  ['te-leading-comma', '6.1', post('Transfer-Encoding: ,chunked\r\n', `0\r\n\r\n${S}`)],
  ['te-vertical-tab', '5.1', post('Transfer-Encoding:\vchunked\r\n', `0\r\n\r\n${S}`)],
  ['te-trailing-high-byte', '6.1', post('Transfer-Encoding: chunked\xe9\r\n', `0\r\n\r\n${S}`)],
  ['te-nul', '9110 5.5', post('Transfer-Encoding: chunked\0\r\n', `0\r\n\r\n${S}`)],
  ['te-name-space-before-colon', '5.1', post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${S}`)],
  [
    'te-name-underscore',
    '6.1',
    post('Transfer_Encoding: chunked\r\nTransfer-Encoding: \r\n', `0\r\n\r\n${S}`),
  ],
  ['te-folded', '5.2', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${S}`)],
  ['te-http10', '6.1', `POST / HTTP/1.0\r\n${H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${S}`],
];

const CHUNKS: readonly Row[] = [
  ['chunk-size-letter', '7.1', `${CHUNKED}G\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-empty', '7.1', `${CHUNKED}\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-negative', '7.1', `${CHUNKED}-3\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-plus', '7.1', `${CHUNKED}+3\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-0x', '7.1', `${CHUNKED}0x3\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-underscore', '7.1', `${CHUNKED}0_3\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-leading-space', '7.1', `${CHUNKED} 3\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-trailing-space', '7.1', `${CHUNKED}3 \r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-beyond-64-bit', '7.1', `${CHUNKED}10000000000000003\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-bare-lf', '7.1', `${CHUNKED}3\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-size-bare-cr', '7.1', `${CHUNKED}3\rabc\r\n0\r\n\r\n${S}`],
  ['chunk-data-too-short', '7.1', `${CHUNKED}5\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-data-too-long', '7.1', `${CHUNKED}2\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-data-no-crlf', '7.1', `${CHUNKED}3\r\nabc0\r\n\r\n${S}`],
  ['chunk-data-bare-lf', '7.1', `${CHUNKED}3\r\nabc\n0\r\n\r\n${S}`],
  ['chunk-extension-bare-lf', '7.1.1', `${CHUNKED}3;a\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-extension-nul', '7.1.1', `${CHUNKED}3;a\0\r\nabc\r\n0\r\n\r\n${S}`],
  ['chunk-last-no-end', '7.1', `${CHUNKED}0\r\nX${S}`],
  ['chunk-trailer-bad-name', '7.1.2', `${CHUNKED}0\r\nbad name: 1\r\n\r\n${S}`],
];

const FIELDS: readonly Row[] = [
  ['header-nul-in-value', '9110 5.5', get('X: a\0b\r\n')],
  ['header-nul-in-name', '5.1', get('X\0: a\r\n')],
  ['header-control-in-value', '9110 5.5', get('X: a\x01b\r\n')],
  ['header-delete-in-value', '9110 5.5', get('X: a\x7fb\r\n')],
  ['header-bare-cr', '2.2', get('X: a\rContent-Length: 5\r\n')],
  ['header-bare-lf', '2.2', get('X: a\nContent-Length: 5\r\n')],
  ['header-obs-fold', '5.2', get('X: a\r\n b\r\n')],
  ['header-obs-fold-tab', '5.2', get('X: a\r\n\tb\r\n')],
  ['header-obs-fold-cl', '5.2', post('X: a\r\n Content-Length: 5\r\n', S)],
  ['header-no-colon', '5', get('nocolon\r\n')],
  ['header-empty-name', '5', get(': a\r\n')],
  ['header-name-space', '5.1', get('X Y: a\r\n')],
  ['header-name-space-before-colon', '5.1', get('X : a\r\n')],
  ['header-name-non-ascii', '9110 5.1', get('X\xe9: a\r\n')],
  ['header-name-parenthesis', '9110 5.1', get('X(1): a\r\n')],
  ['header-name-slash', '9110 5.1', get('X/1: a\r\n')],
  ['header-first-line-space', '2.2', `GET / HTTP/1.1\r\n X: a\r\n${H}\r\n${S}`],
];

const HOSTS: readonly Row[] = [
  ['host-missing', '3.2', `GET / HTTP/1.1\r\nX: 1\r\n\r\n${S}`],
  ['host-missing-no-line', '3.2', `GET / HTTP/1.1\r\n\r\n${S}`],
  ['host-twice', '3.2', `GET / HTTP/1.1\r\n${H}Host: g\r\n\r\n${S}`],
  ['host-twice-same', '3.2', `GET / HTTP/1.1\r\n${H}${H}\r\n${S}`],
  ['host-empty', '9110 7.2', `GET / HTTP/1.1\r\nHost:\r\n\r\n${S}`],
  ['host-with-path', '9110 7.2', `GET / HTTP/1.1\r\nHost: h/x\r\n\r\n${S}`],
  ['host-with-userinfo', '9110 4.2.4', `GET / HTTP/1.1\r\nHost: u@h\r\n\r\n${S}`],
  ['host-with-space', '9110 7.2', `GET / HTTP/1.1\r\nHost: h g\r\n\r\n${S}`],
  ['host-list', '9110 7.2', `GET / HTTP/1.1\r\nHost: h, g\r\n\r\n${S}`],
  ['host-bad-port', '9110 7.2', `GET / HTTP/1.1\r\nHost: h:8a\r\n\r\n${S}`],
  ['host-space-before-colon', '5.1', `GET / HTTP/1.1\r\nHost : h\r\n\r\n${S}`],
];

const REQUEST_LINES: readonly Row[] = [
  ['target-absolute-other-host', '3.2.2', `GET http://g/ HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-absolute-userinfo', '9110 4.2.4', `GET http://u@h/ HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-absolute-ftp', '3.2.2', `GET ftp://h/ HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-authority-get', '3.2.3', `GET h:80 HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-connect', '9110 9.3.6', `CONNECT h:80 HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-asterisk-get', '3.2.4', `GET * HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-fragment', '3.2', `GET /a#b HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-space', '3', `GET /a b HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-tab', '3', `GET /a\tb HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-nul', '3', `GET /a\0b HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-non-ascii', '3.2', `GET /\xe9 HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-backslash-first', '3.2', `GET \\a HTTP/1.1\r\n${H}\r\n${S}`],
  ['target-empty', '3', `GET  HTTP/1.1\r\n${H}\r\n${S}`],
  ['version-missing', '3', `GET /\r\n${H}\r\n${S}`],
  ['version-lower-case', '2.3', `GET / http/1.1\r\n${H}\r\n${S}`],
  ['version-1.2', '2.3', `GET / HTTP/1.2\r\n${H}\r\n${S}`],
  ['version-2.0', '2.3', `GET / HTTP/2.0\r\n${H}\r\n${S}`],
  ['version-9.9', '2.3', `GET / HTTP/9.9\r\n${H}\r\n${S}`],
  ['version-long', '2.3', `GET / HTTP/1.11\r\n${H}\r\n${S}`],
  ['version-space', '2.3', `GET / HTTP/ 1.1\r\n${H}\r\n${S}`],
  ['line-tab', '3', `GET\t/ HTTP/1.1\r\n${H}\r\n${S}`],
  ['line-trailing-space', '3', `GET / HTTP/1.1 \r\n${H}\r\n${S}`],
  ['line-bare-lf', '2.2', `GET / HTTP/1.1\n${H}\r\n${S}`],
  ['line-bare-cr', '2.2', `GET / HTTP/1.1\r${H}\r\n${S}`],
  ['line-leading-space', '3', ` GET / HTTP/1.1\r\n${H}\r\n${S}`],
  ['method-control', '9110 9.1', `G\x01T / HTTP/1.1\r\n${H}\r\n${S}`],
  ['method-brackets', '9110 9.1', `G{T / HTTP/1.1\r\n${H}\r\n${S}`],
  ['http2-preface', '9113 3.4', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['tls-hello', '3', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
];

export const FRAMING_CASES: readonly FramingCase[] = [
  ...CONTENT_LENGTH,
  ...TRANSFER_ENCODING,
  ...CHUNKS,
  ...FIELDS,
  ...HOSTS,
  ...REQUEST_LINES,
].map(([id, rfc, bytes]) => ({ id, rfc, bytes }));
