/** Files of the command line: members of a content, and a policy as it was shown. */
import { DomainError } from '#core/kernel';
import { type ContentPatch, contentHash, type RiskContent } from '#slices/risk';
import { compileSchema } from '../../../api/validate.ts';
import { UsageError } from '../../../cli/command.ts';
import { readJsonFile, type ShownSigning } from '../../../cli/signatures.ts';
import { withDefaults } from './policyRoutes.ts';
import { PatchBody } from './policySchemas.ts';

const faults = compileSchema(PatchBody);

/** As a body of `PATCH /v1/risk/policies/{policy_id}`. Throws `policy-invalid`. */
export async function readPatch(file: string): Promise<ContentPatch> {
  const value = await readJsonFile(file);
  const violations = faults(value);
  if (violations.length === 0) return withDefaults(value as ContentPatch);
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('policy-invalid', { detail: `${file}: ${detail}`, violations });
}

/** A policy that waits for approval, with what is signed of it. */
export interface Submitted {
  readonly content_hash: string;
  readonly signing: ShownSigning;
}

/** The content that is shown is the one whose hash is signed. */
export async function readSubmitted(file: string): Promise<Submitted> {
  const shown = (await readJsonFile(file)) as
    | (Partial<Submitted> & { readonly content?: RiskContent })
    | null;
  const { content, signing } = shown ?? {};
  if (content === undefined || signing === undefined || signing === null) {
    throw new UsageError(`${file}: expected a policy that was submitted, with content and signing`);
  }
  const digest = contentHash(content);
  const { content_hash: told } = signing.new_value as { readonly content_hash?: unknown };
  if (told === digest) return { content_hash: digest, signing };
  throw new UsageError(`${file}: content_hash: expected the hash of the content beside it`);
}
