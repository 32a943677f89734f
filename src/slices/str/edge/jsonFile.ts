/** A JSON file that the administrator gives a command; what is in it is its reader's to check. */
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { UsageError } from '../../../cli/command.ts';
import { readSmallFile } from '../../../cli/files.ts';

const DEPTH_MAX = 16;

/** A small file of strict JSON. */
export async function readJson(file: string): Promise<unknown> {
  try {
    return parseStrictJson(await readSmallFile(file), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new UsageError(`${file}: expected JSON: ${error.message}`);
  }
}
