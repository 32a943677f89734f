/** A merge patch of who a case is about, checked member by member. */
import { DomainError } from '#core/kernel';
import { compileSchema } from '../../../api/validate.ts';
import { SubjectBody } from '../schemas.ts';

const shape = compileSchema(SubjectBody);

/** What a merge patch makes of a subject must be one. Throws `body-invalid`. */
export function requireShape(subject: unknown): void {
  const violations = shape(subject).map((one) => ({ ...one, pointer: `/subject${one.pointer}` }));
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('body-invalid', { detail, violations });
}
