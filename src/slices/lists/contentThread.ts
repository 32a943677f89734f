/** Entry of a thread that works out the digests and counts of one list (contentDigests.ts). */
import { serveSink } from '#platform/sinkThread';
import { makeContentDigests } from './contentDigests.ts';

serveSink(makeContentDigests);
