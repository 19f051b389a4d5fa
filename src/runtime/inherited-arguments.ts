// Arguments for this process only: its children must not get them.
const privateArguments =
  /^(-[cipe]+|--eval|--print|--interactive|--check|--inspect.*|--test.*|--watch.*|--cpu-prof.*|--heap-prof.*|--input-type)$/;
// Those of them whose value may be the next argument.
const withValue =
  /^(-[ipc]*e|-p|--eval|--print|--inspect-port|--test-(?!only|force|update).*|--watch-path|--(cpu|heap)-prof-.*|--input-type)$/;

/** The arguments of this Node.js that its workers need too: loaders for TypeScript, conditions, flags. */
export function inheritedArguments(execArgv: readonly string[]): string[] {
  return execArgv.filter((argument, i) => {
    const isValue = !argument.startsWith("-") && withValue.test(execArgv[i - 1] ?? "");
    return !isValue && !privateArguments.test(argument.split("=", 1)[0]!);
  });
}
