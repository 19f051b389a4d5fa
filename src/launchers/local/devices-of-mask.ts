/** The devices in CUDA_VISIBLE_DEVICES. As in CUDA, the list ends at the first invalid entry. */
export function devicesOfMask(mask: string): string[] {
  const entries = mask.split(",").map((entry) => entry.trim());
  const end = entries.findIndex((entry) => !/^(\d+|(GPU|MIG)-[\w/-]+)$/.test(entry));
  return end < 0 ? entries : entries.slice(0, end);
}
