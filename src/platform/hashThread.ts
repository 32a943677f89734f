/** Entry of a thread that hashes one stream (hashAside.ts). */
import { makeSha256 } from './sha256Sink.ts';
import { serveSink } from './sinkThread.ts';

serveSink(makeSha256);
