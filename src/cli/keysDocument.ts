/** The public keys that evidence is verified with, as `keys public` writes them. */
import { UsageError } from './command.ts';
import { readDocument } from './files.ts';
import { parsedJson } from './parsedJson.ts';

/** Any JSON: the verifier checks its shape. Throws UsageError. */
export async function readKeys(path: string): Promise<unknown> {
  const keys = parsedJson(await readDocument(path));
  if (keys === undefined) throw new UsageError(`${path}: expected JSON, from \`keys public\``);
  return keys;
}
