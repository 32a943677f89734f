/** What a drill asks of the product, and what it saw. */
export interface DrillRow {
  readonly drill: string;
  readonly asked: string;
  readonly measured: string;
  /** Absent: told, and not judged. */
  readonly isMet?: boolean;
}

/** A fault by itself. */
export type FaultPart = (typeof FAULT_PARTS)[number];

export const FAULT_PARTS = ['kills', 'clocks', 'disk'] as const;

export interface DrillOptions {
  /** Seconds instead of minutes, for `npm test`: nothing is judged that hangs on speed. */
  readonly isShort: boolean;
  /** Customers of `customers`; absent: as many as were promised. */
  readonly count?: number;
  /** How long the drill may press, in minutes. */
  readonly minutes: number;
  /** One fault of `faults` alone; absent: all of them. */
  readonly part?: FaultPart;
  /** One installation of `hostile` alone; absent: both. */
  readonly stage?: 'default' | 'strict';
  /** Where `faults` has its records. */
  readonly store: 'mongo' | 'sqlite';
}

/** Adds rows, and says each when it is known: a drill that is cut off has told what it saw. */
export class Findings {
  readonly rows: DrillRow[] = [];
  readonly #drill: string;
  readonly #isShort: boolean;

  constructor(drill: string, { isShort }: Pick<DrillOptions, 'isShort'>) {
    this.#drill = drill;
    this.#isShort = isShort;
  }

  judge(asked: string, measured: string, isMet: boolean): void {
    this.#add({ asked, drill: this.#drill, isMet, measured });
  }

  /** What hangs on how fast the machine is: told alone where the drill is short. */
  judgeSpeed(asked: string, measured: string, isMet: boolean): void {
    if (this.#isShort) this.tell(asked, measured);
    else this.judge(asked, measured, isMet);
  }

  tell(asked: string, measured: string): void {
    this.#add({ asked, drill: this.#drill, measured });
  }

  #add(row: DrillRow): void {
    this.rows.push(row);
    console.warn(`${wordOf(row)}: ${row.drill}: ${row.asked}: ${row.measured}`);
  }
}

export const wordOf = ({ isMet }: DrillRow): string => {
  if (isMet === undefined) return 'told';
  return isMet ? 'met' : 'NOT MET';
};
