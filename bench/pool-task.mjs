// One task of a thread pool: some items of the job. It imports nothing else, so that the threads start fast.
import { workItem } from "./work-item.mjs";

export default function runChunk({ from, to, job }) {
  let text = "";
  for (let idx = from; idx < to; idx++) text += `${JSON.stringify(workItem(idx, job))}\n`;
  return text;
}
