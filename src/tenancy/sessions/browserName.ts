import { oneLine } from '../../platform/lib/text.ts';

type Signs = readonly [name: string, sign: RegExp][];

/** A browser names itself and the ones it descends from, so the first match counts. */
const browsers: Signs = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\/|\bOpera\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];
const systems: Signs = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

const maxOther = 40;

/** `Firefox on Linux`; of other programs the first word, such as `curl/8.5.0`. */
export function browserName(userAgent: string | null): string | null {
  const text = userAgent?.trim();
  if (!text) return null;
  const find = (known: Signs) => known.find(([, sign]) => sign.test(text))?.[0];
  const [browser, system] = [find(browsers), find(systems)];
  if (browser === undefined) return oneLine(text.split(/\s/)[0]!).slice(0, maxOther);
  return system === undefined ? browser : `${browser} on ${system}`;
}
