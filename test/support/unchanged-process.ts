import { afterAll, expect, vi } from "vitest";

// Unit tests share their processes: what a file leaves behind would be there for the next one.
const before = describeProcess();

afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  expect(describeProcess(), "what this file has changed in its process and not put back").toEqual(before);
});

function describeProcess() {
  return {
    variables: { ...process.env },
    folder: process.cwd(),
    exitCode: process.exitCode,
    arguments: [...process.argv],
    stackTraceLimit: Error.stackTraceLimit,
  };
}
