/** Why a file is refused, in words that say what would be taken. */
import { DomainError } from '#core/kernel';
import { DOCUMENT_PAGES_MAX, IMAGE_PIXELS_MAX } from './limits.ts';

const DETAILS = {
  'active-content': 'expected a document without scripts, launch actions, media and XFA forms',
  attachments: 'expected a PDF without attached files',
  damaged: 'expected a file that can be read to its end',
  digest: 'expected a file of the SHA-256 that was given with it',
  empty: 'expected a file that is not empty',
  encrypted: 'expected a PDF without password and restrictions: print it into a new one',
  kind: 'expected JPEG, PNG or PDF by its first bytes',
  pages: `expected 1 to ${DOCUMENT_PAGES_MAX} pages`,
  pixels: `expected at most ${IMAGE_PIXELS_MAX} pixels`,
  polyglot: 'expected a file of one kind alone',
  truncated: 'expected the whole file: it is cut off',
} as const;

/** Why a file is refused. */
export type DocumentFault = keyof typeof DETAILS;

/** The refusal of a file, with every reason. */
export function documentInvalid(
  faults: readonly DocumentFault[],
  options: { readonly cause?: unknown } = {},
): DomainError {
  const [first = 'damaged'] = faults;
  return new DomainError('document-invalid', {
    ...options,
    detail: `file: ${DETAILS[first]}`,
    violations: faults.map((code) => ({ code, detail: DETAILS[code], pointer: '/file' })),
  });
}
