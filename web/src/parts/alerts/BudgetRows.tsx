import { Group, Stack, Text } from '@mantine/core';
import { Note, RepositoryName, sharedOwner, TextLink } from '../../ui/text.tsx';
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
  const { alert, forecast } = budget;
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
          {usedInWords({ limit, forecast })}, {percentOf(forecast.spent, limit)}
        </Note>
      </Group>
      <BudgetBurnUp limit={limit} forecast={forecast} />
    </Stack>
  );
}
