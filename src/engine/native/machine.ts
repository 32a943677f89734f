/**
 * What the kernels ask of the machine, in plain typed arrays; machine.as.ts says the same to
 * WebAssembly. Addresses are bytes from the start of the memory that was bound; i32 arithmetic is
 * written with `| 0` in the kernels, so both answer the same to the last bit.
 */
let u8: Uint8Array = new Uint8Array(0);
let u16: Uint16Array = new Uint16Array(0);
let view32: Int32Array = new Int32Array(0);
let view64: Float64Array = new Float64Array(0);

/** Takes the memory that all following calls read and write. */
export function bind(buffer: SharedArrayBuffer): void {
  if (u8.buffer === buffer) return;
  u8 = new Uint8Array(buffer);
  u16 = new Uint16Array(buffer);
  view32 = new Int32Array(buffer);
  view64 = new Float64Array(buffer);
}

export function getU8(at: i32): i32 {
  return u8[at] as number;
}
export function setU8(at: i32, value: i32): void {
  u8[at] = value;
}
export function getU16(at: i32): i32 {
  return u16[at >> 1] as number;
}
export function setU16(at: i32, value: i32): void {
  u16[at >> 1] = value;
}
export function get32(at: i32): i32 {
  return view32[at >> 2] as number;
}
export function set32(at: i32, value: i32): void {
  view32[at >> 2] = value;
}
export function getF64(at: i32): f64 {
  return view64[at >> 3] as number;
}
export function setF64(at: i32, value: f64): void {
  view64[at >> 3] = value;
}
export function fill(at: i32, value: i32, bytes: i32): void {
  u8.fill(value, at, at + bytes);
}
export function copy(to: i32, from: i32, bytes: i32): void {
  u8.copyWithin(to, from, from + bytes);
}

/** Copies a few bytes; behind them up to 15 more may be overwritten. */
export function copyShort(to: i32, from: i32, bytes: i32): void {
  for (let at = 0; at < bytes; at++) u8[to + at] = u8[from + at] as number;
}

/** Bits set. */
export function popcount(bits: i32): i32 {
  let value = bits - ((bits >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
/** Number of the lowest bit set; 32 for none. */
export function lowestBit(bits: i32): i32 {
  return bits === 0 ? 32 : 31 - Math.clz32(bits & -bits);
}
export function multiply(a: i32, b: i32): i32 {
  return Math.imul(a, b);
}
/** a < b, both taken as unsigned. */
export function below(a: i32, b: i32): bool {
  return a >>> 0 < b >>> 0;
}
/** Towards zero. */
export function integer(value: f64): i32 {
  return Math.trunc(value) | 0;
}
/** An i32 as f64, so that what follows is no integer arithmetic. */
export function real(value: i32): f64 {
  return value;
}
/** a / b towards zero. */
export function quotient(a: i32, b: i32): i32 {
  return (a / b) | 0;
}
