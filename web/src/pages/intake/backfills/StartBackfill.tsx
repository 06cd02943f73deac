import { Box, Checkbox, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { sourcesKey, sourcesQuery } from '../../../api/queries.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { Note } from '../../../ui/Note.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { backfillsKey } from './queries.ts';
import { repositoriesIn } from './words.ts';

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** A longer list gets a search field. */
const maxScrolled = 8;
/** The API's limit per backfill. */
const maxRepositories = 100;

type Props = { known: readonly string[]; onClose: () => void };

export function StartBackfill({ known, onClose }: Props) {
  const sources = useQuery(sourcesQuery).data?.filter((source) => source.has_credentials);
  const [chosen, setChosen] = useState<string[]>([]);
  const [values, setValues] = useState({ typed: '', since: dayAgo(90), sourceId: null as string | null });
  const repositories = [...new Set([...chosen, ...repositoriesIn(values.typed)])];
  const start = useChange({
    act: async () => {
      const { since, sourceId } = values;
      const body = { repositories, since, ...(sourceId ? { source_id: sourceId } : {}) };
      return (await api.POST('/api/v1/backfills', { body })).data!.data;
    },
    done: 'Backfill started.',
    refresh: [backfillsKey, sourcesKey],
    isErrorShown: true,
  });
  const hasChoice = sources !== undefined && sources.length > 1;
  const isAnyKnown = known.length > 0;
  const tooMany =
    repositories.length > maxRepositories
      ? `Choose at most ${maxRepositories} repositories: these are ${repositories.length}.`
      : null;
  const error = tooMany ?? errorOf(start.error, 'repositories');
  const isSourceMissing = hasChoice && values.sourceId === null;
  const thing = repositories.length === 0 ? 'repository' : isSourceMissing ? 'source' : null;
  return (
    <FormDialog
      title="New backfill"
      label="Start backfill"
      isDisabled={tooMany !== null}
      missing={thing && `Choose a ${thing} first.`}
      change={start}
      fields={['repositories', 'since', 'source_id']}
      onClose={onClose}
    >
      {isAnyKnown && <KnownRepositories known={known} chosen={chosen} error={tooMany} onChange={setChosen} />}
      <Textarea
        label={isAnyKnown ? 'Other repositories' : 'Repositories'}
        description="One owner/name per line, up to 100 in all."
        required={!isAnyKnown}
        autosize
        minRows={isAnyKnown ? 1 : 2}
        maxRows={8}
        {...(!isAnyKnown && { 'data-autofocus': true })}
        placeholder="acme/app"
        value={values.typed}
        onChange={(event) => setValues({ ...values, typed: event.currentTarget.value })}
        error={isAnyKnown && tooMany ? null : error}
      />
      <DayField
        label="Runs created since"
        description="From this UTC day until now."
        required
        w={240}
        max={dayAgo(0)}
        value={values.since}
        onChange={(since) => setValues({ ...values, since })}
        error={errorOf(start.error, 'since')}
      />
      {(hasChoice || errorOf(start.error, 'source_id') !== null) && (
        <Choice
          label="Source"
          description="We use the token or GitHub App of this source. Set it on the Sources page."
          options={(sources ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          none="Choose one"
          value={values.sourceId}
          onChange={(sourceId) => setValues({ ...values, sourceId })}
          error={errorOf(start.error, 'source_id')}
        />
      )}
    </FormDialog>
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
