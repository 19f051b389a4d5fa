import { type Shape, shape } from "../../../index.ts";
import { maybe } from "../../maybe.ts";

/** The limits for dropping an utterance. `null` means the default. */
export interface DropSection {
  /** Default: true. */
  readonly empty_text?: boolean | null | undefined;
  readonly min_characters?: number | null | undefined;
  readonly max_characters?: number | null | undefined;
  /** Of speech, so after trimming. Default: 0.1. */
  readonly min_seconds?: number | null | undefined;
  readonly max_seconds?: number | null | undefined;
  /** The minimum level (root mean square), in decibels of full scale. Default: -60. */
  readonly min_db?: number | null | undefined;
  /** The maximum fraction of samples at full scale. Default: 0.01. */
  readonly max_clipped?: number | null | undefined;
  readonly min_characters_per_second?: number | null | undefined;
  readonly max_characters_per_second?: number | null | undefined;
  /** Damaged audio is dropped and counted (default), or fails like any other error. A missing file always fails. */
  readonly unreadable?: boolean | null | undefined;
}

/** The limits with their defaults. */
export type Limits = { readonly [Key in keyof DropSection]-?: NonNullable<DropSection[Key]> };

export const dropSection: Shape<DropSection> = shape.object({
  empty_text: maybe(shape.boolean()),
  min_characters: maybe(shape.number({ min: 0 })),
  max_characters: maybe(shape.number({ min: 0 })),
  min_seconds: maybe(shape.number({ min: 0 })),
  max_seconds: maybe(shape.number({ min: 0 })),
  min_db: maybe(shape.number({ max: 0 })),
  max_clipped: maybe(shape.number({ min: 0 })),
  min_characters_per_second: maybe(shape.number({ min: 0 })),
  max_characters_per_second: maybe(shape.number({ min: 0 })),
  unreadable: maybe(shape.boolean()),
});

/** The limits of a config, each with its default. */
export function limitsOf(drop: DropSection | null | undefined): Limits {
  return {
    empty_text: drop?.empty_text ?? true,
    min_characters: drop?.min_characters ?? 0,
    max_characters: drop?.max_characters ?? Number.POSITIVE_INFINITY,
    min_seconds: drop?.min_seconds ?? 0.1,
    max_seconds: drop?.max_seconds ?? Number.POSITIVE_INFINITY,
    min_db: drop?.min_db ?? -60,
    max_clipped: drop?.max_clipped ?? 0.01,
    min_characters_per_second: drop?.min_characters_per_second ?? 0,
    max_characters_per_second: drop?.max_characters_per_second ?? Number.POSITIVE_INFINITY,
    unreadable: drop?.unreadable ?? true,
  };
}
