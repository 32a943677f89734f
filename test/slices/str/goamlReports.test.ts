/**
 * Reports by the schemas of three FIUs and by the shipped one: each is valid, by another validator
 * than ours, or is refused with pointers into the draft.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { romaniseWords } from '../../../src/app/adapters/romaniseWords.ts';
import type { ReportContent } from '../../../src/slices/str/content.ts';
import { latinNames } from '../../../src/slices/str/latinNames.ts';
import type { ProfileSettings } from '../../../src/slices/str/profile.ts';
import { genericProfile } from '../../../src/slices/str/profiles.ts';
import { repairSchema } from '../../../src/slices/str/repairSchema.ts';
import { reportFacts } from '../../../src/slices/str/reportFacts.ts';
import { type WrittenReport, writeReport } from '../../../src/slices/str/reportWriter.ts';
import { type Grammar, readGrammar } from '../../../src/slices/str/xsdGrammar.ts';
import { readXsdTree } from '../../../src/slices/str/xsdTree.ts';
import { PROFILES, reportGenerator } from './generatedReports.ts';

const dataDir = process.env.TEST_DATA_DIR;
if (!dataDir) console.warn("SKIPPED: FIUs' schemas (TEST_DATA_DIR is not set)");
const REPORTS = Number(process.env.STR_REPORTS ?? 50);
const ONE_FOURTH = 4;

async function written(
  content: ReportContent,
  { grammar, settings }: { readonly grammar: Grammar; readonly settings: ProfileSettings },
): Promise<WrittenReport> {
  const latin = await latinNames({ romanise: romaniseWords }, content, settings.reporting_person);
  const facts = reportFacts(
    { content, latin, profile: settings },
    {
      entityReference: 'STR-1',
      profile: settings,
      rejectedReference: 'STR-0',
      submittedAt: '2026-01-31T06:00:00',
    },
  );
  return writeReport(grammar, facts, { words: settings });
}

/** What another validator finds wrong with any of them. */
async function refusals(xmls: readonly string[], schema: string): Promise<readonly string[]> {
  const { errors } = await validateXML({
    schema: [{ contents: schema, fileName: 'report.xsd' }],
    xml: xmls.map((contents, place) => ({ contents, fileName: `${place}.xml` })),
  });
  return errors.map(({ rawMessage }) => rawMessage);
}

/** Half of the reports lack something now and then, and half have all that is made up. */
async function generated(
  profile: { readonly grammar: Grammar; readonly settings: ProfileSettings },
  seed: number,
) {
  const good: WrittenReport[] = [];
  const refused: WrittenReport[] = [];
  for (const [share, isSparse] of [0.25, 0].entries()) {
    const { report } = reportGenerator(seed + share, isSparse);
    for (let place = 0; place < REPORTS / 2; place++) {
      const made = await written(report(place), profile);
      (made.faults.length === 0 ? good : refused).push(made);
    }
  }
  return { good, refused };
}

test('the shipped structure: what is written is valid, what is refused says where', async () => {
  const profile = await genericProfile();
  const schema = await readFile(
    new URL('../../../config/str/generic-5.0.xsd', import.meta.url),
    'utf8',
  );
  const settings = { ...profile.settings, currency: 'AED' };
  const { good, refused } = await generated({ ...profile, settings }, 1);
  expect(good.length).toBeGreaterThan(REPORTS / ONE_FOURTH);
  expect(
    refused.every(({ faults }) => faults.every(({ pointer }) => pointer.startsWith('/'))),
  ).toBe(true);
  expect(
    await refusals(
      good.map(({ xml }) => xml),
      schema,
    ),
  ).toEqual([]);
});

describe.skipIf(!dataDir).each(Object.keys(PROFILES))('%s', (file) => {
  const path = join(dataDir ?? '', 'str', file);
  const load = async () => {
    const { repairs, text } = repairSchema(await readFile(path, 'utf8'));
    const settings = PROFILES[file] as ProfileSettings;
    return { grammar: readGrammar(readXsdTree(Buffer.from(text))), repairs, settings, text };
  };

  test('what is written is valid, what is refused says where', async () => {
    const profile = await load();
    const { good, refused } = await generated(profile, 7);
    expect(good.length).toBeGreaterThan(0);
    for (const { faults } of refused) {
      for (const { detail, pointer } of faults)
        expect([detail, pointer]).toEqual([detail, expect.stringMatching(/^\//)]);
    }
    expect(
      await refusals(
        good.map(({ xml }) => xml),
        profile.text,
      ),
    ).toEqual([]);
  });
});

test.skipIf(!dataDir)('all schemas of the shared data are tried', async () => {
  const files = await readdir(join(dataDir ?? '', 'str'));
  expect(files.filter((name) => name.endsWith('.xsd')).sort()).toEqual(
    Object.keys(PROFILES).sort(),
  );
});
