/** SHA-256 of a long stream, computed beside the other work on its bytes. */
import { makeSha256, type Sums } from './sha256Sink.ts';
import { type AsideOptions, SinkAside, type SinkKind } from './sinkAside.ts';

const SHA256: SinkKind<Uint8Array | undefined, Sums> = {
  make: makeSha256,
  threadUrl: new URL('./hashThread.ts', import.meta.url),
};

export const hashAside = ({
  sealKey,
  ...options
}: AsideOptions & { readonly sealKey?: Uint8Array } = {}): SinkAside<
  Uint8Array | undefined,
  Sums
> => new SinkAside(SHA256, sealKey, options);
