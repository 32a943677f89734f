/** A registry’s file as companies: NDJSON, an object a line, or CSV with a header. */
import { DomainError } from '#core/kernel';
import { csvRows } from '#slices/monitoring';
import { type Company, companyOf } from './company.ts';
import { type RegistryName, readIdentifier } from './identifiers.ts';
import { COMPANIES_MAX, FILE_BYTES_MAX } from './limits.ts';

const COLUMNS = [
  'identifier',
  'legal_name',
  'legal_name_ar',
  'trade_name',
  'legal_form',
  'status',
  'registered_on',
  'struck_off_on',
  'tax_id',
  'address',
  'city',
  'region',
  'postal_code',
  'country',
  'activity',
  'capital',
  'currency',
  'officers',
  'beneficial_owners',
] as const;
const BETWEEN_PEOPLE = '|';

interface Line {
  readonly line: number;
  readonly said: unknown;
}

/** By identifier, each once. Throws `registry-file-invalid`, and `csv-invalid`. */
export function readExtract(registry: RegistryName, bytes: Uint8Array): readonly Company[] {
  if (bytes.length > FILE_BYTES_MAX) {
    throw invalid(`expected at most ${FILE_BYTES_MAX} bytes, got ${bytes.length}`);
  }
  const isJson = Buffer.from(bytes.subarray(0, 16)).toString('latin1').trimStart().startsWith('{');
  const found = new Map<string, Company>();
  for (const { line, said } of isJson ? jsonLines(bytes) : csvLines(bytes)) {
    const company = companyIn(registry, said, line);
    if (found.has(company.identifier)) throw invalid(`line ${line}: an identifier stands twice`);
    if (found.size === COMPANIES_MAX) throw invalid(`expected at most ${COMPANIES_MAX} companies`);
    found.set(company.identifier, company);
  }
  if (found.size === 0) throw invalid('found no company');
  return [...found.values()].sort(byIdentifier);
}

const byIdentifier = (one: Company, other: Company): number =>
  one.identifier < other.identifier ? -1 : 1;

function companyIn(registry: RegistryName, said: unknown, line: number): Company {
  const given = (said as { readonly identifier?: unknown } | null)?.identifier;
  try {
    const { value } = readIdentifier(registry, typeof given === 'string' ? given : '');
    const company = companyOf(value, said);
    if (company !== undefined) return company;
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    throw invalid(`line ${line}: ${cause.message}`, cause);
  }
  throw invalid(`line ${line}: legal_name: expected a text`);
}

function* jsonLines(bytes: Uint8Array): Generator<Line> {
  const lines = Buffer.from(bytes).toString('utf8').split('\n');
  for (const [at, text] of lines.entries()) {
    if (text.trim() === '') continue;
    let said: unknown;
    try {
      said = JSON.parse(text);
    } catch (cause) {
      throw invalid(`line ${at + 1}: expected an object of JSON`, cause);
    }
    yield { line: at + 1, said };
  }
}

function* csvLines(bytes: Uint8Array): Generator<Line> {
  const required = ['identifier', 'legal_name'];
  for (const { fields, line } of csvRows(bytes, {
    columns: COLUMNS,
    required,
    rowsMax: COMPANIES_MAX,
  })) {
    const { beneficial_owners, officers } = fields;
    yield {
      line,
      said: {
        ...fields,
        beneficial_owners: beneficial_owners?.split(BETWEEN_PEOPLE),
        capital: { amount: fields.capital, currency: fields.currency },
        officers: officers?.split(BETWEEN_PEOPLE),
        registered_office: { ...fields, line1: fields.address },
      },
    };
  }
}

const invalid = (detail: string, cause?: unknown): DomainError =>
  new DomainError('registry-file-invalid', { detail, ...(cause !== undefined && { cause }) });
