import { Button, NumberInput, SimpleGrid, Stack } from '@mantine/core';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { below, Form } from '../../../ui/Form.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note } from '../../../ui/text.tsx';
import { afterPoolChange, type Pool } from './queries.ts';
import { keyAfter, matchChoices } from './words.ts';

type Unit = 'month' | 'hour' | 'none';
type Row = { key: number; from: string; until: string; machines: number | ''; unit: Unit; usd: number | '' };
type Values = Pick<Pool, 'name' | 'match' | 'pattern'> & { resource_ids: string; periods: Row[] };

function valuesOf(pool: Pool | null): Values {
  const periods = (pool?.periods ?? []).map((period, key): Row => ({
    key,
    from: period.first_day,
    until: period.last_day ?? '',
    machines: period.machines ?? '',
    unit: period.usd_per_hour !== null ? 'hour' : period.monthly_usd !== null ? 'month' : 'none',
    usd: period.usd_per_hour ?? period.monthly_usd ?? '',
  }));
  return {
    name: pool?.name ?? '',
    match: pool?.match ?? 'label',
    pattern: pool?.pattern ?? '',
    resource_ids: pool?.resource_ids.join('\n') ?? '',
    periods: pool ? periods : [{ key: 0, from: '', until: '', machines: '', unit: 'month', usd: '' }],
  };
}

function bodyOf({ periods, resource_ids: resources, name, match, pattern }: Values) {
  return {
    name,
    match,
    pattern,
    resource_ids: resources
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
    periods: periods.map(({ from, until, machines, unit, usd }) => ({
      first_day: from,
      last_day: until || null,
      machines: machines === '' ? null : machines,
      monthly_usd: unit === 'month' && usd !== '' ? usd : null,
      usd_per_hour: unit === 'hour' && usd !== '' ? usd : null,
    })),
  };
}

export function PoolForm({ pool, onClose }: { pool: Pool | null; onClose: () => void }) {
  return (
    <Form
      title={pool ? 'Edit pool' : 'Add pool'}
      label={pool ? 'Save pool' : 'Add pool'}
      initial={valuesOf(pool)}
      isDisabled={({ periods }) => periods.some(({ from }) => from === '')}
      fields={({ values, input, errorAt }) => [
        {
          name: 'name',
          label: 'Name',
          required: true,
          maxLength: 100,
          placeholder: 'Mac minis',
          'data-autofocus': true,
        },
        [
          { name: 'match', kind: 'choice', label: 'Match', options: matchChoices },
          {
            name: 'pattern',
            isAsTyped: true,
            label: 'Pattern',
            description: 'Only your own runners should have it.',
            required: true,
            maxLength: 255,
            placeholder: values.match === 'regex' ? '^mac-' : 'mac-mini',
            ...below,
          },
        ],
        <Periods {...input('periods')} errorAt={errorAt} />,
        {
          name: 'resource_ids',
          kind: 'lines',
          label: 'Cloud resources',
          description: 'One id or name per line, if you import a FOCUS file.',
          autosize: true,
          minRows: 1,
          maxRows: 8,
        },
      ]}
      act={async (values) => {
        const body = bodyOf(values);
        if (pool) await api.PUT('/api/v1/runner-pools/{id}', { params: { path: { id: pool.id } }, body });
        else await api.POST('/api/v1/runner-pools', { body });
      }}
      done={`Pool ${pool ? 'saved' : 'added'}. It changes the full cost of past jobs, too.`}
      refresh={afterPoolChange}
      onClose={onClose}
    />
  );
}

const unitChoices = [
  { value: 'month', label: 'Per month, in all' },
  { value: 'hour', label: 'Per machine and hour' },
  { value: 'none', label: 'Imported only' },
] as const;

type PeriodsProps = {
  value: Row[];
  onChange: (rows: Row[]) => void;
  errorAt: (name: string) => string | null;
};

function Periods({ value: rows, onChange, errorAt }: PeriodsProps) {
  const added = { from: '', until: '', machines: '', unit: 'month', usd: '' } as const;
  return (
    <Stack gap="md">
      {rows.map((row, index) => (
        <PeriodRow
          key={row.key}
          row={row}
          errorAt={(name) => errorAt(`periods[${index}].${name}`)}
          onChange={(fields) => onChange(rows.map((each) => (each === row ? { ...each, ...fields } : each)))}
          onRemove={() => onChange(rows.filter((each) => each !== row))}
        />
      ))}
      <SmallButton
        style={{ alignSelf: 'flex-start' }}
        onClick={() => onChange([...rows, { key: keyAfter(rows), ...added }])}
      >
        Add price
      </SmallButton>
    </Stack>
  );
}

type RowProps = {
  row: Row;
  errorAt: PeriodsProps['errorAt'];
  onChange: (fields: Partial<Row>) => void;
  onRemove: () => void;
};

function PeriodRow({ row, errorAt, onChange, onRemove }: RowProps) {
  return (
    <Stack gap="xs" role="group" aria-label={`Price from ${row.from || 'a day'}`}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <DayField
          label="From"
          required
          value={row.from}
          onChange={(from) => onChange({ from })}
          error={errorAt('first_day')}
        />
        <DayField
          label="Until"
          placeholder="Further notice"
          value={row.until}
          onChange={(until) => onChange({ until })}
          error={errorAt('last_day')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Choice
          label="Priced"
          value={row.unit}
          options={unitChoices}
          onChange={(unit) => onChange({ unit: unit as Unit })}
        />
        {row.unit !== 'none' && (
          <NumberInput
            label="US dollars"
            required
            min={0}
            decimalScale={9}
            value={row.usd}
            onChange={(usd) => onChange({ usd: usd === '' ? '' : Number(usd) })}
            error={errorAt('monthly_usd') ?? errorAt('usd_per_hour')}
          />
        )}
        <NumberInput
          label="Machines"
          min={1}
          allowDecimal={false}
          value={row.machines}
          onChange={(machines) => onChange({ machines: machines === '' ? '' : Number(machines) })}
          error={errorAt('machines') ?? (row.unit === 'none' ? errorAt('monthly_usd') : null)}
        />
      </SimpleGrid>
      <Note>With the number of machines, time in which no job ran is shown as idle.</Note>
      <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} onClick={onRemove}>
        Remove this price
      </Button>
    </Stack>
  );
}
