/** `document inspect` and `document mrz`, as an operator meets them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/command.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { checks, commands } from '../../../../src/slices/recognition/edge/commands.ts';
import { pngOf } from '../mediaFiles.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documents-'));
});
afterAll(() => rm(folder, { force: true, recursive: true }));

/** A machine without readers and scanner. */
const INSTALLATION = { clock: systemClock, config: { documents: { programPath: '' } } };

type Run = (typeof commands)[number]['run'];

async function run(words: string, content: string | Uint8Array) {
  const file = join(folder, 'given');
  await writeFile(file, content);
  const said: { code?: unknown; result?: unknown; text?: string } = {};
  const context = {
    open: async () => INSTALLATION,
    output: {
      result: (result: unknown, text: string) => Object.assign(said, { result, text }),
    },
  } as unknown as Parameters<Run>[0];
  const given = { value: () => file } as unknown as Parameters<Run>[1];
  const command = commands.find((one) => one.words === words);
  said.code = await command?.run(context, given);
  return said;
}

test('a document is named by its bytes, another file refused with its reason', async () => {
  expect(await run('document inspect', pngOf({ height: 20, width: 30 }))).toEqual({
    code: EXIT.done,
    result: { height: 20, media_type: 'image/png', pages: 1, width: 30 },
    text: 'image/png, 1 page, 30 × 20 pixels',
  });
  await expect(run('document inspect', '<svg/>')).rejects.toMatchObject({
    code: 'document-invalid',
    violations: [expect.objectContaining({ code: 'kind' })],
  });
});

test('a zone is read with its digits; one that does not hold is bad', async () => {
  const names = 'P<UTOERIKSSON<<ANNA<MARIA'.padEnd(44, '<');
  const good = await run('document mrz', `${names}\nL898902C36UTO7408122F1204159ZE184226B<<<<<10`);
  expect(good).toMatchObject({ code: EXIT.done, text: expect.stringContaining('number holds') });
  const bad = await run('document mrz', `${names}\nL898902C36UTO7408132F1204159ZE184226B<<<<<10`);
  expect(bad).toMatchObject({ code: EXIT.bad, text: expect.stringContaining('dob does not hold') });
  expect(await run('document mrz', 'nothing')).toMatchObject({ code: EXIT.bad });
});

test('without readers a picture is left to people, and doctor says what to install', async () => {
  expect(await run('document read', pngOf({ height: 20, width: 30 }))).toMatchObject({
    code: EXIT.done,
    result: { engine: null, scan: { status: 'skipped' }, status: 'unavailable' },
  });
  const look = checks[0]?.look(
    INSTALLATION as unknown as Parameters<(typeof checks)[number]['look']>[0],
  );
  await expect(look).rejects.toThrow(/read by unpdf .*tesseract-ocr.*CLAMD_URL/);
});
