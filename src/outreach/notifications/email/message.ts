import type { AlertNotice } from '../wording.ts';
import { fit, wordingOf, type Reason, type Wording } from '../wording.ts';
import { alertEmailHtml } from './html.ts';

export type Email = { subject: string; text: string; html: string };

const columns = 76;
const maxNameInSubject = 80;

type Links = {
  /** Of the first page. */
  dashboardUrl: string;
  unsubscribeUrl: string;
};

/** The mail about a triggered alert to an owner or admin. */
export function alertEmail(notice: AlertNotice, { dashboardUrl, unsubscribeUrl }: Links): Email {
  const wording = wordingOf(notice, dashboardUrl);
  return emailOf(wording, reasonsFor(notice, wording, unsubscribeUrl));
}

/** The mail that says this; below it stands why somebody gets it. */
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

/** Why somebody gets the mail, and how it stops. */
function reasonsFor({ alert }: AlertNotice, { organization }: Wording, unsubscribeUrl: string): Reason[] {
  return [
    `You get this mail because you are an owner or admin of ${organization} with alert emails on.`,
    { label: 'Unsubscribe from alert emails', url: unsubscribeUrl },
    `To stop the mails of this alert for everybody, set its notify_email to false: PUT /api/v1/alerts/${alert.id}.`,
  ];
}

function textOf(wording: Wording, reasons: Reason[]): string {
  const { title, alertName, summary, facts, link } = wording;
  const labelWidth = Math.max(...facts.map(({ label }) => label.length));
  const lines = [
    ...wrap(`${title}: ${alertName}`, ''),
    '',
    ...wrap(summary, ''),
    '',
    ...facts.map(({ label, value }) => `  ${label.padEnd(labelWidth)}   ${value}`),
    '',
    ...workflowLines(wording),
    `${link.label}:`,
    link.url,
    '',
    '-- ', // what follows is a signature to mail programs
    ...reasons.flatMap((reason) =>
      typeof reason === 'string' ? wrap(reason, '') : [`${reason.label}:`, reason.url],
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** A table with the names last: whatever their length and script, the figures line up. */
function workflowLines({ workflows }: Wording): string[] {
  if (workflows.length === 0) return [];
  const costWidth = widest('Cost', ...workflows.map(({ cost }) => cost));
  const changeWidth = widest('Change', ...workflows.map(({ change }) => change));
  const row = (cost: string, change: string) =>
    `  ${cost.padStart(costWidth)}  ${change.padStart(changeWidth)}  `;
  return [
    'Workflows behind the rise:',
    '',
    `${row('Cost', 'Change')}Workflow`,
    ...workflows.flatMap(({ workflow, repository, cost, change }) =>
      wrap(`${workflow} (${repository})`, row(cost, change)),
    ),
    '',
  ];
}

function widest(...texts: string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}

/** The text in lines of at most 76 columns, the first one after `start` and the others indented as far. */
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

/** A word cut into pieces that fit. */
function pieces(word: string, room: number): string[] {
  const parts = [''];
  for (const character of word) {
    const longer = parts.at(-1)! + character;
    if (widthOf(longer) <= room) parts[parts.length - 1] = longer;
    else parts.push(character);
  }
  return parts;
}

/** Columns in a fixed-width font, in which the scripts of East Asia and pictographs take two. */
function widthOf(text: string): number {
  return text.replace(/[\u1100-\u115F\u2E80-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFFE6]/g, '  ').length;
}
