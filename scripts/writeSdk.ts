/**
 * packages/onboarding-sdk/sdk.js, which browsers load: its sources and the server's own evaluation
 * of forms in one file. It is written by hand of a developer and kept, as the docs are, so that a
 * start needs no bundler; a test holds it to its sources.
 *
 *   node scripts/writeSdk.ts
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const FOLDER = new URL('../packages/onboarding-sdk/', import.meta.url);
const BUNDLE = new URL('sdk.js', FOLDER);

/** The file as its sources make it. Throws where one of them needs what no browser has. */
export async function sdkBundle(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('src/index.ts', FOLDER)),
    onLog(_, log) {
      throw new Error(`sdk: ${log.message}`);
    },
    platform: 'browser',
    treeshake: { moduleSideEffects: [{ sideEffects: true, test: /onboarding-sdk/ }] },
  });
  const { output } = await bundle.generate({ format: 'es', minify: true });
  await bundle.close();
  const [first, ...others] = output;
  if (first?.type !== 'chunk' || others.length > 0) throw new Error('sdk: expected one file');
  return first.code;
}

/** As it is kept. */
export const keptSdk = (): Promise<string> => readFile(BUNDLE, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(BUNDLE, await sdkBundle());
