import { escapeMarkup } from '../../../platform/lib/text.ts';
import type { Reason, Wording } from '../wording.ts';

export type Markup = { markup: string };

export function html(parts: TemplateStringsArray, ...values: (string | Markup | Markup[])[]): Markup {
  const markup = parts.reduce((before, part, index) => before + markupOf(values[index - 1]!) + part);
  return { markup };
}

function markupOf(value: string | Markup | Markup[]): string {
  if (typeof value === 'string') return escapeMarkup(value);
  return Array.isArray(value) ? value.map(({ markup }) => markup).join('') : value.markup;
}

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const breaking = 'overflow-wrap:anywhere;word-break:break-word';
const figures = 'font-variant-numeric:tabular-nums;white-space:nowrap';
const rule = 'border-top:1px solid #e3e6ea';

// Email clients support inline styles best; the classes only add the dark colors.
const style: Markup = {
  markup: `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #14171a !important; }
  .card { background: #1e2226 !important; border-color: #343a40 !important; }
  .ink { color: #f1f3f5 !important; }
  .soft { color: #a9b1b9 !important; }
  .alarm { color: #ff8f85 !important; }
  .rule { border-color: #343a40 !important; }
  .filled { background: #22b8cf !important; }
  .over { background: #ff8f85 !important; }
  .track { background: #343a40 !important; }
  .button { background: #22b8cf !important; color: #0b1220 !important; }
}
@media (max-width: 480px) {
  .edge { padding-left: 18px !important; padding-right: 18px !important; }
  .page { padding: 10px 8px !important; }
}
`,
};

/** An email as HTML: tables and inline styles, no external resources, light and dark, from 360 pixels. */
export function alertEmailHtml(wording: Wording, reasons: readonly Reason[]): string {
  const { title, alertName, summary } = wording;
  // An invitation is only there to be opened, so its button comes first.
  const isInvitation = wording.current === '';
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${title}: ${alertName}</title>
        <style>
          ${style}
        </style>
      </head>
      <body class="page" style="margin:0;padding:0;background:#f3f4f6">
        <div style="display:none;max-height:0;overflow:hidden">${summary}</div>
        <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
          <tr>
            <td class="page" align="center" style="padding:28px 12px;background:#f3f4f6">
              <table
                role="presentation"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="max-width:580px;text-align:left"
              >
                <tr>
                  <td class="card" style="background:#ffffff;border:1px solid #e3e6ea;border-radius:10px">
                    <table
                      role="presentation"
                      width="100%"
                      cellpadding="0"
                      cellspacing="0"
                      border="0"
                      style="${font}"
                    >
                      ${headMarkup(wording)} ${isInvitation ? buttonMarkup(wording) : ''}
                      ${chartMarkup(wording)} ${detailsMarkup(wording)} ${workflowsMarkup(wording)}
                      ${listsMarkup(wording)} ${isInvitation ? '' : buttonMarkup(wording)}
                    </table>
                  </td>
                </tr>
                <tr>
                  <td
                    class="soft edge"
                    style="padding:18px 28px 0;${font};font-size:12px;line-height:18px;color:#68707a;${breaking}"
                  >
                    ${reasons.map((reason) => html`<p style="margin:0 0 6px">${reasonMarkup(reason)}</p> `)}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html> `;
  return page.markup;
}

function reasonMarkup(reason: Reason): string | Markup {
  if (typeof reason === 'string') return reason;
  return html`<a class="soft" href="${reason.url}" style="color:#68707a">${reason.label}</a>`;
}

function headMarkup(wording: Wording): Markup {
  const { title, alertName, organization, current, summary, change, isCalm = false } = wording;
  const isNamed = organization === '' || alertName.includes(organization);
  const look = isCalm ? ['soft', '#68707a'] : ['alarm', '#b42318'];
  return html`<tr>
    <td class="edge" style="padding:26px 28px 18px">
      <p
        class="${look[0]!}"
        style="margin:0 0 4px;font-size:14px;line-height:20px;font-weight:600;color:${look[1]!}"
      >
        ${isNamed ? title : `${title} · ${organization}`}
      </p>
      <h1
        class="ink"
        style="margin:0 0 16px;font-size:20px;line-height:27px;font-weight:600;color:#15191d;${breaking}"
      >
        ${alertName}
      </h1>
      ${current === '' ? '' : figureMarkup(current)}
      <p class="soft" style="margin:0;font-size:15px;line-height:22px;color:#4a525b;${breaking}">
        ${change ?? summary}
      </p>
    </td>
  </tr>`;
}

function figureMarkup(current: string): Markup {
  return html`<p
    class="ink"
    style="margin:0 0 6px;font-size:34px;line-height:40px;font-weight:700;color:#15191d;${breaking}"
  >
    ${current}
  </p>`;
}

function chartMarkup({ chart }: Wording): Markup {
  if (!chart) return html``;
  return html`<tr>
    <td class="edge" style="padding:0 28px 18px">
      ${chart.source === null ? '' : imageMarkup(chart.source, chart.text)}
      ${chart.source === null || chart.labels.length === 0 ? '' : labelsMarkup(chart.labels)}
      <p class="soft" style="margin:6px 0 0;font-size:13px;line-height:19px;color:#68707a">${chart.text}</p>
    </td>
  </tr>`;
}

function imageMarkup(source: string, text: string): Markup {
  return html`<img
    src="${source}"
    width="524"
    alt="${text}"
    style="display:block;width:100%;max-width:524px;height:auto;border:0"
  />`;
}

/** Each is under its bar. Hidden from screen readers, because the image's text has them. */
function labelsMarkup(labels: readonly string[]): Markup {
  return html`<table
    role="presentation"
    aria-hidden="true"
    width="100%"
    cellpadding="0"
    cellspacing="0"
    border="0"
    style="max-width:524px;table-layout:fixed"
  >
    <tr>
      ${labels.map(
        (label) =>
          html`<td
            class="soft"
            align="center"
            style="padding:4px 0 0;font-size:12px;line-height:16px;color:#68707a"
          >
            ${label}
          </td>`,
      )}
    </tr>
  </table>`;
}

function detailsMarkup({ details }: Wording): Markup {
  const rows = details.map(
    ({ label, value }) =>
      html`<tr>
        <td
          class="soft rule"
          style="padding:8px 12px 8px 0;font-size:14px;line-height:20px;color:#68707a;${rule}"
          valign="top"
        >
          ${label}
        </td>
        <td
          class="ink rule"
          align="right"
          style="padding:8px 0;font-size:14px;line-height:20px;color:#15191d;font-variant-numeric:tabular-nums;${rule}"
        >
          ${value}
        </td>
      </tr> `,
  );
  return html`<tr>
    <td class="edge" style="padding:0 28px 20px">
      <table width="100%" cellpadding="0" cellspacing="0" border="0">
        ${rows}
      </table>
    </td>
  </tr>`;
}

/** A row as wide as the workflow and the figures above it. On phones, a column of its own would be narrow. */
function wideRow(content: string | Markup | Markup[], look: string): Markup {
  return html`<tr>
    <td class="soft" colspan="3" style="${look};${breaking}">${content}</td>
  </tr>`;
}

/** Keeps signs and amounts together, because browsers would break lines between them. */
function withWholeAmounts(text: string): Markup[] {
  return text
    .split(/([+−-]\$[\d,.]*\d)/)
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<span style="${figures}">${part}</span>`));
}

