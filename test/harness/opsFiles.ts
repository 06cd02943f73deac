/** The files in `ops/`: alert rules of Prometheus and a dashboard of Grafana. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
export const ops = join(root, 'ops');
export const read = (path: string) => readFileSync(join(root, path), 'utf8');
export const rulesText = read('ops/prometheus-alerts.yml');

type Panel = { title: string; targets?: { expr: string }[] };
const dashboard = JSON.parse(read('ops/grafana-dashboard.json')) as { panels: Panel[] };
export const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
);
export const alertNames = [...rulesText.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);

/** The names of the series in a PromQL text. */
export function seriesIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:runcost|nodejs|process)_[a-z0-9_]+\b/g))];
}
