/** The publisher's own index and deltas, read as they are, where TEST_DATA_DIR points at them. */
import { describe, expect, test } from 'vitest';
import { ftmIndexUrl, readFtmDeltas, readFtmIndex } from '../../../src/sources/fetch/ftmRelease.ts';
import { dataFolder, sharedBytes, warnWithoutData } from '../sharedData.ts';

warnWithoutData('real FtM indexes');
const FIXTURES = 'lists/ftm/yente_fixtures';
const ENTITIES = new URL('https://data.opensanctions.org/datasets/latest/x/entities.ftm.json');
const at = ftmIndexUrl(ENTITIES) as URL;

test('an index lies beside its entities, and is let in by the same query', () => {
  expect(at.href).toBe('https://data.opensanctions.org/datasets/latest/x/index.json');
  const own = new URL('https://mirror.example/a/entities.ftm.json?token=t');
  const index = ftmIndexUrl(own) as URL;
  expect(index.href).toBe('https://mirror.example/a/index.json?token=t');
  const resources = [{ checksum: 'a'.repeat(40), name: 'entities.ftm.json', size: 1, url: '/b' }];
  const release = readFtmIndex(
    JSON.stringify({ resources, version: `${'1'.repeat(14)}-a` }),
    index,
  );
  expect(release).toMatchObject({ file: { url: new URL('https://mirror.example/b?token=t') } });
  expect(ftmIndexUrl(new URL('https://mirror.example/export.json'))).toBeUndefined();
});

test.each(['', '[]', '{"versions":[]}', '{"versions":{}}', '{"versions":{"20250101000000-a":7}}'])(
  'deltas that are none: %s',
  (text) => {
    const between = { from: '20250101000000', to: '20260101000000-a' };
    expect(readFtmDeltas(text, at, between)).toBeUndefined();
  },
);

describe.skipIf(!dataFolder)('real FtM indexes', () => {
  test('each collection tells of its release, file and deltas', async () => {
    const catalogue = (await sharedBytes(`${FIXTURES}/t1_index.json.xz`)).toString();
    const { datasets } = JSON.parse(catalogue) as { datasets: { name: string }[] };
    const releaseOf = (name: string) =>
      readFtmIndex(JSON.stringify(datasets.find((one) => one.name === name)), at);
    expect(releaseOf('default')).toEqual({
      deltasUrl: new URL(
        'https://data.opensanctions.org/artifacts/default/20240613065314-jjx/delta.json',
      ),
      file: {
        bytes: 1_702_503_621,
        sha1: '4723702fafcd5b9db8443997b66dc53d026c50b3',
        url: new URL('https://data.opensanctions.org/datasets/20240613/default/entities.ftm.json'),
      },
      version: '20240613065314-jjx',
    });
    expect(releaseOf('peps')).not.toHaveProperty('deltasUrl');
  });

  test('deltas are those after one release and up to another', async () => {
    const text = (await sharedBytes(`${FIXTURES}/t2_delta.json`)).toString();
    const between = (from: string, to: string) =>
      readFtmDeltas(text, at, { from, to })?.map(({ version }) => version);
    expect(between('20240527134702-zbn', '20240528074703-npf')).toEqual([
      '20240527194702-wnk',
      '20240528014702-pfh',
      '20240528074703-npf',
    ]);
    expect(between('20240528134729-3iv', '20240528134729-3iv')).toEqual([]);
    expect(between('20240527074702-aaa', '20240528134729-3iv')).toBeUndefined();
  });
});
