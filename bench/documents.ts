/**
 * Documents: zones out of clean text beside npm's `mrz` (C1), and out of pictures that are drawn
 * here, clean and degraded (C2): turned by up to three degrees, 150 dots an inch, JPEG 60.
 *
 * Goals: every generated zone is read as it was written; pictures with the zone complete and right,
 * and none whose digits hold while a field is wrong. Not a goal: photographs of real documents,
 * whose letters are OCR-B and which nobody may ship. Pictures need tesseract and poppler.
 */
import { parse } from 'mrz';
import { systemClock } from '#platform/clock';
import { findMrz, type MrzFormat, openRecogniser, readMrz } from '#slices/recognition';
import { HAS_READER, pageWithZone, pictureOf } from '../test/slices/recognition/documentPages.ts';
import { type MadeMrz, makeMrz, seeded } from '../test/slices/recognition/mrzLines.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const SUITE = 'documents';
const SEED = 9303;
const FORMATS = ['TD1', 'TD2', 'TD3', 'MRV-A', 'MRV-B'] as const;
const TODAY = { today: '2026-11-26' };
const ZONES = 10_000;
const PICTURES = 500;
const DEGREES = [-3, -2, -1, 1, 2, 3];

export async function rows({ count, smoke }: BenchOptions): Promise<BenchRow[]> {
  const zones = FORMATS.map((format) => zoneRow(format, smoke ? 100 : ZONES));
  if (!HAS_READER) return zones;
  const pictures = smoke ? 1 : (count ?? PICTURES);
  return [
    ...zones,
    ...(await pictureRows('clean', pictures)),
    ...(await pictureRows('degraded', pictures)),
  ];
}

const isRight = (made: MadeMrz, read: ReturnType<typeof readMrz>): boolean =>
  read?.isValid === true &&
  read.fields.documentNumber === made.number &&
  read.fields.surname === made.surname &&
  read.fields.givenNames === made.givenNames &&
  read.fields.dob === made.dob &&
  read.fields.expiresOn === made.expiresOn &&
  read.fields.nationality === made.nationality;

function zoneRow(format: MrzFormat, count: number): BenchRow {
  const next = seeded(SEED);
  const made = Array.from({ length: count }, () => makeMrz(format, next));
  const timed = (read: (lines: readonly string[]) => unknown): number => {
    const begun = performance.now();
    for (const { lines } of made) read(lines);
    return (performance.now() - begun) / count;
  };
  const wrong = made.filter((one) => !isRight(one, findMrz(one.lines.join('\n'), TODAY))).length;
  const ours = timed((lines) => readMrz(lines, TODAY)) * 1_000;
  const isVisa = format.startsWith('MRV');
  const theirs = isVisa ? undefined : timed((lines) => parse([...lines])) * 1_000;
  return {
    checksum: `${wrong} wrong`,
    data: `${format}, generated`,
    id: `${SUITE}/zone-${format}`,
    ours,
    recall: (count - wrong) / count,
    size: String(count),
    suite: SUITE,
    unit: 'µs a zone',
    ...(theirs !== undefined && { baseline: theirs, baseline_name: 'mrz', ratio: theirs / ours }),
  };
}

async function pictureRows(kind: 'clean' | 'degraded', count: number): Promise<BenchRow[]> {
  const config = { documents: { programPath: process.env.PATH ?? '' } };
  const recogniser = openRecogniser({ clock: systemClock, config });
  const next = seeded(SEED);
  const times: number[] = [];
  let right = 0;
  let wrongThoughValid = 0;
  for (let picture = 0; picture < count; picture++) {
    const made = makeMrz(FORMATS[picture % FORMATS.length] ?? 'TD3', next);
    const degrees = kind === 'clean' ? 0 : (DEGREES[picture % DEGREES.length] ?? 0);
    const page = await pageWithZone(made.lines, { degrees });
    const bytes = await pictureOf(page, kind === 'clean' ? {} : { dpi: 150, quality: 60 });
    const mediaType = kind === 'clean' ? 'image/png' : 'image/jpeg';
    const { mrz, tookMs } = await recogniser.recognise({ bytes, mediaType, pages: 1 });
    times.push(tookMs);
    if (isRight(made, mrz)) right += 1;
    else if (mrz?.isValid === true) wrongThoughValid += 1;
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
  return [
    {
      checksum: `${wrongThoughValid} wrong though all digits hold`,
      data: `${kind} pictures, ${FORMATS.join(', ')}`,
      id: `${SUITE}/picture-${kind}`,
      ours: right / count,
      p50_ms: at(0.5),
      p95_ms: at(0.95),
      size: String(count),
      suite: SUITE,
      unit: 'complete and right',
    },
  ];
}
