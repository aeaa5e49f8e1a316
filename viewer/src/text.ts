// How values are written for a person.

const NUMBERS = new Intl.NumberFormat("en");
const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const MOMENT = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

export const count = (value: number): string => NUMBERS.format(value);

export function several(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function moment(time: string | number | undefined): string {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? String(time ?? "unknown") : MOMENT.format(date);
}

export const day = (time: number): string => DAY.format(new Date(time));

/** The beginning of a text, on one line. */
export function beginning(text: string, characters: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const cut = [...line];
  return cut.length <= characters ? line : `${cut.slice(0, characters - 1).join("")}…`;
}
