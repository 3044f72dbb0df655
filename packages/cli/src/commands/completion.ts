import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import { define, examples } from '../output.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The script names all commands and options of this release, so a shell completes without calling grove. */
export function defineCompletion(program: Command): void {
  define(program, 'completion <shell>', 'print the script that completes commands in bash, zsh or fish')
    .addHelpText(
      'after',
      examples(
        'grove completion bash > /etc/bash_completion.d/grove',
        'grove completion zsh > ~/.zfunc/_grove',
        'grove completion fish > ~/.config/fish/completions/grove.fish',
      ),
    )
    .action((shell: string) => {
      const knownShell = SHELLS.find((each) => each === shell);
      if (!knownShell) throw new UsageError(`The shell is one of ${SHELLS.join(', ')}`);
      process.stdout.write(SCRIPTS[knownShell](wordsOf(program)));
    });
}

/** The words that may follow a command path; the key of the first words is empty. */
export type Words = Map<string, string[]>;

export function wordsOf(command: Command, path = '', words: Words = new Map()): Words {
  const commands = command.commands.map((each) => each.name());
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  words.set(path, [...commands, ...options]);
  for (const each of command.commands) wordsOf(each, path === '' ? each.name() : `${path} ${each.name()}`, words);
  return words;
}

const cases = (words: Words, line: (path: string, next: string) => string) =>
  [...words].map(([path, next]) => line(path, next.join(' '))).join('\n');

const SCRIPTS: Record<(typeof SHELLS)[number], (words: Words) => string> = {
  bash: (words) => `# grove completion bash
_grove() {
  local path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\${path:+$path }$word" ;; esac
  done
  local next=""
  while :; do
    case "$path" in
${cases(words, (path, next) => `      "${path}") next="${next}"; break ;;`)}
      *" "*) path="\${path% *}" ;;
      *) path="" ;;
    esac
  done
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _grove grove
`,
  zsh: (words) => `#compdef grove
# grove completion zsh
_grove() {
  local path_so_far="" word next=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*|"") ;; *) path_so_far="\${path_so_far:+$path_so_far }$word" ;; esac
  done
  while :; do
    case "$path_so_far" in
${cases(words, (path, next) => `      "${path}") next="${next}"; break ;;`)}
      *" "*) path_so_far="\${path_so_far% *}" ;;
      *) path_so_far="" ;;
    esac
  done
  compadd -- \${=next}
}
# Found in fpath, this file is the function itself at its first call; sourced, it only names the function.
if [[ "\${funcstack[1]}" == _grove ]]; then _grove "$@"; else compdef _grove grove; fi
`,
  fish: (words) => `# grove completion fish
function __grove_next
  set -l words
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; or set -a words $word
  end
  while true
    switch "$words"
${cases(words, (path, next) => `      case '${path}'\n        string split -- ' ' '${next}'\n        return`)}
    end
    set -e words[-1]
  end
end
complete -c grove -a '(__grove_next)'
`,
};
