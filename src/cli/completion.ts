import { nearestName } from "../text/nearest-name.ts";
import { badUsage, type Command, exitCode } from "./command.ts";

const shells = { bash, zsh, fish } as const;

export const completion: Command = {
  name: "completion",
  usage: "SHELL",
  summary: "Prints a script that completes the commands and options of millrace in bash, zsh or fish.",
  details: "The examples show where each shell looks for it. The folder must exist.",
  options: {},
  examples: [
    "millrace completion bash > ~/.local/share/bash-completion/completions/millrace",
    "millrace completion zsh > ~/.zfunc/_millrace",
    "millrace completion fish > ~/.config/fish/completions/millrace.fish",
  ],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [shell], allCommands }) {
    if (!Object.hasOwn(shells, shell!)) {
      const near = nearestName(shell!, Object.keys(shells));
      throw badUsage(
        completion,
        `${JSON.stringify(shell)} is not bash, zsh or fish${near === undefined ? "" : `; did you mean ${near}?`}`,
      );
    }
    process.stdout.write(shells[shell as keyof typeof shells](await allCommands()));
    return exitCode.ok;
  },
};

function optionsOf({ options }: Command): string[] {
  return [...Object.keys(options), "help"].map((name) => `--${name}`);
}

function namesOf(commands: readonly Command[]): string {
  return commands.map(({ name }) => name).join(" ");
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => `    ${command.name}) options="${optionsOf(command).join(" ")}" ;;`);
  return `_millrace() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options="" IFS=$' \\t\\n'
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${namesOf(commands)} help --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) COMPREPLY=($(compgen -W "${namesOf(commands)}" -- "$word")); return ;;
${cases.join("\n")}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;;
  esac
  if [ "\${COMP_WORDS[1]}" = completion ]; then
    COMPREPLY=($(compgen -W "${Object.keys(shells).join(" ")}" -- "$word"))
    return
  fi
  IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$word"))
}
complete -o filenames -F _millrace millrace
`;
}

function zsh(commands: readonly Command[]): string {
  const names = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = commands.map((command) => {
    const options = Object.entries(command.options).map(
      ([option, { value, help }]) =>
        `'--${option}[${quoted(help).replace(/[[\]]/g, "")}]${value === undefined ? "" : `:${value}:`}'`,
    );
    const rest = command.name === "completion" ? `'1:shell:(${Object.keys(shells).join(" ")})'` : "'*:file:_files'";
    return `    ${command.name}) _arguments ${[...options, "'--help[show help]'", rest].join(" ")} ;;`;
  });
  return `#compdef millrace
_millrace() {
  local -a commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _millrace ]]; then
  _millrace "$@"
else
  compdef _millrace millrace
fi
`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c millrace -f -n __fish_use_subcommand -a ${name} -d '${quoted(summary)}'`,
    ...Object.entries(options).map(
      ([option, { short, value, help }]) =>
        `complete -c millrace -n '__fish_seen_subcommand_from ${name}' -l ${option}${short === undefined ? "" : ` -s ${short}`}${value === undefined ? "" : " -x"} -d '${quoted(help)}'`,
    ),
  ]);
  lines.push(
    `complete -c millrace -f -n '__fish_seen_subcommand_from completion' -a '${Object.keys(shells).join(" ")}'`,
    "complete -c millrace -l help -s h -d 'show help'",
  );
  return `${lines.join("\n")}\n`;
}

// Inside single quotes of a shell.
function quoted(text: string): string {
  return text.replace(/'/g, "’").replace(/:/g, " -");
}
