import type { UseQueryResult } from '@tanstack/react-query';
import type { Costs } from '../../../analysis/queries.ts';
import { Sparkline } from '../../../charts/Sparkline.tsx';
import { Loading, Total } from '../../../parts/costs/Summary.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { count, share, typicalDuration } from '../../../ui/figures.ts';
import { FigureLink, Money, MoneyLink, TextButton } from '../../../ui/text.tsx';
import { daysOf, rateOf } from './measures.ts';
import type { Durations } from './queries.ts';

type Props = {
  costs: UseQueryResult<Costs>;
  counts: UseQueryResult<Costs>;
  times: UseQueryResult<Durations>;
  onFailures: () => void;
};

export function WorkflowFigures({ costs, counts, times, onFailures }: Props) {
  return (
    <Figures>
      <Total
        query={costs}
        label="Cost"
        link={(amount) => <MoneyLink amount={amount} href="#runs" to="runs" />}
        each={(amount) => <Money amount={amount} />}
      />
      <Total
        query={counts}
        label="Runs"
        link={(value) => <FigureLink value={count(value)} href="#runs" to="runs" />}
        each={(value) => count(Math.round(value))}
      />
      <Loading query={times} label="Duration">
        {({ total, groups }) => (
          <Figure
            label="Duration, p50"
            value={inWords(total.duration_p50_seconds)}
            note={`p95 ${inWords(total.duration_p95_seconds)}, queue p95 ${inWords(total.queue_p95_seconds)}`}
            trend={
              <Sparkline
                values={groups
                  .toSorted((a, b) => (a.by[0]!.value! < b.by[0]!.value! ? -1 : 1))
                  .map(({ duration_p50_seconds: seconds }) => seconds ?? 0)}
              />
            }
          />
        )}
      </Loading>
      <Loading query={counts} label="Success rate">
        {(data) => <SuccessRate counts={data} onFailures={onFailures} />}
      </Loading>
    </Figures>
  );
}

function SuccessRate({ counts, onFailures }: { counts: Costs; onFailures: () => void }) {
  const totals = new Map(counts.groups.map(({ by: [conclusion], value }) => [conclusion!.value, value]));
  const rate = rateOf((conclusion) => totals.get(conclusion) ?? 0);
  const rates = daysOf(counts, noTimes).flatMap(({ successRate }) => successRate ?? []);
  return (
    <Figure
      label="Success rate"
      value={rate === null ? '–' : share(rate)}
      note={
        <>
          excluding skipped
          {rate !== null && rate < 1 && (
            <>
              {' · '}
              <TextButton onClick={onFailures}>show failures</TextButton>
            </>
          )}
        </>
      }
      trend={<Sparkline values={rates} />}
    />
  );
}

const noTimes = { groups: [] } as unknown as Durations;

function inWords(seconds: number | null): string {
  return seconds === null ? '–' : typicalDuration(seconds);
}
