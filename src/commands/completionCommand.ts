import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command with the words that may follow it. */
interface CompletedCommand {
  /** Names of the command and of those that it belongs to: `dead list`. Empty for the program. */
  path: string;
  subcommands: readonly Command[];
  options: { flag: string; description: string }[];
}

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .description('print what lets a shell complete commands and options')
    .action((shell: Shell) => {
      process.stdout.write(completionFor(shell, program));
    });
}

/** A script to be read by the shell: `eval "$(laurel completion bash)"`. */
function completionFor(shell: Shell, program: Command): string {
  const commands = commandsBelow(program, '');
  if (shell === 'fish') return commands.flatMap(fishLines).join('');
  return shell === 'bash'
    ? bashScript(commands)
    : `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
}

/** The deepest commands come first, so that the first path that fits is the longest. */
function commandsBelow(command: Command, path: string): CompletedCommand[] {
  const { commands: subcommands } = command;
  const options = command.options.map(({ long, description }) => ({ flag: long!, description }));
  const below = subcommands.flatMap((each) => commandsBelow(each, `${path} ${each.name()}`.trim()));
  return [...below, { path, subcommands, options }];
}

/** Completes file names where no word fits. */
function bashScript(commands: CompletedCommand[]): string {
  const cases = commands.map(({ path, subcommands, options }) => {
    const words = [...subcommands.map((each) => each.name()), ...options.map(({ flag }) => flag)];
    return `    ${path === '' ? "''" : `'${path}'*`}) words='${words.join(' ')}' ;;\n`;
  });
  return `_laurel() {
  local words=''
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in
${cases.join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _laurel laurel
`;
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

function fishLines({ path, subcommands, options }: CompletedCommand): string[] {
  const seen = path.split(' ').map((name) => `__fish_seen_subcommand_from ${name}`);
  const condition = path === '' ? '__fish_use_subcommand' : seen.join('; and ');
  const start = `complete -c laurel -n ${quoted(condition)}`;
  return [
    ...subcommands.map((each) => `${start} -a ${each.name()} -d ${quoted(each.description())}\n`),
    ...options.map(({ flag, description }) => `${start} -l ${flag.slice(2)} -d ${quoted(description)}\n`),
  ];
}
