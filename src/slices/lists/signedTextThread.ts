/** Entry of a thread that hashes the signed text of one bundle (signedText.ts). */
import { serveSink } from '#platform/sinkThread';
import { makeSignedText } from './signedText.ts';

serveSink(makeSignedText);
