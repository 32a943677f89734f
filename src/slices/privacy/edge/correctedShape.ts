/** Whether corrections leave a subject that has the shape of one, member by member. */
import { DomainError } from '#core/kernel';
import { compileSchema } from '../../../api/validate.ts';
import { SubjectBody } from '../../customers/schemas.ts';

const shape = compileSchema(SubjectBody);

/** Throws `body-invalid`. */
export function requireShape(subject: unknown): void {
  const violations = shape(subject).map((one) => ({ ...one, pointer: `/changes${one.pointer}` }));
  if (violations.length === 0) return;
  const detail = violations.map((one) => `${one.pointer}: ${one.detail}`).join('; ');
  throw new DomainError('body-invalid', { detail, violations });
}
