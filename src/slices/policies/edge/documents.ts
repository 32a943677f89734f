/** Files of the command line: a content, a policy as it was shown. */
import { DomainError, type Violation } from '#core/kernel';
import { parseStrictJson, StrictJsonError } from '#platform/strictJson';
import { contentHash, type PolicyContent } from '#slices/policies';
import { compileSchema } from '../../../api/validate.ts';
import { UsageError } from '../../../cli/command.ts';
import { readSmallFile } from '../../../cli/files.ts';
import { PublishedContent, SignedMembers } from './schemas.ts';

const DEPTH_MAX = 16;

async function readJson(file: string): Promise<unknown> {
  try {
    return parseStrictJson(await readSmallFile(file), { depthMax: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    throw new UsageError(`${file}: expected JSON: ${error.message}`);
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

function refuse(violations: readonly Violation[], file: string): void {
  if (violations.length === 0) return;
  const detail = violations.map(({ detail, pointer }) => `${pointer.slice(1)}: ${detail}`);
  throw new DomainError('policy-invalid', { detail: `${file}: ${detail.join('; ')}`, violations });
}

const contentFaults = compileSchema(PublishedContent);

/** A content by itself, or within a policy. Throws `policy-invalid`. */
export async function readContent(file: string): Promise<PolicyContent> {
  const value = await readJson(file);
  const content = memberOf(value, 'content') ?? value;
  refuse(contentFaults(content), file);
  return content as PolicyContent;
}

const signedFaults = compileSchema(SignedMembers);

/** What a person is about to sign, of a policy as it was shown to them. */
export interface ShownDraft {
  readonly content: PolicyContent;
  readonly signing: {
    readonly author: string;
    readonly field: string;
    readonly new_value: {
      readonly base_version: number;
      readonly content_hash: string;
      readonly version: number;
    };
    readonly resource: string;
  };
}

/** The content that is shown is the one whose hash is signed. Throws `policy-invalid`. */
export async function readShownDraft(file: string): Promise<ShownDraft> {
  const value = await readJson(file);
  const content = await readContent(file);
  const signing = memberOf(value, 'signing');
  refuse(signedFaults(signing), file);
  const draft = { content, signing } as ShownDraft;
  if (draft.signing.new_value.content_hash === contentHash(content)) return draft;
  throw new DomainError('policy-invalid', {
    detail: `${file}: content_hash: expected the hash of the content beside it`,
  });
}
