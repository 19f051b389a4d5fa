/** The environment variable with the name of the job that a worker belongs to. */
export const jobVariable = "MILLRACE_JOB";

/** Whether this process is part of a job. Then processes on other hosts need its heartbeats. */
export function isInJob(environment: NodeJS.ProcessEnv = process.env): boolean {
  return environment[jobVariable] !== undefined;
}
