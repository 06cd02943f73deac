import { Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Caret } from '../../../analysis/Caret.tsx';
import type { Costs } from '../../../analysis/queries.ts';
import { granularityOf, queryOf, type CostsQuery, type Question } from '../../../analysis/question.ts';
import { datesTitle } from '../../../analysis/ranges.ts';
import { ShareMenu } from '../../../analysis/ShareMenu.tsx';
import type { charts } from '../../../analysis/sharing.ts';
import { granularities, metrics } from '../../../analysis/words.ts';
import { readCsv } from '../../../api/query.ts';
import { download, downloadFile } from '../../../ui/download.ts';
import { ActionMenu } from '../../../ui/RowMenu.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { pictureOf } from './png.ts';
import { Views } from './Views.tsx';

type Props = {
  question: Question;
  chart: (typeof charts)[number];
  today: string;
  costs: Costs | undefined;
};

export function Actions({ question, chart, today, costs }: Props) {
  const csv = useChange({
    act: async (query: CostsQuery) =>
      downloadFile(await readCsv('/api/v1/costs', query), `${nameOf(costs!)}.csv`),
  });
  const png = useChange({
    act: async () => {
      const drawn = document.querySelector<HTMLElement>('#explore-chart');
      const svg = drawn?.querySelector<SVGSVGElement>('svg');
      if (!svg || !costs) throw new Error('The chart has not loaded yet. Try again when it is shown.');
      const legend = [
        ...document.querySelectorAll<HTMLElement>('.explore-panel .legend li:not(.is-hidden)'),
      ].map((entry) => ({
        title: entry.querySelector('.legend-name')!.textContent,
        color: entry.dataset['color']!,
      }));
      const words = metrics[costs.metric];
      const dates = datesTitle({ from: costs.period.start, to: costs.period.end });
      const title = document.querySelector('#explore-title')?.textContent ?? words.title;
      const subtitle = `${words.amount(costs.total.value)} · ${dates}, UTC`;
      download(await pictureOf({ svg, title, subtitle, legend }), `${nameOf(costs)}.png`);
    },
  });
  const span = granularities[granularityOf(question, today)].toLowerCase();
  return (
    <Group gap="xs" wrap="nowrap" className="compact-actions">
      <Views />
      <ShareMenu page="explore" question={question} chart={chart} today={today} />
      <ActionMenu
        target={(props) => (
          <Button
            {...props}
            size="xs"
            variant="default"
            className="icon-on-phones"
            leftSection={<IconDownload size={16} stroke={1.7} aria-hidden="true" />}
            rightSection={<Caret />}
            loading={csv.isPending || png.isPending}
          >
            Download
          </Button>
        )}
        items={[
          {
            label: 'CSV of the table',
            onClick: () => csv.mutate(queryOf(question, today, { granularity: 'total' })),
          },
          { label: `CSV by ${span}`, onClick: () => csv.mutate(queryOf(question, today)) },
          { label: 'PNG of the chart', onClick: () => png.mutate(undefined) },
        ]}
      />
    </Group>
  );
}

function nameOf({ period }: Costs): string {
  return `runcost-costs-${period.start}-to-${period.end}`;
}
