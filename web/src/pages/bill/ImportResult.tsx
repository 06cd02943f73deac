import { Alert, List, Stack, Text } from '@mantine/core';
import { ApiError } from '../../api/client.ts';
import { countOf, longDay } from '../../shown/figures.ts';
import { Money } from '../../shown/Money.tsx';
import { breaking, Columns, WideTable } from '../../shown/WideTable.tsx';
import type { Imported, Report } from './queries.ts';

export type Outcome = { name: string } & ({ report: Imported } | { error: Error });

/** What became of a file: what was kept of it and what was not, or why it is no report. */
export function ImportResult({ outcome }: { outcome: Outcome }) {
  if ('error' in outcome) return <Refused {...outcome} />;
  const { report, name } = outcome;
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

function Refused({ name, error }: { name: string; error: Error }) {
  const faults =
    error instanceof ApiError ? Object.entries(error.fields).filter(([field]) => field !== 'body') : [];
  const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
  return (
    <Alert color="red" variant="outline" role="alert" title={`${name} was not imported`}>
      <Text size="sm">
        {error.message}
        {request}
      </Text>
      {faults.length > 0 && (
        <List size="sm" mt="xs">
          {faults.slice(0, 10).map(([field, fault]) => (
            <List.Item key={field} style={{ overflowWrap: 'anywhere' }}>
              {field}: {fault}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
