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

const two = (value: number) => String(value).padStart(2, "0");
const hour12 = (date: Date) => date.getHours() % 12 || 12;
const dayOfYear = (date: Date) => {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000 + 1;
};
const offset = (date: Date) => {
  const minutes = -date.getTimezoneOffset();
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`;
};

// The letters of Python's strftime whose text does not depend on the machine's language.
const fields: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getFullYear()),
  y: (date) => two(date.getFullYear() % 100),
  m: (date) => two(date.getMonth() + 1),
  d: (date) => two(date.getDate()),
  H: (date) => two(date.getHours()),
  I: (date) => two(hour12(date)),
  M: (date) => two(date.getMinutes()),
  S: (date) => two(date.getSeconds()),
  f: (date) => String(date.getMilliseconds()).padStart(3, "0").padEnd(6, "0"),
  p: (date) => (date.getHours() < 12 ? "AM" : "PM"),
  j: (date) => String(dayOfYear(date)).padStart(3, "0"),
  a: (date) => days[date.getDay()]!.slice(0, 3),
  A: (date) => days[date.getDay()]!,
  b: (date) => months[date.getMonth()]!.slice(0, 3),
  B: (date) => months[date.getMonth()]!,
  w: (date) => String(date.getDay()),
  u: (date) => String(date.getDay() || 7),
  F: (date) => formatDate(date, "%Y-%m-%d"),
  T: (date) => formatDate(date, "%H:%M:%S"),
  R: (date) => formatDate(date, "%H:%M"),
  D: (date) => formatDate(date, "%m/%d/%y"),
  z: offset,
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  "%": () => "%",
};

/** A date in local time, as Python's `strftime` writes it: `%Y-%m-%d_%H-%M-%S`. */
export function formatDate(date: Date, pattern: string): string {
  return pattern.replace(/%(.?)/gsu, (whole, letter: string) => {
    const field = Object.hasOwn(fields, letter) ? fields[letter] : undefined;
    if (field === undefined) {
      throw new Error(`${whole} is not a field of a date; known: ${Object.keys(fields).join(" ")}`);
    }
    return field(date);
  });
}
