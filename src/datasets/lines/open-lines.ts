import type { Dataset } from "../dataset.ts";
import type { JsonlOptions } from "../open-jsonl.ts";

export async function openLines<Row>(_path: string, _options: JsonlOptions<Row>): Promise<Dataset<Row>> {
  throw new Error("being built");
}
