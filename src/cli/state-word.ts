import { colourOfState, type RunState, type StateColour } from "../run-folder/run/run-state.ts";

const codes: Readonly<Record<StateColour, number>> = { active: 36, good: 32, warn: 33, bad: 31 };

/** The word of a state, in its colour on a terminal. The dashboard has the same words and colours. */
export function stateWord(state: RunState | "unreadable", width = 0): string {
  const { isTTY } = process.stdout;
  const hasColour = isTTY === true && process.env["TERM"] !== "dumb" && (process.env["NO_COLOR"] ?? "") === "";
  const word = state.padEnd(width);
  return hasColour ? `\u001b[${codes[colourOfState[state]]}m${word}\u001b[0m` : word;
}
