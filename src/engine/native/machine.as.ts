// The machine of machine.ts for asc: the same names, WebAssembly instructions behind them.
// @ts-nocheck

/** i32.load8_u. */
export function getU8(at: i32): i32 {
  return load<u8>(at);
}
/** i32.store8. */
export function setU8(at: i32, value: i32): void {
  store<u8>(at, value);
}
/** i32.load16_u. */
export function getU16(at: i32): i32 {
  return load<u16>(at);
}
/** i32.store16. */
export function setU16(at: i32, value: i32): void {
  store<u16>(at, value);
}
/** i32.load. */
export function get32(at: i32): i32 {
  return load<i32>(at);
}
/** i32.store. */
export function set32(at: i32, value: i32): void {
  store<i32>(at, value);
}
/** f64.load. */
export function getF64(at: i32): f64 {
  return load<f64>(at);
}
/** f64.store. */
export function setF64(at: i32, value: f64): void {
  store<f64>(at, value);
}
/** memory.fill. */
export function fill(at: i32, value: i32, bytes: i32): void {
  memory.fill(at, <u8>value, bytes);
}
/** memory.copy. */
export function copy(to: i32, from: i32, bytes: i32): void {
  memory.copy(to, from, bytes);
}
/** One v128 load and store up to 16 bytes, else memory.copy. */
export function copyShort(to: i32, from: i32, bytes: i32): void {
  if (bytes <= 16) {
    v128.store(to, v128.load(from));
    return;
  }
  memory.copy(to, from, bytes);
}
/** i32.popcnt. */
export function popcount(bits: i32): i32 {
  return popcnt(bits);
}
/** i32.ctz. */
export function lowestBit(bits: i32): i32 {
  return ctz(bits);
}
/** i32.mul, which wraps. */
export function multiply(a: i32, b: i32): i32 {
  return a * b;
}
/** i32.lt_u. */
export function below(a: i32, b: i32): bool {
  return <u32>a < <u32>b;
}
/** i32.trunc_f64_s, towards zero. */
export function integer(value: f64): i32 {
  return <i32>value;
}
/** f64.convert_i32_s. */
export function real(value: i32): f64 {
  return <f64>value;
}
/** i32.div_s, towards zero; traps where b is 0. */
export function quotient(a: i32, b: i32): i32 {
  return a / b;
}
