import { runProgram } from "../../audio/run-program.ts";
import { MillraceError } from "../../errors/errors.ts";
import { refuseFile } from "../../formats/refuse-file.ts";

/** A command of a wav.scp, and where it is written. */
export interface KaldiCommand {
  /** Without the pipe sign at its end. */
  readonly text: string;
  readonly file: string;
  readonly offset: number;
}

/** Which commands may run. */
export interface CommandRules {
  readonly programs: readonly string[];
  readonly maxOutputBytes: number;
}

const timeoutMs = 600_000;

/** What a command prints. It is started from its words, without a shell, and only if its program is allowed. */
export async function runKaldiCommand(command: KaldiCommand, rules: CommandRules): Promise<Uint8Array> {
  const [program, ...args] = wordsOf(command);
  if (program === undefined || !rules.programs.includes(program)) {
    throw refuseFile(
      command.file,
      command.offset,
      `names the command ${JSON.stringify(command.text.slice(0, 200))}, which is not allowed`,
      {
        hint: `Convert the audio once, or allow the program if you trust the list: openKaldi(folder, { commands: [${JSON.stringify(program ?? "sph2pipe")}] }).`,
      },
    );
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    await runProgram({ program, args, timeoutMs }, (piece) => {
      pieces.push(piece);
      bytes += piece.length;
      return bytes <= rules.maxOutputBytes;
    });
  } catch (cause) {
    throw refuseFile(
      command.file,
      command.offset,
      `the command ${JSON.stringify(command.text.slice(0, 200))} failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        cause,
        hint: "Run the command by hand to see what is wrong with it.",
      },
    );
  }
  if (bytes > rules.maxOutputBytes)
    throw new MillraceError(
      "BAD_FILE",
      `${command.file}, offset ${command.offset}: the command printed more than ${rules.maxOutputBytes} bytes.`,
      {
        hint: "Raise maxOutputBytes if the recording is that long.",
      },
    );
  return Buffer.concat(pieces);
}

/** The words of a command. Everything that only a shell understands is refused: variables, redirections, a second command. */
function wordsOf({ text, file, offset }: KaldiCommand): string[] {
  const words: string[] = [];
  const pattern = /\s*(?:'([^']*)'|"([^"\\$`]*)"|([^\s'"\\$`|&;<>(){}[\]*?!#~]+))(?=\s|$)/y;
  const command = text.trim();
  while (pattern.lastIndex < command.length) {
    const found = pattern.exec(command);
    if (found === null)
      throw refuseFile(
        file,
        offset,
        `the command ${JSON.stringify(text.slice(0, 200))} needs a shell, and none is started`,
        {
          hint: "Plain words and quotes are run; convert the audio of other lines once, or write a small program and name that.",
        },
      );
    words.push(found[1] ?? found[2] ?? found[3] ?? "");
  }
  return words;
}
