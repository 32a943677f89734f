/** One line of a bundle, parsed as the object that it must be. */
import type { DomainError } from '#core/kernel';

/** `damaged` makes the error that says what is wrong with the line. */
export function objectOf(
  line: Buffer,
  damaged: (what: string, cause?: unknown) => DomainError,
): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line.toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw damaged('a line that is not JSON', cause);
  }
  throw damaged('a line that is not an object');
}
