import { formatNanos, type Nanos } from '../../platform/lib/money.ts';
import { escapeMarkup, oneLine } from '../../platform/lib/text.ts';

/** Advance widths of Verdana in thousandths of the font size, from space to tilde. */
const widths = [
  352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454, 636, 636, 636, 636, 636,
  636, 636, 636, 636, 636, 454, 454, 818, 818, 818, 545, 1000, 684, 686, 698, 771, 632, 575, 775, 751, 421,
  455, 693, 557, 843, 748, 787, 603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818,
  636, 636, 601, 623, 521, 623, 596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607, 623, 623, 427, 521,
  394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818,
];
const otherWidth = 700;
const wideWidth = 1_100;
const fontSize = 11;
const padding = 6;
const height = 20;

/** Both colors contrast with white and black pages, and with their white text. */
const labelColor = '#4a5260';
const valueColor = '#0b6e82';

/** It loads nothing, and its text fits its boxes in any font, because the text length is fixed. */
export function badgeSvg(label: string, value: string): string {
  const [left, right] = [shown(label), shown(value)];
  const [leftWidth, rightWidth] = [widthOf(left), widthOf(right)];
  const [leftBox, rightBox] = [leftWidth + 2 * padding, rightWidth + 2 * padding];
  const width = leftBox + rightBox;
  const name = escapeMarkup(`${left}: ${right}`);
  const text = (content: string, x: number, length: number) =>
    `<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escapeMarkup(content)}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}">` +
    `<title>${name}</title>` +
    `<clipPath id="r"><rect width="${width}" height="${height}" rx="3"/></clipPath>` +
    `<g clip-path="url(#r)"><rect width="${leftBox}" height="${height}" fill="${labelColor}"/>` +
    `<rect x="${leftBox}" width="${rightBox}" height="${height}" fill="${valueColor}"/></g>` +
    `<g fill="#fff" font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="${fontSize}">` +
    `${text(left, padding, leftWidth)}${text(right, leftBox + padding, rightWidth)}</g></svg>`
  );
}

/** Removes the two characters that XML forbids, which would keep browsers from showing the image. */
function shown(text: string): string {
  return oneLine(text).replaceAll(/[\uFFFE\uFFFF]/g, '') || 'CI';
}

function widthOf(text: string): number {
  const thousandths = [...new Intl.Segmenter().segment(text)].reduce(
    (sum, { segment }) => sum + widthOfCharacter(segment),
    0,
  );
  return Math.ceil((thousandths * fontSize) / 1_000);
}

function widthOfCharacter(character: string): number {
  const known = character.length === 1 ? widths[character.charCodeAt(0) - 32] : undefined;
  if (known !== undefined) return known;
  return /[\u1100-\u115F\u2E80-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFFE6]|\p{Emoji_Presentation}/u.test(
    character,
  )
    ? wideWidth
    : otherWidth;
}

/** `$0.42`, `$38`, `$4.6K`, `$1.2M`: rounded, because a badge has room for few digits. */
export function shortDollars(nanos: Nanos): string {
  const amount = Number(formatNanos(nanos));
  if (amount < 9.995) return `$${amount.toFixed(2)}`;
  if (amount < 999.5) return `$${amount.toFixed(0)}`;
  const [unit, size] = amount < 999_950 ? (['K', 1_000] as const) : (['M', 1_000_000] as const);
  return `$${(amount / size).toFixed(1)}${unit}`;
}
