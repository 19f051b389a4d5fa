// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { checkShape, type OwnOptions, type ShapeValue, shape } from "millrace";
import * as v from "valibot";
import { z } from "zod";

/** Compiles only where both types are the very same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_isSame: Same<A, B>): void => {};

const byZod = z.object({ bins: z.number(), stats: z.string().default("stats.npz") });
const byValibot = v.object({ bins: v.number(), stats: v.optional(v.string(), "stats.npz") });
const byShape = shape.object({ bins: shape.int() });

const zod = checkShape({}, byZod);
const valibot = checkShape({}, byValibot);
const own = checkShape({}, byShape);
same<typeof zod, { bins: number; stats: string }>(true);
same<typeof valibot, { bins: number; stats: string }>(true);
same<ShapeValue<typeof byZod>, typeof zod>(true);
same<ShapeValue<typeof byShape>, typeof own>(true);
export const bins: number[] = [zod.bins, valibot.bins, own.bins];

// @ts-expect-error: a schema is an object with the interface, not any object.
checkShape({}, { parse: () => ({}) });

interface DecodeOptions {
  readonly beam?: number;
  readonly language: string;
}

export const declared: OwnOptions<DecodeOptions> = {
  beam: { shape: z.number().int().min(1), default: 8 },
  language: { shape: v.picklist(["de", "en"]) },
};

export const wrong: OwnOptions<DecodeOptions> = {
  // @ts-expect-error: a beam is a number.
  beam: { shape: z.string() },
  language: { shape: shape.string() },
};
