import { hostname, networkInterfaces } from "node:os";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
const everywhere = ["0.0.0.0", "::", ""];

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * The values of a Host header that are answered. A page of somebody else's, whose name was made to lead here (DNS
 * rebinding), has its own name in it.
 */
export function allowedHosts(host: string, port: number): ReadonlySet<string> {
  const names = isLoopback(host) ? [...loopbackNames, host] : everywhere.includes(host) ? allNames() : [host];
  const withPort = names.map((name) => `${bracketed(name.toLowerCase())}:${port}`);
  return new Set(port === 80 ? [...withPort, ...names.map((name) => bracketed(name.toLowerCase()))] : withPort);
}

/** A host as it stands in an address. */
export function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function allNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  return [...loopbackNames, hostname(), ...addresses];
}
