import { Box, Checkbox, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { sourcesKey, sourcesQuery } from '../../../api/queries.ts';
import { Form } from '../../../ui/Form.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { Note } from '../../../ui/text.tsx';
import { backfillsKey } from './queries.ts';
import { repositoriesIn } from './words.ts';

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** A longer list gets a search field. */
const maxScrolled = 8;
/** The API's limit per backfill. */
const maxRepositories = 100;

/** `readable`: kinds of sources whose past runs can be read. */
type Props = { known: readonly string[]; readable: readonly string[]; onClose: () => void };

const first = { chosen: [] as string[], repositories: '', since: '', source_id: null as string | null };

export function StartBackfill({ known, readable, onClose }: Props) {
  const sources = useQuery(sourcesQuery).data?.filter(
    ({ kind, has_credentials: has }) => has && readable.includes(kind),
  );
  const hasChoice = sources !== undefined && sources.length > 1;
  const isAnyKnown = known.length > 0;
  const chosenIn = ({ chosen, repositories: typed }: typeof first) => [
    ...new Set([...chosen, ...repositoriesIn(typed)]),
  ];
  const tooMany = (values: typeof first) => {
    const { length } = chosenIn(values);
    return length > maxRepositories
      ? `Choose at most ${maxRepositories} repositories: these are ${length}.`
      : null;
  };
  return (
    <Form
      title="New backfill"
      label="Start backfill"
      initial={{ ...first, since: dayAgo(90) }}
      isDisabled={(values) => tooMany(values) !== null}
      missing={(values) => {
        if (chosenIn(values).length === 0) return 'Choose a repository first.';
        return hasChoice && values.source_id === null ? 'Choose a source first.' : null;
      }}
      fields={({ values, change, input }) => [
        isAnyKnown && (
          <KnownRepositories
            known={known}
            chosen={values.chosen}
            error={tooMany(values)}
            onChange={(chosen) => change({ chosen })}
          />
        ),
        {
          name: 'repositories',
          kind: 'lines',
          label: isAnyKnown ? 'Other repositories' : 'Repositories',
          description: 'One owner/name per line, up to 100 in all.',
          required: !isAnyKnown,
          minRows: isAnyKnown ? 1 : 2,
          maxRows: 8,
          ...(!isAnyKnown && { 'data-autofocus': true, error: tooMany(values) }),
          placeholder: 'acme/app',
        },
        <DayField
          label="Runs created since"
          description="From this UTC day until now."
          required
          w={240}
          max={dayAgo(0)}
          {...input('since')}
        />,
        (hasChoice || input('source_id').error !== null) && {
          name: 'source_id',
          kind: 'choice',
          label: 'Source',
          description: 'We use the token or GitHub App of this source. Set it on the Sources page.',
          options: (sources ?? []).map(({ id, name }) => ({ value: id, label: name })),
          none: 'Choose one',
        },
      ]}
      act={async (values) => {
        const { since, source_id } = values;
        const body = { repositories: chosenIn(values), since, ...(source_id && { source_id }) };
        await api.POST('/api/v1/backfills', { body });
      }}
      done="Backfill started."
      refresh={[backfillsKey, sourcesKey]}
      onClose={onClose}
    />
  );
}

type KnownProps = {
  known: readonly string[];
  chosen: string[];
  error: string | null;
  onChange: (chosen: string[]) => void;
};

function KnownRepositories({ known, chosen, error, onChange }: KnownProps) {
  const [search, setSearch] = useState('');
  const shown = known.filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <Checkbox.Group label="Repositories" value={chosen} onChange={onChange} error={error}>
      {known.length > maxScrolled && (
        // Enter searches and must not start the backfill.
        <div onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}>
          <SearchField
            isCompact
            label="Search repositories"
            placeholder="Search repositories"
            value={search}
            onSettled={setSearch}
          />
        </div>
      )}
      <Box className="known-repositories">
        <Stack gap={0}>
          {shown.map((name, index) => (
            <Checkbox key={name} value={name} label={name} {...(index === 0 && { 'data-autofocus': true })} />
          ))}
          {shown.length === 0 && <Note role="status">No matches. Type it below.</Note>}
        </Stack>
      </Box>
    </Checkbox.Group>
  );
}
