/** Names that an administrator gives to tenants, keys and persons. */
import { DomainError } from '#core/kernel';

const NAME_CHARACTERS_MAX = 128;

/**
 * The trimmed name. Throws `setting-invalid` where it is empty, over 128 characters or not
 * well-formed Unicode.
 */
export function checkName(name: string): string {
  const given = name.trim();
  if (given.length === 0 || given.length > NAME_CHARACTERS_MAX || !given.isWellFormed()) {
    throw new DomainError('setting-invalid', {
      detail: `name: expected 1..${NAME_CHARACTERS_MAX} characters, got ${given.length}`,
    });
  }
  return given;
}