function workflowsMarkup({ workflows }: Wording): Markup {
  if (workflows.length === 0) return html``;
  const head =
    'padding:0 0 6px 12px;font-size:12px;line-height:18px;font-weight:400;color:#68707a;white-space:nowrap';
  const figure = `padding:8px 0 0 12px;font-size:14px;line-height:20px;${figures};${rule}`;
  const rows = workflows.map(
    ({ workflow, repository, cost, change, cause }) =>
      html`<tr>
          <td
            class="ink rule"
            style="padding:8px 0 0;font-size:14px;line-height:20px;color:#15191d;${rule};${breaking}"
            valign="top"
          >
            ${workflow}
          </td>
          <td class="ink rule" align="right" style="${figure};color:#15191d" valign="top">${cost}</td>
          <td class="ink rule" align="right" style="${figure};color:#15191d" valign="top">${change}</td>
        </tr>
        ${wideRow(repository, 'padding:0 0 4px;font-size:12px;line-height:18px;color:#68707a')}
        ${cause ? wideRow(withWholeAmounts(cause), 'padding:0 0 8px;font-size:13px;line-height:19px;color:#4a525b') : ''}`,
  );
  return html`<tr>
    <td class="edge" style="padding:0 28px 20px">
      <h2 class="ink" style="margin:0 0 8px;font-size:16px;line-height:22px;font-weight:600;color:#15191d">
        Largest increases
      </h2>
      <table width="100%" cellpadding="0" cellspacing="0" border="0">
        <tr>
          <th class="soft" align="left" style="${head};padding-left:0">Workflow</th>
          <th class="soft" align="right" style="${head}">Cost</th>
          <th class="soft" align="right" style="${head}">Change</th>
        </tr>
        ${rows}
      </table>
    </td>
  </tr>`;
}

function listsMarkup({ lists = [] }: Wording): Markup[] {
  return lists.map(
    ({ heading, items, percents = [] }) =>
      html`<tr>
        <td class="edge" style="padding:0 28px 20px">
          <h2
            class="ink"
            style="margin:0 0 8px;font-size:16px;line-height:22px;font-weight:600;color:#15191d"
          >
            ${heading}
          </h2>
          ${items.map(
            (item, index) =>
              html`<p
                  class="ink"
                  style="margin:0 0 6px;font-size:14px;line-height:20px;color:#15191d;${breaking}"
                >
                  ${item}
                </p>
                ${percents[index] === undefined ? '' : barMarkup(percents[index])}`,
          )}
        </td>
      </tr> `,
  );
}

/** A bar of two table cells, which all email clients draw alike. The text above says the same. */
function barMarkup(percent: number): Markup {
  const filled = Math.min(100, percent);
  const look = percent > 100 ? ['over', '#b42318'] : ['filled', '#0b7285'];
  const cell = (name: string, width: number, color: string) =>
    width <= 0
      ? ''
      : html`<td
          class="${name}"
          width="${String(width)}%"
          height="6"
          style="height:6px;background:${color};font-size:0;line-height:0"
        ></td>`;
  return html`<table
    role="presentation"
    aria-hidden="true"
    width="100%"
    cellpadding="0"
    cellspacing="0"
    border="0"
    style="margin:0 0 12px;table-layout:fixed"
  >
    <tr>
      ${cell(look[0]!, filled, look[1]!)} ${cell('track', 100 - filled, '#e3e6ea')}
    </tr>
  </table>`;
}

function buttonMarkup({ link }: Wording): Markup {
  return html`<tr>
    <td class="edge" style="padding:4px 28px 28px">
      <a
        class="button"
        href="${link.url}"
        style="display:inline-block;padding:11px 20px;border-radius:7px;background:#0b7285;color:#ffffff;font-size:15px;line-height:20px;font-weight:600;text-decoration:none"
        >${link.label}</a
      >
    </td>
  </tr>`;
}
