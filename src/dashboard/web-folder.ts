/** Where the built page is. The build puts it beside the file that this becomes a part of. */
export function webFolder(): URL {
  return new URL("./web/", import.meta.url);
}
