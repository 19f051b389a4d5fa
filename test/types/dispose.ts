// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { jsonlWriter, keyedWriter, textWriter } from "millrace";
import { npyWriter, openFileSource, openNpz, openSafetensors, openScp, parquetWriter } from "millrace/formats";
import { loadOnnx } from "millrace/speech";

export async function use(path: string): Promise<unknown[]> {
  using file = openFileSource(path);
  using npz = openNpz(path);
  using tensors = openSafetensors(path);
  using table = openScp(path);
  using lines = jsonlWriter(path);
  using rows = npyWriter(path, { name: "rows" });
  await using parquet = parquetWriter(path, { name: "table", columns: [] });
  await using keyed = keyedWriter((key) => textWriter(path, key));
  await using model = await loadOnnx(path);
  // @ts-expect-error: to end it takes time.
  using early = parquetWriter(path, { name: "table", columns: [] });
  return [file, npz, tensors, table, lines, rows, parquet, keyed, model, early];
}
