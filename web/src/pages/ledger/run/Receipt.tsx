import { Anchor, Box, Card, Code, Flex, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { count, countOf } from '../../../ui/figures.ts';
import { When } from '../../../ui/When.tsx';
import { exactDollars } from './exactDollars.ts';
import { meaningOf } from './flags.ts';
import { isAfterItsList } from './lists.ts';
import type { Job } from './queries.ts';

const seconds = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** How a job's seconds became dollars, step by step. */
export function Receipt({ job }: { job: Job }) {
  const { receipt, flags } = job;
  return (
    // As wide as what is seen of the table, which may scroll sideways below it.
    <Stack gap="sm" py="xs" w="min(860px, calc(100cqw - 20px))" pos="sticky" left={10}>
      <Text fw={600}>{receipt.sentence}</Text>
      <Card withBorder p={0} m={0} component="ol" style={{ listStyle: 'none' }}>
        <Step name="Time" result={`${seconds.format(receipt.seconds)} s`}>
          <When at={job.started_at} full /> to <When at={job.completed_at} full />
        </Step>
        <Step name="Minutes" result={countOf(receipt.billed_minutes, 'minute')}>
          {minutesText(job)}
        </Step>
        <Step name="Runner" result={receipt.runner_kind ?? 'none known'}>
          {receipt.runner_rule_text} Rule <Code>{receipt.runner_rule}</Code>
        </Step>
        <Step name="Price" result={receipt.price_book ? exactDollars(receipt.price_per_minute) : 'none'}>
          {priceText(job)}
          {isAfterItsList(job) && <LaterListNote />}
        </Step>
        <Step name="Cost" result={exactDollars(receipt.cost)} isTotal>
          {costText(job)}
        </Step>
      </Card>
      {flags.map((flag) => (
        <Note
          key={flag}
          title={meaningOf(flag).title}
          text={`${meaningOf(flag).text} The flag changes no cost.`}
        />
      ))}
      {receipt.is_unpriced && <Note title="Unpriced" text={unpricedText} />}
    </Stack>
  );
}

const unpricedText =
  'These minutes are counted, but cost 0 here, because no price is known for this runner. Map it by a rule in Settings, Pricing.';

function minutesText({ receipt }: Job): string {
  if (receipt.is_carried_over) return 'Paid in an earlier attempt, and not again here';
  if (receipt.billed_minutes === 0) return 'Nothing to bill';
  if (receipt.rounding === 'second') return 'Minutes begun; this runner is paid by the second';
  return 'Rounding by the minute: each job up to a whole minute on its own';
}

function priceText({ status, receipt: { price_book, runner_kind } }: Job): string {
  if (price_book) return `A minute of ${price_book.row} in ${price_book.name}`;
  if (status !== 'completed') return 'Looked up once the job has completed';
  return runner_kind === null ? 'No price is known for this runner' : 'No price applies';
}

function LaterListNote() {
  return (
    <Text size="sm" c="dimmed">
      It was recorded with this list; GitHub&apos;s from 2026 is another. Which one is used, and what it makes
      of jobs that are recorded already, is set in{' '}
      <Anchor component={Link} href="/settings/pricing" inherit underline="always">
        Settings, Pricing
      </Anchor>
      .
    </Text>
  );
}

function costText({ receipt }: Job): string {
  if (receipt.is_carried_over) return 'Not paid again';
  if (receipt.is_unpriced) return `${countOf(receipt.billed_minutes, 'minute')} without a price`;
  if (receipt.billed_minutes === 0) return 'Nothing to pay';
  if (receipt.rounding === 'second') {
    return `${count(Math.ceil(receipt.seconds))} s × ${exactDollars(receipt.price_per_minute)} ÷ 60`;
  }
  return `${count(receipt.billed_minutes)} × ${exactDollars(receipt.price_per_minute)}`;
}

type StepProps = { name: string; result: string; isTotal?: boolean; children: ReactNode };

function Step({ name, result, isTotal = false, children }: StepProps) {
  return (
    <Group
      component="li"
      px="sm"
      py={6}
      justify="space-between"
      align="flex-start"
      wrap="nowrap"
      fz="sm"
      fw={isTotal ? 700 : 400}
      style={{ borderTop: name === 'Time' ? 'none' : '1px solid var(--mantine-color-default-border)' }}
    >
      <Flex direction={{ base: 'column', sm: 'row' }} miw={0}>
        <Box w={90} fw={600} style={{ flexShrink: 0 }}>
          {name}
        </Box>
        <Box style={{ overflowWrap: 'anywhere' }}>{children}</Box>
      </Flex>
      <Box className="number" style={{ whiteSpace: 'nowrap' }}>
        {result}
      </Box>
    </Group>
  );
}

function Note({ title, text }: { title: string; text: string }) {
  return (
    <Text size="sm">
      <Text span inherit fw={600}>
        {title}.
      </Text>{' '}
      {text}
    </Text>
  );
}
