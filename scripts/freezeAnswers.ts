/**
 * Freezes what a re-ranker answers, when it is released: `node scripts/freezeAnswers.ts 2.0.0`
 * writes the digest of its answers over the fixture (test/engine/answerDigest.ts) into
 * test/engine/frozenAnswers.json, which test/engine/determinism.test.ts holds it to from then on.
 * A version that is frozen already is refused: its events are replayed, so its answers stay.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { RERANKER_VERSIONS } from '../src/engine/rerankers.ts';

const run = promisify(execFile);
const PROGRAM = new URL('../test/engine/answerDigest.ts', import.meta.url).pathname;
const FROZEN = new URL('../test/engine/frozenAnswers.json', import.meta.url);
/** Digests that stand before those of the versions: of a snapshot, and of an overlay. */
const OTHERS = 2;

const [version = ''] = process.argv.slice(2);
const at = RERANKER_VERSIONS.indexOf(version);
const frozen = JSON.parse(await readFile(FROZEN, 'utf8')) as Record<string, string>;
if (at < 0) throw new Error(`version: expected one of ${RERANKER_VERSIONS.join(', ')}`);
if (frozen[version] !== undefined) throw new Error(`version: ${version} is frozen already`);
const { stdout } = await run(process.execPath, [PROGRAM, '0']);
const digest = stdout.trim().split(' ')[OTHERS + at];
if (digest === undefined) throw new Error('answerDigest.ts printed no digest of this version');
await writeFile(FROZEN, `${JSON.stringify({ ...frozen, [version]: digest }, null, 2)}\n`);
