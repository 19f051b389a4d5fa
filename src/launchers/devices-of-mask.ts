/** The devices in CUDA_VISIBLE_DEVICES, as CUDA reads it: everything from the first entry on that names none is hidden. */
export function devicesOfMask(mask: string): string[] {
  const entries = mask.split(",").map((entry) => entry.trim());
  const end = entries.findIndex((entry) => !/^(\d+|(GPU|MIG)-[\w/-]+)$/.test(entry));
  return end < 0 ? entries : entries.slice(0, end);
}
