/**
 * What a command prints: results to standard output (text for people, one line of JSON for
 * machines), progress and errors to standard error, so that a pipe carries results alone.
 */
export interface Output {
  /** The result, in the form that was asked for. */
  result(value: object, text: string): void;
  /** For people only: nothing with --json. */
  note(text: string): void;
  progress(state: Progress): void;
  /** One sentence. */
  error(text: string): void;
}

export interface Progress {
  readonly label: string;
  /** 0..1 */
  readonly share: number;
  /** Where there is no bar: a line of a log, set when there is something new. */
  readonly line?: string;
}

export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
}

const BAR_CELLS = 30;
const CLEAR_LINE = '\r\u001b[2K';

export function createOutput(streams: Streams, form: { readonly isJson: boolean }): Output {
  const isLive = streams.err.isTTY === true && !form.isJson;
  let isBarShown = false;
  const clear = (): void => {
    if (isBarShown) streams.err.write(CLEAR_LINE);
    isBarShown = false;
  };
  return {
    error: (text) => {
      clear();
      streams.err.write(`${text}\n`);
    },
    note: (text) => {
      clear();
      if (!form.isJson) streams.err.write(`${text}\n`);
    },
    progress: ({ label, line, share }) => {
      if (!isLive) {
        if (line !== undefined && !form.isJson) streams.err.write(`${line}\n`);
        return;
      }
      const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_CELLS);
      const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
      streams.err.write(`${CLEAR_LINE}${bar} ${Math.floor(share * 100)}% ${label}`);
      isBarShown = true;
    },
    result: (value, text) => {
      clear();
      streams.out.write(`${form.isJson ? JSON.stringify(value) : text}\n`);
    },
  };
}

/**
 * Columns under their headings. Cells hold ids and counts; control characters are shown as dots.
 */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows.map((row) => row.map(printable))];
  const widths = headings.map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A name from the store must not move the cursor of an administrator's terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '·');

/** `3 d`, `5 h`, `12 min`: the largest unit that fits. */
export function ageOf(at: number, now: number): string {
  const minutes = Math.max(0, Math.floor((now - at) / 60_000));
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}

/** JSON for people: indented, and nothing in it that a terminal would obey. */
export const jsonLines = (shown: object): string =>
  JSON.stringify(shown, undefined, 2).split('\n').map(printable).join('\n');
