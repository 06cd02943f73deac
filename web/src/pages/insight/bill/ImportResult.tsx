import { Alert, Group, List, Stack, Text } from '@mantine/core';
import { ApiError } from '../../../api/client.ts';
import { shownColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, countOf, longDay } from '../../../ui/figures.ts';
import { reasonOf } from '../../../ui/outages.ts';
import { SmallButton } from '../../../ui/rights.tsx';
import { LongText, Money } from '../../../ui/text.tsx';
import type { DateOrder, Imported, Report } from './queries.ts';

export type Outcome = { file: File } & ({ report: Imported } | { error: Error });

type Props = {
  outcome: Outcome;
  /** Whether an upload is in progress, so that another cannot start. */
  isBusy: boolean;
  onOrder: (order: DateOrder) => void;
};

export function ImportResult({ outcome, ...asked }: Props) {
  const { name } = outcome.file;
  if ('error' in outcome) return <Refused name={name} error={outcome.error} {...asked} />;
  const { report } = outcome;
  const { lines, period, totals, is_new: isNew, replaces } = report;
  return (
    <Alert
      color="gray"
      variant="outline"
      title={isNew ? `${name} was imported` : `${name} was already imported`}
    >
      <Stack gap="xs">
        <Text size="sm">
          Kept {count(lines.kept)} of {countOf(lines.read, 'line')}, {longDay(period.start)} to{' '}
          {longDay(period.end)}: <Money amount={totals.gross} /> gross, <Money amount={totals.net} /> net.
          {report.date_order && ` Dates were read as ${orderWords[report.date_order]}.`}
          {lines.rounded > 0 && ` We rounded ${countOf(lines.rounded, 'line')} with more than nine decimals.`}
        </Text>
        {!isNew && (
          <Text size="sm">
            This import changed nothing. To make it the latest report, delete it and import it again.
          </Text>
        )}
        {replaces.map(({ id, file_name: fileName, days }) => (
          <LongText key={id}>
            Replaces {countOf(days, 'day')} of {fileName}.
          </LongText>
        ))}
        <BadLines report={report} />
      </Stack>
    </Alert>
  );
}

export function BadLines({ report: { lines, bad_lines: bad } }: { report: Report }) {
  if (lines.skipped === 0) return null;
  return (
    <>
      <Text size="sm" fw={500}>
        {countOf(lines.skipped, 'line')} could not be read
        {lines.skipped > bad.length && `. The first ${bad.length}:`}
      </Text>
      <DataTable
        label="Lines that could not be read"
        minWidth={320}
        maxHeight={240}
        rows={bad}
        keyOf={({ line }) => String(line)}
        columns={badColumns}
      />
    </>
  );
}

const badColumns: Column<Report['bad_lines'][number]>[] = [
  shownColumn('Line', ({ line }) => line, count),
  { title: 'Reason', className: 'breaking', cell: ({ reason }) => `It ${reason}.` },
];

const orderWords: Record<DateOrder, string> = { mdy: 'month/day', dmy: 'day/month' };

/** Errors that a date order can resolve, with the question and the possible answers. */
const orderQuestions: Record<string, { title: string; text: string; orders: DateOrder[] }> = {
  date_order_required: {
    title: 'month/day or day/month?',
    text: 'The dates in this file can be read both ways. Reports downloaded from GitHub use month/day.',
    orders: ['mdy', 'dmy'],
  },
  date_order_mismatch: {
    title: 'are the dates day/month?',
    text: 'Reports downloaded from GitHub use month/day, but this file uses day/month.',
    orders: ['dmy'],
  },
};

function Refused({ name, error, isBusy, onOrder }: { name: string; error: Error } & Omit<Props, 'outcome'>) {
  const errors =
    error instanceof ApiError
      ? Object.entries(error.fields).filter(([field]) => field !== 'body' && !field.startsWith('query.'))
      : [];
  const question = error instanceof ApiError ? orderQuestions[error.code] : undefined;
  return (
    <Alert
      color={question ? 'gray' : 'red'}
      variant="outline"
      role="alert"
      title={question ? `${name}: ${question.title}` : `${name} was not imported`}
    >
      <Text size="sm">{question ? question.text : reasonOf(error)}</Text>
      {errors.length > 0 && (
        <List size="sm" mt="xs">
          {errors.slice(0, 10).map(([field, message]) => (
            <List.Item key={field} style={{ overflowWrap: 'anywhere' }}>
              {field}: {message}
            </List.Item>
          ))}
        </List>
      )}
      {question && (
        <Group gap="xs" mt="sm">
          {question.orders.map((order) => (
            <SmallButton
              key={order}
              disabled={isBusy}
              onClick={() => onOrder(order)}
              aria-label={`Import as ${orderWords[order]}: ${name}`}
            >
              Import as {orderWords[order]}
            </SmallButton>
          ))}
        </Group>
      )}
    </Alert>
  );
}
