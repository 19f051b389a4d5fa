// Replaces src/run-folder/files/file-system.ts: the disk of the guide is a local one, and the page stays small.
export function fileSystemOf(): { readonly type: string; readonly mount: string; readonly isLocal: boolean } {
  return { type: "ext4", mount: "/", isLocal: true };
}

export function isShared(): boolean {
  return false;
}
