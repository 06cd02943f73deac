import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The only rule whose result depends on the theme. */
export const ofColors = ['color-contrast'];

type Checked = {
  /** CSS selectors of the part to check, and of parts to leave out. */
  include?: string;
  exclude?: string[];
  /** All rules by default. */
  rules?: string[];
  isSerious?: boolean;
};

type Violation = { id: string; impact: string; nodes: { html: string }[] };

/** What axe finds on the open page: each broken rule with the first element that breaks it. */
export async function axeFindings(
  page: Page,
  { include = 'html', exclude = [], rules, isSerious = false }: Checked = {},
): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe);
  // No rule that is on needs the loaded styles and media.
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify({ include, exclude })}, ${JSON.stringify(options)})`;
  const found = (await page.evaluate(`${run}.then(({ violations }) => violations)`)) as Violation[];
  return found
    .filter(({ impact }) => !isSerious || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes[0]!.html.slice(0, 160)}`);
}
