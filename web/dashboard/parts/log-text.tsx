import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LogEntry } from "../../../src/dashboard/run-view.ts";
import { growLog, type LogTail, logStart } from "../model/log-tail.ts";
import { Problem } from "./problem.tsx";
import { useSource } from "./use-source.ts";

const pollEveryMs = 1000;

/** The end of a log; follows it until the user pauses or scrolls up. */
export function LogText({ id, log }: { id: string; log: LogEntry }): JSX.Element {
  const source = useSource();
  const [tail, setTail] = useState<LogTail | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isFollowing, follow] = useState(source.isLive);
  const box = useRef<HTMLPreElement>(null);
  const next = useRef<number>(logStart(log.bytes));
  const hasRead = useRef(false);

  // Before the next frame: a paused log must not change.
  useLayoutEffect(() => {
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        let isMore = true;
        while (isMore && isWanted) {
          const piece = await source.log(id, log.name, next.current);
          if (!isWanted) return;
          isMore = piece.next < piece.bytes && piece.next > next.current;
          // A truncated log is read from its beginning.
          const isShorter = piece.bytes < next.current;
          next.current = isShorter ? 0 : piece.next;
          setTail((before) =>
            growLog(isShorter ? undefined : before, isShorter ? { ...piece, from: 0, text: "", next: 0 } : piece),
          );
        }
        hasRead.current = true;
        setProblem(undefined);
      } catch (error) {
        if (isWanted) setProblem(error instanceof Error ? error.message : String(error));
      }
      if (isWanted && source.isLive && isFollowing) timer = setTimeout(read, pollEveryMs);
    };
    if (isFollowing || !hasRead.current) void read();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [source, id, log.name, isFollowing]);

  useLayoutEffect(() => {
    if (isFollowing && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [tail, isFollowing]);

  const lookBack = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    if (isFollowing && scrollTop + clientHeight < scrollHeight - 40) follow(false);
  };
  return (
    <>
      {problem !== undefined && <Problem text={problem} />}
      <div class="log-bar">
        <span>{tail?.isCut ? "The end of the log" : "All of the log"}</span>
        {source.isLive && (
          <button type="button" aria-pressed={isFollowing} onClick={() => follow(!isFollowing)}>
            {isFollowing ? "Pause" : "Follow"}
          </button>
        )}
      </div>
      <pre
        ref={box}
        class="log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        aria-label={`Log ${log.name}`}
        role="log"
        aria-live="off"
        onScroll={lookBack}
      >
        {tail?.text}
      </pre>
    </>
  );
}
