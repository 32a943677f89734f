/** Types of the two oracles, which ship none. */
declare module 'jaro-winkler' {
  export default function distance(a: string, b: string): number;
}
declare module 'fast-levenshtein' {
  const levenshtein: { get(a: string, b: string): number };
  export default levenshtein;
}
