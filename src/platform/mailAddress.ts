/**
 * Mail addresses of the plain kind. What is quoted, commented or routed in an address has no place
 * in a header, and none in a command to a mail server.
 */
export const ADDRESS_CHARACTERS_MAX = 254;
const LOCAL_CHARACTERS_MAX = 64;
const LABEL_CHARACTERS_MAX = 63;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const LABEL = /^[A-Za-z0-9-]+$/;

/** Whether a text is a mail address that we write to: dot-atoms, and a host's name. */
export function isMailAddress(text: string): boolean {
  const [local = '', host = '', ...more] = text.split('@');
  return (
    more.length === 0 &&
    text.length <= ADDRESS_CHARACTERS_MAX &&
    local.length <= LOCAL_CHARACTERS_MAX &&
    local.split('.').every((part) => LOCAL_PART.test(part)) &&
    host.split('.').every(isLabel)
  );
}

const isLabel = (label: string): boolean =>
  label.length <= LABEL_CHARACTERS_MAX &&
  LABEL.test(label) &&
  !label.startsWith('-') &&
  !label.endsWith('-');
