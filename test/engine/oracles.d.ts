/** Types of an oracle, which ships none. */
declare module 'jaro-winkler' {
  export default function distance(a: string, b: string): number;
}
