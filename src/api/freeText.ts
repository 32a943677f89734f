/** Free text that people write, in bodies. */
import { inWords } from '#core/kernel';

/** No control characters but tab and line ends, and none that turn text around. */
const CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f';
const TURNS = '\\u202a-\\u202e\\u2066-\\u2069';
const READABLE = `^[^${CONTROLS}${TURNS}]*$`;

/** For a string: what a reader sees is what was written. */
export const readable = inWords('no control characters, nor any that turn text around', READABLE);
