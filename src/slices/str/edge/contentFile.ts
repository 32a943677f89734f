/** A report's content as a file has it: what the API takes. */
import { DomainError } from '#core/kernel';
import type { GivenContent } from '#slices/str';
import { compileSchema } from '../../../api/validate.ts';
import { ChangeBody, DraftBody } from './contentSchemas.ts';
import { readJson } from './jsonFile.ts';

const draftFaults = compileSchema(DraftBody);
const changeFaults = compileSchema(ChangeBody);

/** What a report is to say. Throws `str-content-invalid` with every violation. */
export async function readContentFile(
  file: string,
  report: string | undefined,
): Promise<GivenContent> {
  const value = await readJson(file);
  const violations = (report === undefined ? draftFaults : changeFaults)(value);
  if (violations.length === 0) return value as GivenContent;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('str-content-invalid', { detail: `${file}: ${detail}`, violations });
}
