/**
 * What a part says of each problem that it can meet: one row, from which the answer over HTTP, the
 * page under /problems, the exit code of the command line and docs/errors.md are made.
 *
 * A part declares its rows in its `problems.ts` and adds their codes to `ProblemCodes` beside them,
 * so that a code without a row does not compile and no other part lists it.
 */

/** One problem. Its code is the key that it stands under, and the slug of its page. */
export interface ProblemRow {
  /** The status of HTTP, 400 and above. */
  readonly status: number;
  readonly title: string;
  /** What happened; also the `detail` where a document has no closer one. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
  /** When the same call may pass, where the error itself does not say. */
  readonly retryAfterS?: number;
  /** How the command line ends; absent: refused. */
  readonly exit?: 'notFound' | 'unavailable';
}

/** A part's rows by their codes. */
export type ProblemRows = Readonly<Record<string, ProblemRow>>;

/** The codes of some rows, to extend `ProblemCodes` by. */
export type CodesOf<Rows extends ProblemRows> = { readonly [Code in keyof Rows]: ProblemRow };

/** The remedy where nothing but time helps. */
export const WAIT = 'Send the same request again after Retry-After seconds.';
/** The remedy where the violations of the document say it all. */
export const SEE_ERRORS = 'Correct what `errors` lists; it names every violation.';
