import { List, Text, ThemeIcon } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Step } from './words.ts';

const steps: [Step, title: string, text: string][] = [
  ['connect', 'Connect GitHub', 'Its events report new runs.'],
  ['credentials', 'Let Runcost read past runs', 'With a token or a GitHub App that has “Actions: read”.'],
  ['start', 'Choose repositories and a first day', 'The runs are priced and added. You see how far it is.'],
];

export function Steps({ now }: { now: Step | null }) {
  const at = steps.findIndex(([step]) => step === now);
  return (
    <List type="ordered" listStyleType="none" className="backfill-steps" aria-label="Steps to a backfill">
      {steps.map(([step, title, text], index) => (
        <List.Item
          key={step}
          aria-current={index === at ? 'step' : undefined}
          icon={
            <ThemeIcon
              size={26}
              radius="xl"
              variant={index === at ? 'filled' : 'default'}
              fz="sm"
              aria-label={index < at ? 'Done:' : undefined}
              role={index < at ? 'img' : undefined}
            >
              {index < at ? <IconCheck size={16} aria-hidden /> : index + 1}
            </ThemeIcon>
          }
        >
          <Text size="sm" fw={600} c={index === at ? 'var(--mantine-color-text)' : 'dimmed'}>
            {title}
          </Text>
          <Text size="sm">{text}</Text>
        </List.Item>
      ))}
    </List>
  );
}
