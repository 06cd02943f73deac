import { Anchor, Box, Card, Code, Flex, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { count, countOf } from '../../../ui/figures.ts';
import { Note, When } from '../../../ui/text.tsx';
import { meaningOf } from './flags.ts';
import { isAfterItsList } from './lists.ts';
import type { Job } from './queries.ts';
import { receiptDollars } from './receiptDollars.ts';

const seconds = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

export function Receipt({ job }: { job: Job }) {
  const { receipt, flags } = job;
  return (
    // As wide as the visible part of the table, which may scroll sideways.
    <Stack gap="sm" py="xs" w="min(860px, calc(100cqw - 20px))" pos="sticky" left={10}>
      <Text fw={600}>{receipt.sentence}</Text>
      <Card withBorder p={0} m={0} component="ol" style={{ listStyle: 'none' }}>
        <Step name="Time" result={`${seconds.format(receipt.seconds)} s`}>
          <When at={job.started_at} full /> to <When at={job.completed_at} full />
        </Step>
        <Step name="Minutes" result={countOf(receipt.billed_minutes, 'minute')}>
          {minutesText(job)}
        </Step>
        <Step name="Runner" result={receipt.runner_title ?? 'unknown'}>
          {receipt.runner_rule_text} Rule <Code>{receipt.runner_rule}</Code>
        </Step>
        <Step name="Price" result={receipt.price_book ? receiptDollars(receipt.price_per_minute) : 'none'}>
          {priceText(job)}
          {isAfterItsList(job) && <LaterListNote />}
        </Step>
        <Step name="Cost" result={receiptDollars(receipt.cost)} isTotal>
          {costText(job)}
        </Step>
      </Card>
      {flags.map((flag) => (
        <Remark
          key={flag}
          title={meaningOf(flag).title}
          text={
            receipt.is_cut
              ? meaningOf(flag).text
              : `${meaningOf(flag).text} The flag does not change the cost.`
          }
        />
      ))}
      {receipt.is_unpriced && <Remark title="Unpriced" text={unpricedText} />}
    </Stack>
  );
}

const unpricedText =
  'This runner has no price, so its minutes count as $0. Map it with a rule in Settings, Prices.';

function minutesText({ receipt }: Job): string {
  if (receipt.is_carried_over) return 'Billed in an earlier attempt, not again';
  if (receipt.billed_minutes === 0) return 'Nothing to bill';
  if (receipt.is_cut) return 'Up to the provider’s time limit plus 10 minutes';
  if (receipt.rounding === 'second') return 'Started minutes. This runner is billed per second.';
  return 'Each job is rounded up to a full minute';
}

function priceText({ status, receipt: { price_book, runner_kind } }: Job): string {
  if (price_book) return `Rate per minute of ${price_book.row} in ${price_book.name}`;
  if (status !== 'completed') return 'Set when the job completes';
  return runner_kind === null ? 'This runner has no price' : 'No price applies';
}

function LaterListNote() {
  return (
    <Note>
      This price list had ended when the job completed. To use another list and reprice past jobs, go to{' '}
      <Anchor component={Link} href="/settings/pricing" inherit underline="always">
        Settings, Prices
      </Anchor>
      .
    </Note>
  );
}

function costText({ receipt }: Job): string {
  if (receipt.is_carried_over) return 'Not billed again';
  if (receipt.is_unpriced) return `${countOf(receipt.billed_minutes, 'minute')} without a price`;
  if (receipt.billed_minutes === 0) return 'Nothing to bill';
  if (receipt.credits !== null) return `${countOf(receipt.credits, 'credit')}, rounded up`;
  if (receipt.rounding === 'second') {
    const billed = Math.min(Math.ceil(receipt.seconds), receipt.billed_minutes * 60);
    return `${count(billed)} s × ${receiptDollars(receipt.price_per_minute)} ÷ 60`;
  }
  return `${count(receipt.billed_minutes)} × ${receiptDollars(receipt.price_per_minute)}`;
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

function Remark({ title, text }: { title: string; text: string }) {
  return (
    <Text size="sm">
      <Text span inherit fw={600}>
        {title}.
      </Text>{' '}
      {text}
    </Text>
  );
}
