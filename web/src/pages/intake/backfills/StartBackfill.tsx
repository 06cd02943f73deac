import { Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { sourcesQuery } from '../../tenancy/queries.ts';
import { backfillsKey } from './queries.ts';
import { repositoriesIn } from './words.ts';

export function StartBackfill({ onClose }: { onClose: () => void }) {
  const sources = useQuery(sourcesQuery).data?.filter(({ kind }) => kind === 'github') ?? [];
  const [values, setValues] = useState({ repositories: '', since: '90d', sourceId: null as string | null });
  const start = useChange({
    act: async () => {
      const { since, sourceId } = values;
      const repositories = repositoriesIn(values.repositories);
      const body = { repositories, since: since.trim(), ...(sourceId ? { source_id: sourceId } : {}) };
      return (await api.POST('/api/v1/backfills', { body })).data!.data;
    },
    done: 'Backfill started.',
    refresh: [backfillsKey],
    isErrorShown: true,
  });
  return (
    <FormDialog
      title="New backfill"
      label="Start backfill"
      isBusy={start.isPending}
      error={start.error}
      fields={['repositories', 'since', 'source_id']}
      onSubmit={() => start.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Textarea
        label="Repositories"
        description="One owner/name per line, up to 100."
        required
        autosize
        minRows={2}
        maxRows={8}
        data-autofocus
        placeholder="acme/app"
        value={values.repositories}
        onChange={(event) => setValues({ ...values, repositories: event.currentTarget.value })}
        error={errorOf(start.error, 'repositories')}
      />
      <TextInput
        label="Created since"
        description="A day such as 2026-01-31, or an age such as 90d or 36h."
        required
        maxLength={40}
        value={values.since}
        onChange={(event) => setValues({ ...values, since: event.currentTarget.value })}
        error={errorOf(start.error, 'since')}
      />
      {(sources.length > 1 || errorOf(start.error, 'source_id') !== null) && (
        <Choice
          label="Source"
          description="We use the token or GitHub App of this source. Set it on the Sources page."
          options={sources.map(({ id, name }) => ({ value: id, label: name }))}
          none="Choose one"
          value={values.sourceId}
          onChange={(sourceId) => setValues({ ...values, sourceId })}
          error={errorOf(start.error, 'source_id')}
        />
      )}
    </FormDialog>
  );
}
