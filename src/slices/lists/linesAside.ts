/** Work on a version's lines beside writing them, each in a thread of its own. */
import { type AsideOptions, SinkAside, type SinkKind } from '#platform/sinkAside';
import { type ContentFacts, makeContentDigests } from './contentDigests.ts';
import { makeSignedText } from './signedText.ts';

const CONTENT: SinkKind<undefined, ContentFacts> = {
  make: makeContentDigests,
  threadUrl: new URL('./contentThread.ts', import.meta.url),
};
const SIGNED_TEXT: SinkKind<string, Uint8Array> = {
  make: makeSignedText,
  threadUrl: new URL('./signedTextThread.ts', import.meta.url),
};

/** Digests and counts. */
export const contentAside = (options?: AsideOptions): SinkAside<undefined, ContentFacts> =>
  new SinkAside(CONTENT, undefined, options);

/** The signed text's digest; `tail` are the bundle's members after its entities. */
export const signedTextAside = (
  tail: string,
  options?: AsideOptions,
): SinkAside<string, Uint8Array> => new SinkAside(SIGNED_TEXT, tail, options);
