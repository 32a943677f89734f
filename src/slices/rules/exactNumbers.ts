/**
 * Numbers of rules are exact: integers (counts, milliseconds, minor units of the base currency) and
 * fractions of integers. So a bound is met or not met alike on every machine, and no sum depends on
 * the order of its parts. An integer is a number as long as that is exact, else a bigint.
 */

/** An integer of any size. */
export type Int = number | bigint;

/** A fraction; the denominator is above zero. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

/** A number of a rule. */
export type Exact = Int | Fraction;

const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d{1,10}))?$/;

/** Whether a text is a decimal of up to 15 digits and 10 after the point. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** The value of a decimal; throws where it is none, as its caller has checked it. */
export function fractionOf(text: string): Fraction {
  const [, sign, whole, digits = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new TypeError('expected a decimal string');
  return { d: 10n ** BigInt(digits.length), n: BigInt(`${sign}${whole}${digits}`) };
}

const isFraction = (value: Exact): value is Fraction => typeof value === 'object';

/** The sum, as a number while that is exact. */
export function plus(one: Int, other: Int): Int {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return narrow(BigInt(one) + BigInt(other));
}

/** The difference, likewise. */
export function minus(one: Int, other: Int): Int {
  if (typeof one === 'number' && typeof other === 'number') {
    const difference = one - other;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return narrow(BigInt(one) - BigInt(other));
}

/** The same integer, as a number where that is exact. */
export const narrow = (value: bigint): Int => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

/** Negative, zero or positive, as for sorting. */
export function compare(one: Exact, other: Exact): number {
  if (!isFraction(one) && !isFraction(other)) return one < other ? -1 : one > other ? 1 : 0;
  const a = asFraction(one);
  const b = asFraction(other);
  const left = a.n * b.d;
  const right = b.n * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Any exact number as a fraction. */
export const asFraction = (value: Exact): Fraction =>
  isFraction(value) ? value : { d: 1n, n: BigInt(value) };

/** The quotient; undefined for a denominator of zero, or below. */
export function over(one: Exact, other: Exact): Fraction | undefined {
  const a = asFraction(one);
  const b = asFraction(other);
  if (b.n <= 0n) return undefined;
  return { d: a.d * b.n, n: a.n * b.d };
}

/** The product. */
export function times(one: Exact, other: Exact): Fraction {
  const a = asFraction(one);
  const b = asFraction(other);
  return { d: a.d * b.d, n: a.n * b.n };
}

/**
 * The integer below or at the square root, by Newton's steps from above: some ten for any amount.
 * A guess by floating point is off by millions where squares have forty digits.
 */
export function rootOf(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

/** The nearest integer; a tie goes to the even one. */
export function halfEven({ d, n }: Fraction): bigint {
  const isNegative = n < 0n;
  const size = isNegative ? -n : n;
  const whole = size / d;
  const rest = 2n * (size % d);
  const up = rest > d || (rest === d && whole % 2n === 1n);
  const rounded = up ? whole + 1n : whole;
  return isNegative ? -rounded : rounded;
}

/** As it is shown: four digits after the point at the most, rounded half to even. */
export function shown(value: Exact): string {
  if (!isFraction(value)) return String(value);
  const scaled = halfEven({ d: value.d, n: value.n * 10_000n });
  const isNegative = scaled < 0n;
  const digits = String(isNegative ? -scaled : scaled).padStart(5, '0');
  const fraction = digits.slice(-4).replace(/0{1,4}$/, '');
  const text = digits.slice(0, -4) + (fraction === '' ? '' : `.${fraction}`);
  return isNegative ? `-${text}` : text;
}

/** A decimal in minor units of a currency with so many digits; halves go to the even unit. */
export function minorOf(text: string, exponent: number): Int {
  const { d, n } = fractionOf(text);
  return narrow(halfEven({ d, n: n * 10n ** BigInt(exponent) }));
}
