/**
 * Patterns of a JSON Schema with what they mean to a person. The words stand beside the schema, so
 * that a description shows the pattern and a caller reads the words.
 */
import type { Violation } from './errors.ts';

const EXPECTED = Symbol('expected');
const FAULT_OF = Symbol('fault-of');

/** What is wrong with a text, where the place is known. */
export type TextFault = Omit<Violation, 'pointer'>;
/** Undefined where nothing is wrong. */
export type TellFault = (text: string) => TextFault | undefined;

/** A pattern with what it means: a caller is told the words, and reads the pattern in api.yaml. */
export const inWords = (expected: string, pattern: string) => ({ [EXPECTED]: expected, pattern });

/** A pattern whose mismatches are told apart: another form is one thing, a month 13 another. */
export const faultOf = (pattern: string, tell: TellFault) => ({ [FAULT_OF]: tell, pattern });

/** Why a value does not fit the pattern of a schema, in its words. */
export function patternFault(schema: unknown, value: unknown): TextFault {
  const { [EXPECTED]: words, [FAULT_OF]: tell } = (schema ?? {}) as Partial<
    ReturnType<typeof inWords> & ReturnType<typeof faultOf>
  >;
  const fault = typeof value === 'string' ? tell?.(value) : undefined;
  return fault ?? { code: 'format', detail: `expected ${words ?? 'the form that is described'}` };
}

/** No control characters but tab and line ends, and none that turn text around. */
const CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f';
const TURNS = '\\u202a-\\u202e\\u2066-\\u2069';
const READABLE = `^[^${CONTROLS}${TURNS}]*$`;

/** For a string: what a reader sees is what was written. */
export const readable = inWords('no control characters, nor any that turn text around', READABLE);
