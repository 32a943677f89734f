/** `traceparent`, as the cases of the standard's own test suite have it. */
import { expect, test } from 'vitest';
import { parseTraceparent, traceparentOf } from '../../../src/platform/tracing/traceContext.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  [`00-${TRACE}-${SPAN}-02`, false],
  [`01-${TRACE}-${SPAN}-01-what-comes`, true],
  [`cc-${TRACE}-${SPAN}-01`, true],
  [` 00-${TRACE}-${SPAN}-01\t`, true],
])('%s', (header, isSampled) => {
  const context = parseTraceparent(header);
  expect(context).toEqual({ isSampled, spanId: SPAN, traceId: TRACE });
  expect(context && traceparentOf(context)).toBe(`00-${TRACE}-${SPAN}-${isSampled ? '01' : '00'}`);
});

test.each([
  undefined,
  '',
  'x',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}0-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-0g`,
  `01-${TRACE}-${SPAN}-01${'-x'.repeat(100)}`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('%s is none', (header) => expect(parseTraceparent(header)).toBeUndefined());
