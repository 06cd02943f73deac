import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { afterPriceChange } from '../../../api/queries.ts';
import { numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Confirm } from '../../../ui/Dialog.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note, OutsideLink } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { rateHintsQuery, type RateHint } from './queries.ts';
import { minutesText, rateInWords } from './words.ts';

export function RateHintsPanel({ reason }: { reason: string | null }) {
  const hints = useQuery(rateHintsQuery);
  const [chosen, setChosen] = useState<RateHint | null>(null);
  return (
    <Loaded query={hints} height={0}>
      {(all) => {
        const used = all.filter(({ minutes }) => minutes > 0);
        return (
          used.length > 0 && (
            <Panel title="Third-party runners">
              <Note>
                Jobs on these runners of the last 30 days, and what their companies list. We apply no rate
                unless you choose it.
              </Note>
              <DataTable
                label="Third-party runners"
                minWidth={720}
                rows={used}
                columns={columnsFor(reason, setChosen)}
                isStacked
              />
              {chosen && <Accept hint={chosen} onClose={() => setChosen(null)} />}
            </Panel>
          )
        );
      }}
    </Loaded>
  );
}

function listedRates({ rates }: RateHint): string {
  const [first, ...later] = rates.map(({ effective_from: from, usd_per_minute: rate }, place) =>
    place === 0 ? rateInWords(rate) : `${rateInWords(rate)} from ${longDay(from)}`,
  );
  return first === undefined ? 'No known rate' : [`${first} per minute`, ...later].join(', ');
}

function columnsFor(reason: string | null, onAccept: (hint: RateHint) => void): Column<RateHint>[] {
  return [
    {
      title: 'Labels',
      value: ({ labels }) => labels.join(', '),
      cell: ({ labels, name, note, rates }) => (
        <>
          {labels.join(', ')}
          <Note size="xs">{rates.length === 0 ? note : name}</Note>
        </>
      ),
    },
    numberColumn('Minutes', ({ minutes }) => minutes, minutesText, { isPlain: true }),
    {
      title: 'Listed rate',
      cell: (hint) => (
        <div>
          {listedRates(hint)}
          <Note size="xs">
            {hint.confidence === 'hint' ? 'Hint' : 'Published'}, checked {longDay(hint.checked_on)}.{' '}
            <OutsideLink href={hint.source}>Source</OutsideLink>
          </Note>
        </div>
      ),
    },
    {
      title: 'Actions',
      cell: (hint) =>
        hint.rule_id !== null
          ? 'In your rules'
          : reason === null &&
            hint.rates.length > 0 && (
              <SmallButton aria-label={`Use the rate of ${hint.name}`} onClick={() => onAccept(hint)}>
                Use this price
              </SmallButton>
            ),
    },
  ];
}

function Accept({ hint, onClose }: { hint: RateHint; onClose: () => void }) {
  const accept = useChange({
    act: () => api.POST('/api/v1/pricing/hints/{id}/accept', { params: { path: { id: hint.id } } }),
    done: () => 'Rule added. To change past jobs, reprice them.',
    refresh: afterPriceChange,
  });
  return (
    <Confirm title={`Use the rate of ${hint.name}?`} label="Add rule" change={accept} onClose={onClose}>
      <Text size="sm" mb="xs">
        This adds a rule for {hint.labels.join(', ')}: {listedRates(hint)}, rounded up to whole{' '}
        {hint.rounding}s. Past jobs keep their price until you reprice them.
      </Text>
      <Text size="sm" mb="xs">
        {hint.note}
      </Text>
      <Text size="sm">
        {hint.confidence === 'hint'
          ? 'This rate is a hint: compare it with your bill.'
          : `The company published it; we read it on ${longDay(hint.checked_on)}.`}
      </Text>
    </Confirm>
  );
}
