/** The variable by which a job tells its workers whose they are. */
export const jobVariable = "MILLRACE_JOB";

/** Whether this process works for a job. Then others, on other hosts, wait for its signs of life. */
export function isInJob(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment[jobVariable] !== undefined;
}
