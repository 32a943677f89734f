/** A small CSV, whole in memory: its rows by the names of their columns, with their lines. */
import { DomainError } from '#core/kernel';
import { CsvSplitter, fieldsOf, type RecordSink } from '#platform/csv/csvSplitter';

/** Which columns there may be, and how many rows. */
export interface CsvShape {
  readonly columns: readonly string[];
  readonly required: readonly string[];
  readonly rowsMax: number;
}

/** A row; fields without text are absent. */
export interface CsvRow {
  readonly line: number;
  readonly fields: Readonly<Record<string, string>>;
}

/** Throws `csv-invalid` or `body-too-large`. */
export function csvRows(bytes: Uint8Array, shape: CsvShape): readonly CsvRow[] {
  const sink = new Rows(shape);
  const splitter = new CsvSplitter(sink);
  splitter.push(Buffer.from(bytes));
  splitter.finish();
  if (sink.width === undefined) throw refused(shape, 'found an empty file');
  return sink.rows;
}

class Rows implements RecordSink {
  readonly rows: CsvRow[] = [];
  readonly #shape: CsvShape;
  #columns: readonly string[] | undefined;

  constructor(shape: CsvShape) {
    this.#shape = shape;
  }

  get width(): number | undefined {
    return this.#columns?.length;
  }

  record(text: string, at: Parameters<RecordSink['record']>[1]): void {
    const fields = fieldsOf(text, at);
    if (this.#columns === undefined) {
      this.#columns = this.#header(fields);
      return;
    }
    if (fields.length !== this.#columns.length) {
      throw this.refuse(`line ${at.line}: expected ${this.#columns.length} fields`);
    }
    if (this.rows.length === this.#shape.rowsMax) {
      const detail = `line ${at.line}: expected at most ${this.#shape.rowsMax} rows`;
      throw new DomainError('body-too-large', { detail });
    }
    const named = this.#columns.flatMap((name, place) => {
      const value = fields[place]?.trim();
      return value ? [[name, value] as const] : [];
    });
    this.rows.push({ fields: Object.fromEntries(named), line: at.line });
  }

  broken(line: number): void {
    throw this.refuse(`line ${line}: expected a row whose quotes close`);
  }

  refuse(detail: string): DomainError {
    return refused(this.#shape, detail);
  }

  #header(fields: readonly string[]): readonly string[] {
    const names = fields.map((field) => field.trim().toLowerCase());
    const { columns, required } = this.#shape;
    const missing = required.filter((name) => !names.includes(name));
    const unknown = names.findIndex((name) => !columns.includes(name));
    if (missing.length > 0) throw this.refuse(`missing: ${missing.join(', ')}`);
    if (unknown >= 0) throw this.refuse(`column ${unknown + 1} has an unknown name`);
    if (new Set(names).size < names.length) throw this.refuse('a column stands twice');
    return names;
  }
}

const refused = ({ columns }: CsvShape, detail: string): DomainError =>
  new DomainError('csv-invalid', {
    detail: `expected the columns ${columns.join(', ')}; ${detail}`,
  });
