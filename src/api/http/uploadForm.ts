/**
 * A form with one file, such as an upload of customers: a few short fields, and a stream that is
 * read as it arrives, with the parts in any order.
 *
 * The file's stream ends only after all of the form has come and was found right: the fields that
 * follow it, the closing boundary, the end of the body. So the receiver keeps the file only if the
 * whole request is good, and nothing has to be removed again.
 */
import assert from 'node:assert/strict';
import { DomainError, type Violation } from '#core/kernel';
import { boundaryOf, type FormPart, MultipartReader } from './multipart.ts';

export const FIELD_BYTES_MAX = 65_536;
export const FILE_NAME_CHARS_MAX = 255;

export interface UploadFormOptions<Taken> {
  /** Name of the part that is the file. */
  readonly fileField: string;
  /** Names of the other parts that may come; each at most once. */
  readonly fields: readonly string[];
  /** Violations of the fields, called once all of them have come, empty ones included. */
  check(fields: ReadonlyMap<string, string>): readonly Violation[];
  /** Reads to the end, which may throw. Called once, and not at all where there is no file. */
  take(bytes: AsyncIterable<Uint8Array>): Promise<Taken>;
}

export interface UploadForm<Taken> {
  readonly fields: ReadonlyMap<string, string>;
  /** The last part of the name that was sent, without control characters: only to be shown. */
  readonly fileName: string | undefined;
  readonly file: Taken;
}

/**
 * Throws `media-type-unsupported`, `multipart-malformed`, `body-invalid` with every violation,
 * `body-too-large`, or what `bytes` and `take` throw.
 */
export async function readUploadForm<Taken>(
  request: { readonly contentType: string | undefined; readonly bytes: AsyncIterable<Uint8Array> },
  options: UploadFormOptions<Taken>,
): Promise<UploadForm<Taken>> {
  const reader = new MultipartReader(request.bytes, boundaryOf(request.contentType));
  const fields = new Map<string, string>();
  const file = await fieldsUntilFile(reader, fields, options);
  if (file === undefined) {
    const { fileField } = options;
    const missing = { code: 'missing', detail: 'expected a file', pointer: `/${fileField}` };
    throw invalid([...options.check(fields), missing]);
  }
  let isWhole = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    yield* reader.body();
    const second = await fieldsUntilFile(reader, fields, options);
    if (second !== undefined) throw invalid([repeated(second.name)]);
    const violations = options.check(fields);
    if (violations.length > 0) throw invalid(violations);
    isWhole = true;
  }
  const taken = await options.take(content());
  assert(isWhole, 'a file is read to its end');
  return { fields, file: taken, fileName: shownName(file.fileName) };
}

async function fieldsUntilFile(
  reader: MultipartReader,
  fields: Map<string, string>,
  { fields: known, fileField }: UploadFormOptions<unknown>,
): Promise<FormPart | undefined> {
  for (;;) {
    const part = await reader.next();
    if (part === undefined || part.name === fileField) return part;
    if (!known.includes(part.name)) {
      const detail = `expected only ${[...known, fileField].join(', ')}`;
      const pointer = `/${part.name.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1')}`;
      throw invalid([{ code: 'unknown-member', detail, pointer }]);
    }
    if (fields.has(part.name)) throw invalid([repeated(part.name)]);
    fields.set(part.name, await readField(reader, part.name));
  }
}

async function readField(reader: MultipartReader, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of reader.body()) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > FIELD_BYTES_MAX) {
      const detail = `/${name}: expected at most ${FIELD_BYTES_MAX} bytes`;
      throw new DomainError('body-too-large', { detail });
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    const detail = `${name}: expected UTF-8`;
    const violations = [{ code: 'format', detail, pointer: `/${name}` }];
    throw new DomainError('body-invalid', { cause, detail, violations });
  }
}

const repeated = (name: string): Violation => ({
  code: 'repeated',
  detail: `${name}: expected once`,
  pointer: `/${name}`,
});

const invalid = (violations: readonly Violation[]): DomainError =>
  new DomainError('body-invalid', {
    detail: violations.map((one) => one.detail).join('; '),
    violations,
  });

/** Control characters, and those that turn text around (Unicode TR 36). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function shownName(sent: string | undefined): string | undefined {
  const name = sent?.split(/[\\/]/).at(-1)?.replaceAll(UNSHOWN, '').trim() ?? '';
  return name === '' ? undefined : [...name].slice(0, FILE_NAME_CHARS_MAX).join('');
}
