import type { ListedFile } from "../folder/list-files.ts";

/** An `Audio` or `Image` of Hugging Face: bytes in the file itself, or the path of another. */
export interface HuggingFaceFile {
  readonly bytes: Uint8Array | null;
  readonly path: string | null;
}

/** The files of a dataset: in a folder of this machine, or in a repository of the hub. */
export interface DatasetFiles {
  /** The folder or the address, for messages. */
  readonly name: string;
  /** In the order of their names. */
  readonly files: readonly ListedFile[];
  /** The text of its card (README.md), and where that is. Undefined if it has none. */
  readonly card: { readonly place: string; readonly text: string } | undefined;
  /** Whether they are on this machine. */
  readonly isLocal: boolean;
  /** The path or the address of a file, for an opener. */
  place(name: string): string;
  /** What a row holds of an audio or picture file: its path if it is here, its bytes if it is elsewhere. */
  media(name: string): HuggingFaceFile | Promise<HuggingFaceFile>;
}
