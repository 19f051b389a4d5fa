import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { openDashboard } from "../dashboard/open-dashboard.ts";
import { messageOf } from "../errors/errors.ts";
import { badUsage, type Command, exitCode } from "./command.ts";

const tokenVariable = "MILLRACE_DASHBOARD_TOKEN";

export const dashboard: Command = {
  name: "dashboard",
  usage: "[DIR] [--port N] [--host H] [--token-file FILE] [--open]",
  summary: "Shows a run, or all runs below a folder (default: this one), in a browser, live. Ctrl-C ends it.",
  details:
    "Only this machine can reach it, unless --host is given. Then a token is needed, which is part of the printed\n" +
    `address. Set your own token in a file (--token-file) or in ${tokenVariable}.`,
  options: {
    port: { type: "string", value: "N", help: "default: 8643, or the next free one; 0: any" },
    host: { type: "string", value: "H", help: "the address to listen at (default: 127.0.0.1)" },
    "token-file": {
      type: "string",
      value: "FILE",
      help: "file with the token; a token is generated if one is needed and none is given",
    },
    open: { type: "boolean", help: "also open it in the browser" },
  },
  retired: {
    token: `--token is not taken any more, because every user of this machine sees it in \`ps\`: put the token into a file that only you may read and pass --token-file FILE, or set ${tokenVariable}`,
  },
  examples: ["millrace dashboard exp", "millrace dashboard exp/prep --port 9000"],
  arguments: { min: 0, max: 1 },
  async run({ positionals: [dir = "."], text, has }) {
    const { url, close } = await openDashboard({
      dir,
      host: text("host"),
      port: portOf(text("port")),
      token: tokenOf(text("token-file")) ?? process.env[tokenVariable],
      program: process.argv[1],
    });
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
    process.stdout.write(`${url}\n`);
    process.stderr.write(
      "millrace: the dashboard is at the address above (how a run works, step by step: guide/); Ctrl-C ends it\n",
    );
    if (has("open")) openBrowser(url);
    await once(stop.signal, "abort");
    await close();
    return exitCode.ok;
  },
};

function tokenOf(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw badUsage(dashboard, `--token-file: ${messageOf(error)}`);
  }
}

function portOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw badUsage(dashboard, `--port is ${JSON.stringify(value)}; a number from 0 to 65535 was expected`);
}

function openBrowser(url: string): void {
  const program = process.platform === "darwin" ? "open" : process.platform === "win32" ? "explorer" : "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.once("error", () => process.stderr.write(`millrace: ${program} is not installed; open the address yourself\n`));
  child.unref();
}
