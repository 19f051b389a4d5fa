import { hostname, networkInterfaces } from "node:os";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
const everywhere = ["0.0.0.0", "::", ""];

/** True if only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * The accepted values of a Host header. With DNS rebinding, another site's name points to this server, and the header
 * contains that name.
 */
export function allowedHosts(host: string, port: number): ReadonlySet<string> {
  const names = isLoopback(host) ? [...loopbackNames, host] : everywhere.includes(host) ? allNames() : [host];
  const withPort = names.map((name) => `${bracketed(name.toLowerCase())}:${port}`);
  return new Set(port === 80 ? [...withPort, ...names.map((name) => bracketed(name.toLowerCase()))] : withPort);
}

/** A host as written in a URL. */
export function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function allNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  return [...loopbackNames, hostname(), ...addresses];
}
