import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { ApiError } from '../../../api/client.ts';
import { countOf, longDay } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import type { DateOrder, Imported, Report } from './queries.ts';

export type Outcome = { file: File } & ({ report: Imported } | { error: Error });

type Props = {
  outcome: Outcome;
  /** Whether a file is on its way, so that none can be sent again. */
  isBusy: boolean;
  onOrder: (order: DateOrder) => void;
};

/** What was kept of a file and what was not, or why it was refused. */
export function ImportResult({ outcome, ...asked }: Props) {
  const { name } = outcome.file;
  if ('error' in outcome) return <Refused name={name} error={outcome.error} {...asked} />;
  const { report } = outcome;
  const { lines, period, totals, is_new: isNew, replaces } = report;
  return (
    <Alert
      color="gray"
      variant="outline"
      title={isNew ? `${name} was imported` : `${name} was imported before`}
    >
      <Stack gap="xs">
        <Text size="sm">
          {countOf(lines.kept, 'line')} of {countOf(lines.read, 'line')} kept, {longDay(period.start)} to{' '}
          {longDay(period.end)}: <Money amount={totals.gross} /> gross, <Money amount={totals.net} /> to pay.
          {report.date_order && ` Dates were read as ${orderWords[report.date_order]}.`}
          {lines.rounded > 0 &&
            ` ${countOf(lines.rounded, 'line')} had more than nine decimals and were rounded.`}
        </Text>
        {!isNew && (
          <Text size="sm">
            It does not become the latest report again: delete it and import it again for that.
          </Text>
        )}
        {replaces.map(({ id, file_name: fileName, days }) => (
          <Text key={id} size="sm" style={{ overflowWrap: 'anywhere' }}>
            It replaces {countOf(days, 'day')} of {fileName}.
          </Text>
        ))}
        <BadLines report={report} />
      </Stack>
    </Alert>
  );
}

/** The lines that were left out, and why. */
export function BadLines({ report: { lines, bad_lines: bad } }: { report: Report }) {
  if (lines.skipped === 0) return null;
  return (
    <>
      <Text size="sm" fw={500}>
        {countOf(lines.skipped, 'line')} could not be read
        {lines.skipped > bad.length && `; the first ${bad.length}:`}
      </Text>
      <WideTable label="Lines that could not be read" minWidth={320} maxHeight={240}>
        <Columns texts={['Line', 'Why it was left out']} />
        <tbody>
          {bad.map(({ line, reason }) => (
            <tr key={line}>
              <td>{line}</td>
              <td style={breaking}>It {reason}.</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </>
  );
}

const orderWords: Record<DateOrder, string> = { mdy: 'month/day', dmy: 'day/month' };

/** Errors that the order of the dates may resolve: what to ask, and the answers that can be right. */
const orderQuestions: Record<string, { title: string; text: string; orders: DateOrder[] }> = {
  date_order_required: {
    title: 'month/day or day/month?',
    text: 'The dates in this file can be read both ways. Reports that come straight from GitHub have month/day.',
    orders: ['mdy', 'dmy'],
  },
  date_order_mismatch: {
    title: 'are its dates day/month?',
    text: 'Reports that come straight from GitHub have month/day, but this file has day/month.',
    orders: ['dmy'],
  },
};

function Refused({ name, error, isBusy, onOrder }: { name: string; error: Error } & Omit<Props, 'outcome'>) {
  const faults =
    error instanceof ApiError
      ? Object.entries(error.fields).filter(([field]) => field !== 'body' && !field.startsWith('query.'))
      : [];
  const question = error instanceof ApiError ? orderQuestions[error.code] : undefined;
  const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
  return (
    <Alert
      color={question ? 'gray' : 'red'}
      variant="outline"
      role="alert"
      title={question ? `${name}: ${question.title}` : `${name} was not imported`}
    >
      <Text size="sm">{question ? question.text : `${error.message}${request}`}</Text>
      {faults.length > 0 && (
        <List size="sm" mt="xs">
          {faults.slice(0, 10).map(([field, fault]) => (
            <List.Item key={field} style={{ overflowWrap: 'anywhere' }}>
              {field}: {fault}
            </List.Item>
          ))}
        </List>
      )}
      {question && (
        <Group gap="xs" mt="sm">
          {question.orders.map((order) => (
            <Button
              key={order}
              size="compact-sm"
              variant="default"
              disabled={isBusy}
              onClick={() => onOrder(order)}
              aria-label={`Import as ${orderWords[order]}: ${name}`}
            >
              Import as {orderWords[order]}
            </Button>
          ))}
        </Group>
      )}
    </Alert>
  );
}
