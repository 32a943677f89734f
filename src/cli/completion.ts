/**
 * `completion`: a script for the shell that completes nouns, verbs and options, made from the
 * commands that there are. It asks nothing of the service, so that a Tab is instant.
 */
import {
  type Command,
  type DescribedCommand,
  EXIT,
  optionsOf,
  type Positional,
  UsageError,
} from './command.ts';
import { BIN } from './help.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What of a name a shell's own function may be called. */
const FUNCTION = `_${BIN.replaceAll('-', '_')}`;

export const completionCommand = (commands: readonly DescribedCommand[]): Command => ({
  words: 'completion',
  summary: `Print the completion of ${BIN} for a shell`,
  positionals: [{ help: SHELLS.join(', '), name: 'SHELL' }],
  example: 'completion bash',
  async run({ output }, given) {
    const shell = SHELLS.find((one) => one === given.positionals[0]);
    if (shell === undefined) throw new UsageError(`SHELL: expected ${SHELLS.join(', ')}`);
    const script = SCRIPTS[shell]([...commands, completionCommand(commands)]);
    output.result({ script, shell }, script.trimEnd());
    return EXIT.done;
  },
});

const SCRIPTS: Readonly<Record<Shell, (commands: readonly DescribedCommand[]) => string>> = {
  bash: bashScript,
  fish: fishScript,
  zsh: zshScript,
};

/** Words that may follow what was typed: of every beginning of a command, in the help's order. */
export function nextWords(commands: readonly DescribedCommand[]): Map<string, readonly string[]> {
  const next = new Map<string, Set<string>>();
  for (const { words } of commands) {
    const all = words.split(' ');
    for (const [at, word] of all.entries()) {
      const typed = all.slice(0, at).join(' ');
      const known = next.get(typed) ?? new Set();
      next.set(typed, known.add(word));
    }
  }
  return new Map([...next].map(([typed, words]) => [typed, [...words]]));
}

const optionNames = (command: DescribedCommand): string[] =>
  optionsOf(command).map(({ name }) => `--${name}`);

/** A value of these is a path, or it stands by itself as one. */
const isFile = (value: string | undefined): boolean =>
  value !== undefined && /^(FILE|FOLDER|XSD|PACKAGE|ANSWER)$/.test(value);

const takesFile = ({ options = [], positionals = [] }: DescribedCommand): boolean =>
  positionals.some(({ name }: Positional) => isFile(name)) ||
  options.some(({ value }) => isFile(value));

/**
 * One function for bash and zsh: it finds the longest command that was typed. Its variables have
 * none of the names that are special to zsh, such as `words` and `options`.
 */
function bashScript(commands: readonly DescribedCommand[]): string {
  const next = [...nextWords(commands)].map(
    ([typed, words]) => `    '${typed}') follow='${words.join(' ')}' ;;`,
  );
  const options = commands.map(
    (command) => `    '${command.words}') flags='${optionNames(command).join(' ')}' ;;`,
  );
  const files = commands.filter(takesFile).map(({ words }) => `'${words}'`);
  return `# bash completion of ${BIN}: source <(${BIN} completion bash)
${FUNCTION}() {
  local typed='' word follow='' flags='' at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    case "$word" in -*) break ;; esac
    case "\${typed:+$typed }$word" in
      ${everyBeginning(commands)}) typed="\${typed:+$typed }$word" ;;
      *) break ;;
    esac
  done
  case "$typed" in
${next.join('\n')}
  esac
  case "$typed" in
${options.join('\n')}
  esac
  word="\${COMP_WORDS[COMP_CWORD]}"
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *)
      [ "$at" -eq "$COMP_CWORD" ] && COMPREPLY=($(compgen -W "$follow" -- "$word"))
      case "$typed" in
        ${files.join('|')}) [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word")) ;;
      esac
      ;;
  esac
}
complete -o filenames -F ${FUNCTION} ${BIN}
`;
}

const everyBeginning = (commands: readonly DescribedCommand[]): string => {
  const beginnings = commands.flatMap(({ words }) => {
    const all = words.split(' ');
    return all.map((_, at) => all.slice(0, at + 1).join(' '));
  });
  return [...new Set(beginnings)].map((typed) => `'${typed}'`).join('|');
};

function zshScript(commands: readonly DescribedCommand[]): string {
  return `#compdef ${BIN}
# zsh completion of ${BIN}: source <(${BIN} completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

function fishScript(commands: readonly DescribedCommand[]): string {
  const quoted = (text: string): string =>
    `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const rows = commands.flatMap((command) => {
    const typed = command.words.split(' ');
    const word = typed.at(-1) ?? '';
    const before = quoted(`${FUNCTION}_typed ${typed.slice(0, -1).join(' ')}`.trimEnd());
    const behind = quoted(`${FUNCTION}_behind ${command.words}`);
    return [
      `complete -c ${BIN} -n ${before} -f -a ${word} -d ${quoted(command.summary)}`,
      ...optionsOf(command).map(({ help, name, value }) => {
        const file = isFile(value) ? ' -r -F' : value === undefined ? '' : ' -x';
        return `complete -c ${BIN} -n ${behind} -l ${name}${file} -d ${quoted(help)}`;
      }),
    ];
  });
  return `# fish completion of ${BIN}: ${BIN} completion fish | source
function ${FUNCTION}_words
  string match -v -- '-*' (commandline -opc)[2..]
end
function ${FUNCTION}_typed
  test (string join ' ' (${FUNCTION}_words)) = (string join ' ' $argv)
end
function ${FUNCTION}_behind
  string match -q -- (string join ' ' $argv)'*' (string join ' ' (${FUNCTION}_words))
end
${nouns(commands)}
${rows.join('\n')}
`;
}

/** Words that are no command by themselves: `batch` before `batch list`. */
function nouns(commands: readonly DescribedCommand[]): string {
  const whole = new Set(commands.map(({ words }) => words));
  return [...nextWords(commands)]
    .flatMap(([typed, words]) =>
      words
        .filter((word) => !whole.has(`${typed} ${word}`.trim()))
        .map((word) => {
          const before = `'${`${FUNCTION}_typed ${typed}`.trimEnd()}'`;
          return `complete -c ${BIN} -n ${before} -f -a ${word}`;
        }),
    )
    .join('\n');
}
