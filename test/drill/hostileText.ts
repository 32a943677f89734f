/** Texts that cost most of what is allowed: made anew each time, so that no cache helps. */
import { seededRandom } from '../../bench/random.ts';

const ARABIC = 'ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءآأإئؤ';
const NAME_CHARS = 512;
const WORD_CHARS = 7;
const SPELLINGS = 20;

const random = seededRandom(20_261_123);
export const pick = (below: number): number => Math.floor(random() * below);
const letter = (): string => ARABIC[pick(ARABIC.length)] ?? 'ا';

export function arabicName(): string {
  let text = '';
  while (text.length < NAME_CHARS) {
    text += text.length % (WORD_CHARS + 1) === WORD_CHARS ? ' ' : letter();
  }
  return text.trim();
}

const spellings = (): string[] => Array.from({ length: SPELLINGS }, arabicName);

/** The worst query that is valid. */
export const worstQuery = (): string =>
  JSON.stringify({ name: arabicName(), transliterations: spellings() });

const repeated = (part: string): string => part.repeat(NAME_CHARS).slice(0, NAME_CHARS);

/** Names that are allowed and mean nothing, or too much. */
export function oddQuery(): string {
  const names = [
    repeated('.'),
    repeated(`${String.fromCharCode(97 + pick(26))} `),
    repeated(`mohamed${pick(1_000)} `),
    repeated(String.fromCharCode(97 + pick(26))),
    repeated('\u0301a'),
    repeated('ﷺ '),
    repeated('\u{1D400}'.slice(0, 2)),
  ];
  return JSON.stringify({ name: names[pick(names.length)] });
}

/** A batch of subjects each of which costs as much as a query may. */
export function costlyBatch(subjects: number): string {
  const rows = Array.from({ length: subjects }, (_, at) => ({
    external_id: `h-${at}`,
    full_name: arabicName(),
    full_name_transliterations: spellings(),
  }));
  return JSON.stringify({ name: `hostile ${pick(1e9)}`, subjects: rows });
}

/** What no parser should stumble over: each is refused, and none costs more than its bytes. */
export function brokenJson(): Buffer {
  const bodies = [
    Buffer.from('{"name": "Anna'),
    Buffer.from('['.repeat(100_000)),
    Buffer.from(`{${'"a":{'.repeat(50_000)}`),
    Buffer.from('{"name":"a","name":"b"}'),
    Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from('{"name":"\\ud800"}'),
    Buffer.from(`{"name":${'9'.repeat(100_000)}}`),
    Buffer.from(`{"name":"a","x${pick(1e6)}":"${'y'.repeat(200_000)}"}`),
    Buffer.from('null'),
    Buffer.alloc(0),
  ];
  return bodies[pick(bodies.length)] ?? Buffer.alloc(0);
}
