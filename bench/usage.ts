/** What a command of the benchmarks or drills says of itself: the comment its file begins with. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The first comment of a module, as it is read. */
export function usageOf(moduleUrl: string): string {
  const source = readFileSync(fileURLToPath(moduleUrl), 'utf8');
  const [, text = ''] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(source) ?? [];
  return text.replaceAll(/^ \* ?/gm, '');
}

/**
 * The arguments, read. `--help` prints the usage and ends with 0; what `parse` refuses ends with 2,
 * in words and without a trace of the stack.
 */
export function parsedOrExit<Given>(
  moduleUrl: string,
  parse: (argv: readonly string[]) => Given,
): Given {
  const argv = process.argv.slice(2);
  if (argv.includes('--help')) {
    console.log(usageOf(moduleUrl));
    process.exit(0);
  }
  try {
    return parse(argv);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usageOf(moduleUrl)}`);
    process.exit(2);
  }
}
