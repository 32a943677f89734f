/** What is found odd about a form, and what it is compared with. */
import type { FormFinding } from './taxForm.ts';
import type { EntitySubject, FfiState, IndividualSubject } from './taxSubject.ts';
import type { TinState } from './tin.ts';

/** A number on a form, and what is known of it. */
export interface CheckedTin {
  readonly pointer: string;
  readonly country: string;
  readonly state: TinState;
}

/** What is known beside a form when it comes. */
export interface FormContext {
  /** A day. */
  readonly today: string;
  /** What the holder in force was classified by, as it was stated. */
  readonly subject?: EntitySubject | IndividualSubject;
  /** Where the institution is, by the same. */
  readonly home?: string;
  /** What the FFI list says of the GIIN; absent: there is no list, or no GIIN. */
  readonly giin?: FfiState;
  /** A Form W-8 of the holder stands. */
  readonly hasForeignForm?: boolean;
}

/** Notes findings; one of each code and place. */
export class Findings {
  readonly all: FormFinding[] = [];

  add(pointer: string, code: string, severity: FormFinding['severity']): void {
    if (this.all.some((one) => one.pointer === pointer && one.code === code)) return;
    this.all.push({ code, pointer, severity });
  }

  when(is: boolean, pointer: string, code: string, severity: FormFinding['severity']): void {
    if (is) this.add(pointer, code, severity);
  }

  /** Lines that a form has to have. */
  need(fields: object, names: readonly string[]): void {
    for (const name of names) {
      const value = (fields as Readonly<Record<string, unknown>>)[name];
      const isThere = Array.isArray(value) ? value.length > 0 : value !== undefined;
      this.when(!isThere, `/fields/${name}`, 'missing', 'error');
    }
  }
}
