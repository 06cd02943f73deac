/** What an area says: its name in whole words, then its amount and what it is in. Nothing where the name has no room. */
export function linesIn(
  { name, parent, amount }: { name: string; parent: string | null; amount: string },
  { width, height }: { width: number; height: number },
): { text: string; weight: number }[] {
  const room = Math.floor((width - 12) / 6.6);
  const lines = wrapped(name, room).map((text) => ({ text, weight: 500 }));
  const fitting = Math.max(height >= 16 ? 1 : 0, Math.floor((height - 4) / 16));
  let left = fitting - lines.length;
  if (lines.length === 0 || left < 0) return [];
  if (left > 0 && amount.length <= room && left--) lines.push({ text: amount, weight: 400 });
  if (left > 0 && parent !== null && parent.length <= room) lines.unshift({ text: parent, weight: 700 });
  return lines;
}

/** The text in lines of whole words; none if a word is longer than a line. */
function wrapped(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    if (word.length > room) return [];
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
