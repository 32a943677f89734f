/**
 * The machine instructions of the kernels, in plain typed arrays; machine.as.ts has the same for
 * WebAssembly. Addresses are bytes from the start of the bound memory. The kernels write i32
 * arithmetic with `| 0`, so both give the same results to the last bit.
 */
let u8: Uint8Array = new Uint8Array(0);
let u16: Uint16Array = new Uint16Array(0);
let view32: Int32Array = new Int32Array(0);
let view64: Float64Array = new Float64Array(0);

/** Binds the memory that all following calls read and write; the twin only. */
export function bind(buffer: SharedArrayBuffer): void {
  if (u8.buffer === buffer) return;
  u8 = new Uint8Array(buffer);
  u16 = new Uint16Array(buffer);
  view32 = new Int32Array(buffer);
  view64 = new Float64Array(buffer);
}

/** The byte at an address. */
export function getU8(at: i32): i32 {
  return u8[at] as number;
}
/** Stores the low 8 bits of a value. */
export function setU8(at: i32, value: i32): void {
  u8[at] = value;
}
/** The u16 at an even address. */
export function getU16(at: i32): i32 {
  return u16[at >> 1] as number;
}
/** Stores the low 16 bits of a value at an even address. */
export function setU16(at: i32, value: i32): void {
  u16[at >> 1] = value;
}
/** The i32 at an address that is a multiple of 4. */
export function get32(at: i32): i32 {
  return view32[at >> 2] as number;
}
/** Stores an i32 at an address that is a multiple of 4. */
export function set32(at: i32, value: i32): void {
  view32[at >> 2] = value;
}
/** The f64 at an address that is a multiple of 8. */
export function getF64(at: i32): f64 {
  return view64[at >> 3] as number;
}
/** Stores an f64 at an address that is a multiple of 8. */
export function setF64(at: i32, value: f64): void {
  view64[at >> 3] = value;
}
/** Sets `bytes` bytes from an address on to the low 8 bits of `value`. */
export function fill(at: i32, value: i32, bytes: i32): void {
  u8.fill(value, at, at + bytes);
}
/** Copies bytes; the ranges may overlap. */
export function copy(to: i32, from: i32, bytes: i32): void {
  u8.copyWithin(to, from, from + bytes);
}

/** Copies a few bytes, fast; up to 15 more bytes behind `to` may be overwritten. */
export function copyShort(to: i32, from: i32, bytes: i32): void {
  for (let at = 0; at < bytes; at++) u8[to + at] = u8[from + at] as number;
}

/** Number of bits set, 0..32. */
export function popcount(bits: i32): i32 {
  let value = bits - ((bits >>> 1) & 0x55555555);
  value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
  return Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
/** Number of the lowest bit that is set; 32 for none. */
export function lowestBit(bits: i32): i32 {
  return bits === 0 ? 32 : 31 - Math.clz32(bits & -bits);
}
/** a × b modulo 2^32, as i32. */
export function multiply(a: i32, b: i32): i32 {
  return Math.imul(a, b);
}
/** Whether a < b, both taken as unsigned. */
export function below(a: i32, b: i32): bool {
  return a >>> 0 < b >>> 0;
}
/** An f64 as i32, rounded towards zero. */
export function integer(value: f64): i32 {
  return Math.trunc(value) | 0;
}
/** An i32 as f64, so that the arithmetic with it is not integer arithmetic. */
export function real(value: i32): f64 {
  return value;
}
/** a / b as i32, rounded towards zero; b is not 0. */
export function quotient(a: i32, b: i32): i32 {
  return (a / b) | 0;
}
