export type Line = { text: string; weight: number };

/** What an area says: what it is in, its name and its amount. Nothing where these have no room. */
export function linesIn(
  { name, parent, amount }: { name: string; parent: string | null; amount: string },
  { width, height }: { width: number; height: number },
): Line[] {
  const room = lettersIn(width);
  const most = linesOf(height);
  const heading = parent === null ? [] : [{ text: cut(parent, room), weight: 700 }];
  const lines = (...texts: string[]) => [
    ...heading,
    ...texts.map((text, index): Line => ({ text, weight: index === texts.length - 1 ? 400 : 500 })),
  ];
  const choices = [
    lines(...wrapped(name, room), amount),
    lines(cut(name, room), amount),
    [...heading, { text: `${name} ${amount}`, weight: 500 }],
  ];
  const fits = ({ text }: Line) => text.length > 0 && text.length <= room;
  return choices.find((choice) => choice.length <= most && choice.every(fits)) ?? [];
}

/** Of what is left at the end: `+12` for `12 others`, or `…`. Nothing in a strip. */
export function shortLineIn(name: string, { width, height }: { width: number; height: number }): Line[] {
  const others = /^(\d+) others?$/.exec(name)?.[1];
  const text = others === undefined ? '…' : `+${others}`;
  return text.length <= lettersIn(width) && linesOf(height) > 0 ? [{ text, weight: 500 }] : [];
}

const lettersIn = (width: number) => Math.floor((width - 12) / 6.8);
const linesOf = (height: number) => Math.floor((height - 4) / 16);

/** In lines of whole words. */
function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const part of text.match(/.+?(?:[\s/_-]+|$)/g) ?? []) {
    const longer = `${lines.at(-1)}${part}`;
    if (lines.length > 0 && longer.trimEnd().length <= room) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.map((line) => line.trimEnd());
}

/** Fewer letters would be no name. */
const minLetters = 5;

function cut(text: string, room: number): string {
  if (text.length <= room) return text;
  return room > minLetters ? `${text.slice(0, room - 1).trimEnd()}…` : '';
}
