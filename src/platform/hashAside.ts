/** SHA-256 of a long stream, worked out beside what is done with its bytes. */
import { makeSha256 } from './sha256Sink.ts';
import { SinkAside, type SinkKind } from './sinkAside.ts';

const SHA256: SinkKind<undefined, string> = {
  make: makeSha256,
  threadUrl: new URL('./hashThread.ts', import.meta.url),
};

/** `finish` answers the digest in hex. */
export const hashAside = (asideFrom?: number): SinkAside<undefined, string> =>
  new SinkAside(SHA256, undefined, asideFrom);
