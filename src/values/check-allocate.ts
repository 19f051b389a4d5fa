import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "./state-json.ts";

/** Returns the array that `length` values are written to. */
export type Allocate = (length: number) => Float32Array;

/** Memory that the caller provides. An array that is too small is refused. */
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
