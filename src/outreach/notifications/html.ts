/** Markup as opposed to text, which is yet to be escaped. */
export type Markup = { markup: string };

/** A template whose values are escaped, except for markup and lists of it. */
export function html(parts: TemplateStringsArray, ...values: (string | Markup | Markup[])[]): Markup {
  const markup = parts.reduce((before, part, index) => before + markupOf(values[index - 1]!) + part);
  return { markup };
}

function markupOf(value: string | Markup | Markup[]): string {
  if (typeof value === 'string') return escapeHtml(value);
  return Array.isArray(value) ? value.map(({ markup }) => markup).join('') : value.markup;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}
