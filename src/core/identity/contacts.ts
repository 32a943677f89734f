/** Where people are written to: a mail address of the plain kind, and a language. */
import { DomainError } from '#core/kernel';
import { LOCALES, type Locale } from '#platform/locales';
import { ADDRESS_CHARACTERS_MAX, isMailAddress } from '#platform/mailAddress';
import type { Random } from '#platform/random';
import type { MailAddress, Person } from './ports.ts';

const SALT_BYTES = 16;

/** What becomes of a person's address and language: null takes one away, absent leaves it. */
export interface ContactChange {
  readonly email?: string | null;
  readonly locale?: string | null;
}

/** The person with another contact. Throws `setting-invalid`. */
export function withContact(person: Person, change: ContactChange, random: Random): Person {
  const { email: emailBefore, locale: localeBefore, ...others } = person;
  const { email: text, locale = localeBefore } = change;
  const given = typeof text === 'string' ? mailAddress(text, random) : text;
  const email = given === undefined ? emailBefore : given;
  return {
    ...others,
    ...(email !== null && email !== undefined && { email }),
    ...(locale !== null && locale !== undefined && { locale: checkLocale(locale) }),
  };
}

/** The address with a salt of its own. Throws `setting-invalid`, which does not repeat it. */
function mailAddress(text: string, random: Random): MailAddress {
  const address = text.trim();
  if (isMailAddress(address)) {
    return { address, salt: Buffer.from(random.bytes(SALT_BYTES)).toString('base64') };
  }
  throw new DomainError('setting-invalid', {
    detail:
      `email: expected name@host of ASCII letters, at most ${ADDRESS_CHARACTERS_MAX} characters, ` +
      `got ${address.length} others`,
  });
}

/** Throws `setting-invalid` for a language that nothing is written in. */
function checkLocale(text: string): Locale {
  const locale = LOCALES.find((one) => one === text);
  if (locale !== undefined) return locale;
  throw new DomainError('setting-invalid', {
    detail: `locale: expected ${LOCALES.join(', ')}, got ${text.length} other characters`,
  });
}
