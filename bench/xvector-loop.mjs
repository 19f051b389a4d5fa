// The hand-written alternative: all features through the model, which uses every core, and the vectors into one file.
// If two such loops share the work: every second file, on one core.
import { readFileSync, writeFileSync } from "node:fs";
import { InferenceSession, Tensor } from "onnxruntime-node";

const [model, list, part, output] = process.argv.slice(2);
const isShared = part !== "all";
const files = JSON.parse(readFileSync(list, "utf8")).filter((_, i) => !isShared || i % 2 === Number(part));
const session = await InferenceSession.create(model, isShared ? { intraOpNumThreads: 1, interOpNumThreads: 1 } : {});
const vectors = [];
for (const file of files) {
  const bytes = readFileSync(file);
  const data = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const { embs } = await session.run({ feats: new Tensor("float32", data, [1, data.length / 80, 80]) });
  vectors.push(Buffer.from(embs.data.buffer, embs.data.byteOffset, embs.data.byteLength));
}
writeFileSync(output, Buffer.concat(vectors));
