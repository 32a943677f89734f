/** Values in DER (X.690), as much of it as requests for certificates are made of. */

/** One value: tag, length in its shortest form, content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = content.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(bytes)]), ...content]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => der(0x30, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => der(0x31, ...content);
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text));
/** Whole bytes. */
export const bitString = (bytes: Uint8Array): Buffer => der(0x03, Buffer.of(0), bytes);

/** From 0 to 127. */
export const smallInteger = (value: number): Buffer => der(0x02, Buffer.of(value));

/** As `1.2.840.10045.4.3.2`. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const arcs = [first * 40 + second, ...others];
  return der(0x06, Buffer.from(arcs.flatMap(base128)));
}

function base128(value: number): readonly number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) {
    digits.unshift((left % 128) + 128);
  }
  return digits;
}

function lengthOf(bytes: number): readonly number[] {
  if (bytes < 0x80) return [bytes];
  const digits: number[] = [];
  for (let left = bytes; left > 0; left = Math.floor(left / 256)) digits.unshift(left % 256);
  return [0x80 + digits.length, ...digits];
}

/** RFC 7468. */
export function pem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
