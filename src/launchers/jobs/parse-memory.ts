const units: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 1024,
  m: 1e6,
  mb: 1e6,
  mib: 1024 ** 2,
  g: 1e9,
  gb: 1e9,
  gib: 1024 ** 3,
  t: 1e12,
  tb: 1e12,
  tib: 1024 ** 4,
};

/** Bytes of a text such as `32GB`, `4 GiB` or `500M`; undefined if it is not such a text. */
export function parseMemory(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const unit = units[match?.[2]?.toLowerCase() ?? "?"];
  return match === null || unit === undefined ? undefined : Math.ceil(Number(match[1]) * unit);
}
