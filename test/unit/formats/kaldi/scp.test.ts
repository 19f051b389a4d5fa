import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import { type KaldiRange, parseKaldiRange, selectRange } from "../../../../src/formats/kaldi/kaldi-range.ts";
import type { KaldiValue } from "../../../../src/formats/kaldi/kaldi-value.ts";
import { parseScp } from "../../../../src/formats/kaldi/parse-scp.ts";
import { formatScpLine, parseScpLine } from "../../../../src/formats/kaldi/scp-line.ts";

const matrix: KaldiValue = { dtype: "float32", shape: [4, 3], data: Float32Array.from({ length: 12 }, (_, i) => i) };

describe("parseScpLine", () => {
  it("takes no longer for many blanks than for other characters", () => {
    const start = process.cpuUsage().user;
    expect(parseScpLine(`utt1${" ".repeat(500_000)}`)).toBe("should be a key, a space and a file");
    expect(parseScpLine(`utt1${" ".repeat(500_000)}a.ark \t\r`)).toEqual({ key: "utt1", path: "a.ark" });
    // Microseconds. A line of 50 kB took 1.7 s, and ten times as long a line a hundred times as long.
    expect(process.cpuUsage().user - start).toBeLessThan(10_000_000);
  });

  it.each([
    ["utt1 a.ark:12", { key: "utt1", path: "a.ark", offset: 12 }],
    ["utt1\t/x/a b.ark:0  ", { key: "utt1", path: "/x/a b.ark", offset: 0 }],
    ["utt1 plain.mat", { key: "utt1", path: "plain.mat" }],
    ["utt1 C:\\x.ark:7", { key: "utt1", path: "C:\\x.ark", offset: 7 }],
    ["utt1 a.ark:12[0:9]", { key: "utt1", path: "a.ark", offset: 12, range: { rows: [0, 9], columns: undefined } }],
    ["utt1 a.ark:12[0:9,2:3]", { key: "utt1", path: "a.ark", offset: 12, range: { rows: [0, 9], columns: [2, 3] } }],
    ["utt1 a.ark[:,2:3]", { key: "utt1", path: "a.ark", range: { rows: undefined, columns: [2, 3] } }],
    ["utt1 a.ark:5000000000", { key: "utt1", path: "a.ark", offset: 5_000_000_000 }],
  ])("reads %j", (line, entry) => {
    expect(parseScpLine(line)).toEqual(entry);
  });

  it.each([
    ["utt1", "should be a key"],
    ["utt1 ", "should be a key"],
    [" utt1 a.ark", "should be a key"],
    ["utt1 sox a.wav -t wav - |", "never run"],
    ["utt1 |cat", "never run"],
    ["utt1 copy-feats a.ark - |[0:9]", "never run"],
    ["utt1 -", "standard input"],
    ["utt1 a.ark:1[a]", "range"],
    ["utt1 a.ark:1[0:1,2:3,4:5]", "range"],
    ["utt1 a.ark:99999999999999999999", "offset"],
  ])("refuses %j", (line, why) => {
    expect(parseScpLine(line)).toContain(why);
  });
});

describe("formatScpLine", () => {
  const spans = fc.option(fc.tuple(fc.nat(99), fc.nat(99)), { nil: undefined });
  const ranges: fc.Arbitrary<KaldiRange> = fc.record({ rows: spans, columns: spans });

  it("gives a line that is read back as the entry, or refuses it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 1 }),
        fc.option(fc.nat(2 ** 40), { nil: undefined }),
        fc.option(ranges, { nil: undefined }),
        (path, offset, range) => {
          const entry = {
            key: "k",
            path,
            ...(offset !== undefined && { offset }),
            ...(range !== undefined && { range }),
          };
          let line: string;
          try {
            line = formatScpLine(entry);
          } catch (error) {
            expect(error).toMatchObject({ code: "BAD_RECORD" });
            return;
          }
          expect(line.indexOf("\n")).toBe(line.length - 1);
          expect(parseScpLine(line.slice(0, -1))).toMatchObject({ key: "k", path });
        },
      ),
    );
  });

  it.each(["a.ark:12", "a|", "|a", "a\nb c", " a", "a ", "a[0:1]", "-", ""])("refuses the path %j", (path) => {
    expect(() => formatScpLine({ key: "k", path })).toThrowError(expect.objectContaining({ code: "BAD_RECORD" }));
  });
});

describe("parseScp", () => {
  const parse = (text: string) => parseScp(toByteSource(Buffer.from(text), "x.scp"));

  it("passes over empty lines, a byte order mark and the ends of lines of Windows", () => {
    expect(parse("\ufeffa x.ark:1\r\n\r\nb x.ark:2").map(({ key, path }) => [key, path])).toEqual([
      ["a", "x.ark"],
      ["b", "x.ark"],
    ]);
  });

  it("reports all lines that are wrong, with their numbers", () => {
    expect(() => parse("a x:1\nb\na x:2\n")).toThrowError(
      /^x\.scp: 2 lines are wrong:\n {2}line 2: should be .*\n {2}line 3: the key "a" is already on line 1/,
    );
  });

  it("reports each to a listener and continues without them", () => {
    const problems: number[] = [];
    const source = toByteSource(Buffer.from("a x:1\nb\na x:2\n"));
    expect(parseScp(source, { onProblem: ({ line }) => problems.push(line) })).toEqual([
      { key: "a", path: "x", offset: 1 },
    ]);
    expect(problems).toEqual([2, 3]);
  });
});

describe("selectRange", () => {
  const select = (range: string, value: KaldiValue = matrix) => selectRange(value, parseKaldiRange(range)!, "x.ark:1");

  it("includes both ends", () => {
    expect(select("1:2,0:1")).toEqual({ dtype: "float32", shape: [2, 2], data: Float32Array.of(3, 4, 6, 7) });
    expect(select("0:3")).toEqual(matrix);
    expect(select(":,2:2")).toMatchObject({ shape: [4, 1], data: Float32Array.of(2, 5, 8, 11) });
  });

  it("forgives an end that is up to three rows too far, as Kaldi does", () => {
    expect(select("2:6").shape).toEqual([2, 3]);
    expect(() => select("2:7")).toThrowError("the range [2:7] is not within the value (4 x 3)");
  });

  it.each(["4:4", "2:1", "0:0,0:3", "0:0,2:1"])("refuses [%s]", (range) => {
    expect(() => select(range)).toThrowError("is not within the value");
  });

  it("takes elements of vectors", () => {
    const vector: KaldiValue = { dtype: "int32", shape: [4], data: Int32Array.of(5, 6, 7, 8) };
    expect(select("1:2", vector)).toEqual({ dtype: "int32", shape: [2], data: Int32Array.of(6, 7) });
    expect(() => select("0:0,0:0", vector)).toThrowError("names columns of a vector");
    expect(() => select("2:4", vector)).toThrowError("is not within the value");
  });
});
