import { Argument, type Command, type Option } from 'commander';

/** What can follow the words typed so far, such as ` price rule`. */
type Level = { at: string; commands: readonly Command[]; options: readonly Option[]; values: string[] };

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof shells;

export function addCompletionCommand(program: Command, whole: () => Promise<Command>): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .addHelpText('after', help)
    .action(async (shell: Shell) => console.log(shells[shell](levelsOf(await whole()))));
}

const help = `
To load it at each start of the shell, for the installed command \`runcost\`:
  bash  echo 'source <(runcost completion bash)' >> ~/.bashrc
  zsh   echo 'source <(runcost completion zsh)' >> ~/.zshrc   (after compinit)
  fish  runcost completion fish > ~/.config/fish/completions/runcost.fish

Example:
  runcost completion bash
`;

function levelsOf(command: Command, at = ''): Level[] {
  const { commands, options } = command;
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return [{ at, commands, options, values }].concat(
    commands.flatMap((each) => levelsOf(each, `${at} ${each.name()}`)),
  );
}

const takesValue = (option: Option): boolean => option.required || option.optional;
const takesFile = (option: Option): boolean => /<(file|folder)>/.test(option.flags);

/** Quotes for single quotes of any shell. Fish reads a backslash in them too, so no text may end in one. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Patterns of `case` for the words that lead from one level to the next. */
const pathsOf = (levels: Level[]): string[] => levels.map(({ at }) => quoted(at)).slice(1);

/** Lines of `case` for an option before the cursor, which needs one of its values, a file, or any text. */
function valueCases(levels: Level[], choose: (values: string) => string, file: string): string[] {
  return levels.flatMap(({ at, options }) =>
    options.filter(takesValue).map((option) => {
      const suggest = option.argChoices ? choose(option.argChoices.join(' ')) : takesFile(option) ? file : '';
      return `    ${quoted(`${at} ${option.long}`)}) ${suggest}${suggest ? '; ' : ''}return ;;`;
    }),
  );
}

function bashScript(levels: Level[]): string {
  const choose = (words: string): string => `COMPREPLY=($(compgen -W ${quoted(words)} -- "$word"))`;
  const nextWords = levels.map(({ at, commands, options, values }) => {
    const words = [...commands.map((each) => each.name()), ...values, ...options.map(({ long }) => long)];
    return `    ${quoted(at)}) ${choose([...words, '--help'].join(' '))} ;;`;
  });
  return `# Completes runcost in bash: source <(runcost completion bash)
_runcost() {
  local word=\${COMP_WORDS[COMP_CWORD]} at= index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at \${COMP_WORDS[index]}" in
    ${pathsOf(levels).join('|')}) at+=" \${COMP_WORDS[index]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${valueCases(levels, choose, 'compopt -o default').join('\n')}
  esac
  case $at in
${nextWords.join('\n')}
  esac
  # A command may take files.
  [[ \${COMPREPLY[0]} ]] || compopt -o default
}
complete -F _runcost runcost`;
}

function zshScript(levels: Level[]): string {
  const described = (name: string, text: string): string => quoted(`${name}:${text}`);
  const choose = (words: string): string => `compadd -- ${words}`;
  const entries = levels.map(({ at, commands, options, values }) => {
    const words = [
      ...commands.map((each) => described(each.name(), each.description())),
      ...values.map(quoted),
    ];
    const flags = options.map((each) => described(each.long!, each.description));
    return `    ${quoted(at)}) words_=(${words.join(' ')}) flags=(${[...flags, "'--help:show help'"].join(' ')}) ;;`;
  });
  return `#compdef runcost
# Completes runcost in zsh, after compinit: source <(runcost completion zsh)
_runcost() {
  local at= word
  local -a words_ flags
  for word in \${words[2, CURRENT - 1]}; do
    case "$at $word" in
    ${pathsOf(levels).join('|')}) at+=" $word" ;;
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${valueCases(levels, choose, '_files').join('\n')}
  esac
  case $at in
${entries.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe option flags
  elif (( $#words_ )); then _describe command words_
  else _files; fi
}
compdef _runcost runcost`;
}

function fishScript(levels: Level[]): string {
  const lines = levels.flatMap(({ at, commands, options, values }) => {
    const here = `complete -c runcost -n ${quoted(`__runcost_at "${at}"`)}`;
    const takesNoFiles = commands.length > 0 || values.length > 0;
    return [
      ...(takesNoFiles ? [`${here} -f`] : []),
      ...commands.map((each) => `${here} -a ${each.name()} -d ${quoted(each.description())}`),
      ...values.map((value) => `${here} -a ${value}`),
      ...options.map((option) => {
        const value = !takesValue(option) ? '' : takesFile(option) ? ' -rF' : ' -x';
        const choices = option.argChoices ? ` -a ${quoted(option.argChoices.join(' '))}` : '';
        return `${here} -l ${option.long!.slice(2)}${value}${choices} -d ${quoted(option.description)}`;
      }),
    ];
  });
  return `# Completes runcost in fish: runcost completion fish > ~/.config/fish/completions/runcost.fish
function __runcost_at
  set -l at ''
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${pathsOf(levels).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c runcost -l help -d 'show help'
${lines.join('\n')}`;
}
