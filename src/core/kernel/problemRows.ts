/**
 * What a part declares of each problem that it can meet: one row. The answer over HTTP, the page
 * under /problems, the exit code of the command line and docs/errors.md are made from it.
 *
 * A part declares its rows in its `problems.ts` and adds their codes to `ProblemCodes` beside them.
 * So a code without a row does not compile, and no other part lists it.
 */

/** One problem. Its key in the table is its code and the slug of its page. */
export interface ProblemRow {
  /** Status of the HTTP answer, 400 and above. */
  readonly status: number;
  readonly title: string;
  /** What happened. It is also the `detail` of a document that has no closer one. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
  /** Seconds after which the same call may pass, where the error itself does not say. */
  readonly retryAfterS?: number;
  /** How the command line ends. Absent: refused. */
  readonly exit?: 'notFound' | 'unavailable';
  /**
   * What is stored is not what was signed: any call may meet it, and the log tells the operator.
   */
  readonly isTampering?: true;
}

/** A part's rows by their codes. */
export type ProblemRows = Readonly<Record<string, ProblemRow>>;

/** The codes of some rows, to extend `ProblemCodes` by. */
export type CodesOf<Rows extends ProblemRows> = { readonly [Code in keyof Rows]: ProblemRow };

/** The remedy where only time helps. */
export const WAIT = 'Send the same request again after Retry-After seconds.';
/** The remedy where the violations of the document say everything. */
export const SEE_ERRORS = 'Correct what `errors` lists; it names every violation.';
