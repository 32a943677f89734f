/** Entry of the thread that counts the rows of all uploads (countRows.ts). */
import { serveSharedSinks } from '#platform/sharedSinkThread';
import { makeRowCount } from './countSink.ts';

serveSharedSinks(makeRowCount);
