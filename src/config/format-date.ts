const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

// Days are counted in UTC, where every day has 24 hours.
const dayNumber = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
const dayOfYear = (date: Date) => dayNumber(date) - Date.UTC(date.getFullYear(), 0, 1) / 86_400_000;
const hour12 = (date: Date) => date.getHours() % 12 || 12;
const fromMonday = (date: Date) => (date.getDay() + 6) % 7;
const isoYear = (date: Date) => thursdayOf(date).getUTCFullYear();

/** The Thursday of a week decides to which year the week belongs. */
function thursdayOf(date: Date): Date {
  return new Date((dayNumber(date) - fromMonday(date) + 3) * 86_400_000);
}

function isoWeek(date: Date): number {
  const thursday = thursdayOf(date);
  const days = (thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 86_400_000;
  return Math.floor(days / 7) + 1;
}

interface NumberField {
  readonly digits: number;
  readonly pad: "0" | " ";
  readonly of: (date: Date) => number;
}
const zeros = (digits: number, of: NumberField["of"]): NumberField => ({ digits, pad: "0", of });
const spaces = (of: NumberField["of"]): NumberField => ({ digits: 2, pad: " ", of });

const numbers: Readonly<Record<string, NumberField>> = {
  Y: zeros(1, (date) => date.getFullYear()),
  C: zeros(2, (date) => Math.floor(date.getFullYear() / 100)),
  y: zeros(2, (date) => date.getFullYear() % 100),
  G: zeros(1, isoYear),
  g: zeros(2, (date) => isoYear(date) % 100),
  m: zeros(2, (date) => date.getMonth() + 1),
  d: zeros(2, (date) => date.getDate()),
  e: spaces((date) => date.getDate()),
  H: zeros(2, (date) => date.getHours()),
  k: spaces((date) => date.getHours()),
  I: zeros(2, hour12),
  l: spaces(hour12),
  M: zeros(2, (date) => date.getMinutes()),
  S: zeros(2, (date) => date.getSeconds()),
  j: zeros(3, (date) => dayOfYear(date) + 1),
  U: zeros(2, (date) => Math.floor((dayOfYear(date) + 7 - date.getDay()) / 7)),
  W: zeros(2, (date) => Math.floor((dayOfYear(date) + 7 - fromMonday(date)) / 7)),
  V: zeros(2, isoWeek),
  w: zeros(1, (date) => date.getDay()),
  u: zeros(1, (date) => date.getDay() || 7),
  s: zeros(1, (date) => Math.floor(date.getTime() / 1000)),
};

const texts: Readonly<Record<string, (date: Date) => string>> = {
  a: (date) => days[date.getDay()]!.slice(0, 3),
  A: (date) => days[date.getDay()]!,
  b: (date) => months[date.getMonth()]!.slice(0, 3),
  B: (date) => months[date.getMonth()]!,
  h: (date) => months[date.getMonth()]!.slice(0, 3),
  p: (date) => (date.getHours() < 12 ? "AM" : "PM"),
  P: (date) => (date.getHours() < 12 ? "am" : "pm"),
  c: (date) => formatDate(date, "%a %b %e %H:%M:%S %Y"),
  D: (date) => formatDate(date, "%m/%d/%y"),
  x: (date) => formatDate(date, "%m/%d/%y"),
  F: (date) => formatDate(date, "%Y-%m-%d"),
  r: (date) => formatDate(date, "%I:%M:%S %p"),
  R: (date) => formatDate(date, "%H:%M"),
  T: (date) => formatDate(date, "%H:%M:%S"),
  X: (date) => formatDate(date, "%H:%M:%S"),
  // `now` is a date without a zone in Hydra.
  z: () => "",
  Z: () => "",
  f: (date) => String(date.getMilliseconds()).padStart(3, "0").padEnd(6, "0"),
  n: () => "\n",
  t: () => "\t",
  "%": () => "%",
};

// Modifiers for other calendars and digits; the C locale has none.
const alternatives: Readonly<Record<string, string>> = { E: "cCxXyY", O: "bBdeHImMSuUVwWy", "": "" };

/** A date in local time, formatted like Python's `strftime` with glibc in the C locale: `%Y-%m-%d_%H-%M-%S`, `%-d`. */
export function formatDate(date: Date, pattern: string): string {
  return pattern.replace(
    /%([-_0^#]*)(\d*)([EO]?)(.?)/gsu,
    (whole, flags: string, width: string, alternative: string, letter: string) => {
      const number = Object.hasOwn(numbers, letter) ? numbers[letter] : undefined;
      const text = Object.hasOwn(texts, letter) ? texts[letter] : undefined;
      // %f is Python's own field and accepts no modifiers.
      const isPlain = whole === "%f" || letter !== "f";
      const isFitting = alternative === "" || alternatives[alternative]!.includes(letter);
      if ((number === undefined && text === undefined) || !isPlain || !isFitting) throw unknownField(whole);
      // An unknown UTC offset is empty, even with a width.
      if (letter === "z") return "";
      // A huge width would fill the memory.
      if (Number(width) > 1000) throw new Error(`${whole} asks for more than 1000 characters`);
      const pad = /[-_0](?=[^-_0]*$)/.exec(flags)?.[0];
      const written = number === undefined ? text!(date) : writeNumber(number, date, { pad, width: Number(width) });
      return changeCase(written, flags, letter).padStart(Number(width), pad === "0" ? "0" : " ");
    },
  );
}

function writeNumber(field: NumberField, date: Date, { pad, width }: { pad: string | undefined; width: number }) {
  const digits = String(field.of(date));
  if (pad === "-") return digits;
  const filler = pad === undefined ? field.pad : pad === "_" ? " " : "0";
  return digits.padStart(Math.max(field.digits, width), filler);
}

function changeCase(text: string, flags: string, letter: string): string {
  if (letter === "P") return text;
  if (letter === "p" && flags.includes("#")) return text.toLowerCase();
  return flags.includes("^") || (flags.includes("#") && "aAbBh".includes(letter)) ? text.toUpperCase() : text;
}

function unknownField(whole: string): Error {
  const known = [...Object.keys(numbers), ...Object.keys(texts)].join(" ");
  return new Error(`${whole} is not a field of a date; known: ${known}`);
}
