// The machine of machine.ts for asc: the same names, WebAssembly instructions behind them.
// @ts-nocheck

export function getU8(at: i32): i32 {
  return load<u8>(at);
}
export function setU8(at: i32, value: i32): void {
  store<u8>(at, value);
}
export function getU16(at: i32): i32 {
  return load<u16>(at);
}
export function setU16(at: i32, value: i32): void {
  store<u16>(at, value);
}
export function get32(at: i32): i32 {
  return load<i32>(at);
}
export function set32(at: i32, value: i32): void {
  store<i32>(at, value);
}
export function getF64(at: i32): f64 {
  return load<f64>(at);
}
export function setF64(at: i32, value: f64): void {
  store<f64>(at, value);
}
export function fill(at: i32, value: i32, bytes: i32): void {
  memory.fill(at, <u8>value, bytes);
}
export function copy(to: i32, from: i32, bytes: i32): void {
  memory.copy(to, from, bytes);
}
export function copyShort(to: i32, from: i32, bytes: i32): void {
  if (bytes <= 16) {
    v128.store(to, v128.load(from));
    return;
  }
  memory.copy(to, from, bytes);
}
export function popcount(bits: i32): i32 {
  return popcnt(bits);
}
export function lowestBit(bits: i32): i32 {
  return ctz(bits);
}
export function multiply(a: i32, b: i32): i32 {
  return a * b;
}
export function below(a: i32, b: i32): bool {
  return <u32>a < <u32>b;
}
export function integer(value: f64): i32 {
  return <i32>value;
}
export function real(value: i32): f64 {
  return <f64>value;
}
export function quotient(a: i32, b: i32): i32 {
  return a / b;
}
