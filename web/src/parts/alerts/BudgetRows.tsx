import { Group, Progress, Stack, Text } from '@mantine/core';
import { sentence } from '../../ui/figures.ts';
import { Note, RepositoryName, sharedOwner, TextLink } from '../../ui/text.tsx';
import { alertType } from './alertTypes.ts';
import { BudgetBurnUp, BurnUpKeys, usedInWords } from './BudgetBurnUp.tsx';
import { percentOf, type Budget } from './budgets.ts';
import { scopeInWords } from './words.ts';

export function BudgetRows({ budgets }: { budgets: readonly Budget[] }) {
  return (
    <Stack gap="md">
      {budgets.map((budget) => (
        <BudgetRow key={budget.alert.id} budget={budget} />
      ))}
      <BurnUpKeys />
    </Stack>
  );
}

function BudgetRow({ budget }: { budget: Budget }) {
  const {
    alert,
    measured: { forecast, current_value: spent },
  } = budget;
  const { in_short, observed_unit } = alertType(alert);
  const limit = alert.threshold_amount;
  const scope = scopeInWords(alert.scope);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
        <Text size="sm" fw={500} truncate>
          <TextLink href={`/alerts/${alert.id}`} inherit>
            {alert.name}
          </TextLink>{' '}
          {scope !== null && scope !== alert.name && (
            <Text span inherit fw={400} c="dimmed">
              <RepositoryName name={scope} owner={sharedOwner([scope])} />
            </Text>
          )}
        </Text>
        <Note className="number" style={{ whiteSpace: 'nowrap' }}>
          {usedInWords(alert, spent, limit)}
          {observed_unit === 'usd' && `, ${percentOf(spent, limit)}`}
        </Note>
      </Group>
      {forecast ? (
        <BudgetBurnUp kind={alert} limit={limit} forecast={forecast} />
      ) : (
        <>
          <Note size="xs">{sentence(in_short)}, so far</Note>
          {/* The text above says the same. */}
          <Progress
            value={Math.min(100, (100 * spent) / limit)}
            color={spent > limit ? 'var(--chart-over)' : 'var(--series-1)'}
            aria-hidden
          />
        </>
      )}
    </Stack>
  );
}
