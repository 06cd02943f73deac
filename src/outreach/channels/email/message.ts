import { fit, type Reason, type Wording } from '../wording.ts';
import { alertEmailHtml } from './html.ts';

export type Email = { subject: string; text: string; html: string };

const columns = 76;
const maxNameInSubject = 80;

export function emailOf(wording: Wording, reasons: Reason[]): Email {
  return {
    subject: subjectOf(wording),
    text: textOf(wording, reasons),
    html: alertEmailHtml(wording, reasons),
  };
}

function subjectOf({ title, alertName, inShort }: Wording): string {
  const name = fit(alertName, maxNameInSubject, (text) => text);
  return `${title}: ${name} (${inShort})`;
}

function textOf(wording: Wording, reasons: Reason[]): string {
  const { title, alertName, summary, details, link, lists = [], chart } = wording;
  const labelWidth = Math.max(...details.map(({ label }) => label.length));
  const lines = [
    ...wrap(`${title}: ${alertName}`, ''),
    '',
    ...wrap(summary, ''),
    '',
    ...details.map(({ label, value }) => `  ${label.padEnd(labelWidth)}   ${value}`),
    '',
    ...(chart ? [...wrap(chart.text, ''), ''] : []),
    ...workflowLines(wording),
    ...lists.flatMap(({ heading, items }) => [
      `${heading}:`,
      ...items.flatMap((item) => wrap(item, '  ')),
      '',
    ]),
    `${link.label}:`,
    link.url,
    '',
    '-- ', // email clients treat what follows as a signature
    ...reasons.flatMap((reason) =>
      typeof reason === 'string' ? wrap(reason, '') : [`${reason.label}:`, reason.url],
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** The names come last, so that the figures align in any script. */
function workflowLines({ workflows }: Wording): string[] {
  if (workflows.length === 0) return [];
  const costWidth = widest('Cost', ...workflows.map(({ cost }) => cost));
  const changeWidth = widest('Change', ...workflows.map(({ change }) => change));
  const row = (cost: string, change: string) =>
    `  ${cost.padStart(costWidth)}  ${change.padStart(changeWidth)}  `;
  return [
    'Largest increases:',
    '',
    `${row('Cost', 'Change')}Workflow`,
    ...workflows.flatMap(({ workflow, repository, cost, change, cause }) => [
      ...wrap(`${workflow} (${repository})`, row(cost, change)),
      ...(cause ? wrap(cause, ' '.repeat(row('', '').length)) : []),
    ]),
    '',
  ];
}

function widest(...texts: string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}

function wrap(text: string, start: string): string[] {
  const room = columns - start.length;
  const lines: string[] = [''];
  for (const word of text.split(' ').flatMap((long) => pieces(long, room))) {
    const line = lines.at(-1)!;
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line, index) => (index === 0 ? start : ' '.repeat(start.length)) + line);
}

function pieces(word: string, room: number): string[] {
  const parts = [''];
  for (const character of word) {
    const longer = parts.at(-1)! + character;
    if (widthOf(longer) <= room) parts[parts.length - 1] = longer;
    else parts.push(character);
  }
  return parts;
}

/** Columns in a fixed-width font, where East Asian characters and pictographs take two. */
function widthOf(text: string): number {
  return text.replace(/[\u1100-\u115F\u2E80-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFFE6]/g, '  ').length;
}
