export type Line = { text: string; weight: number };

/** The lines of text in an area: its parent, its name and its amount. Empty if they do not fit. */
export function linesIn(
  { name, parent, amount }: { name: string; parent: string | null; amount: string },
  { width, height }: { width: number; height: number },
): Line[] {
  const room = lettersIn(width);
  const most = linesOf(height);
  const heading = parent === null ? [] : [{ text: parent, weight: 700 }];
  const lines = (...texts: string[]) => [
    ...heading,
    ...texts.map((text, index): Line => ({ text, weight: index === texts.length - 1 ? 400 : 500 })),
  ];
  const choices = [
    lines(...wrapped(name, room), amount),
    [...heading, { text: `${name} ${amount}`, weight: 500 }],
  ];
  const fits = ({ text }: Line) => text.length > 0 && text.length <= room;
  return choices.find((choice) => choice.length <= most && choice.every(fits)) ?? [];
}

/** The text of the last area: `+12` for `12 others`, or its name. Empty if it does not fit. */
export function shortLineIn(name: string, { width, height }: { width: number; height: number }): Line[] {
  const others = /^(\d+) others?$/.exec(name)?.[1];
  const room = lettersIn(width);
  const text = others === undefined ? name : `+${others}`;
  return text.length <= room && linesOf(height) > 0 ? [{ text, weight: 500 }] : [];
}

/** The start of a name that does not fit; the legend shows the whole name. */
export function cutLineIn(name: string, { width, height }: { width: number; height: number }): Line[] {
  const text = cut(name, lettersIn(width));
  return text !== '' && linesOf(height) > 0 ? [{ text, weight: 500 }] : [];
}

const lettersIn = (width: number) => Math.floor((width - 12) / 6.8);
const linesOf = (height: number) => Math.floor((height - 4) / 16);

function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const part of text.match(/.+?(?:[\s/_-]+|$)/g) ?? []) {
    const longer = `${lines.at(-1)}${part}`;
    if (lines.length > 0 && longer.trimEnd().length <= room) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.map((line) => line.trimEnd());
}

/** A shorter cut would not be recognizable as a name. */
const minLetters = 5;

function cut(text: string, room: number): string {
  if (text.length <= room) return text;
  return room > minLetters ? `${text.slice(0, room - 1).trimEnd()}…` : '';
}
