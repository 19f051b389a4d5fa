import { MillraceError } from "./errors.ts";
import { describeKind } from "./state-json.ts";

/** Gives the array that so many values are put into. */
export type Allocate = (length: number) => Float32Array;

/** Memory of the caller's own, which is refused where it is too small. */
export function checkAllocate(caller: string, allocate: Allocate | undefined): Allocate | undefined {
  if (allocate === undefined) return undefined;
  return (length) => {
    const room: unknown = allocate(length);
    if (room instanceof Float32Array && room.length >= length) return room;
    const what = room instanceof Float32Array ? `room for ${room.length} values` : describeKind(room);
    throw new MillraceError("BAD_OPTION", `${caller}: allocate(${length}) gave ${what}.`, {
      hint: "Give a Float32Array of at least that length.",
    });
  };
}
