import { List, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { countOf, exactDollars, longDay } from '../../../ui/figures.ts';
import { ImportFile } from '../../../ui/ImportFile.tsx';
import { Note } from '../../../ui/text.tsx';
import { afterPoolChange } from './queries.ts';

async function post(csv: string, isDryRun: boolean) {
  const body = { csv, dry_run: isDryRun };
  return (await api.POST('/api/v1/runner-pools/import', { body })).data!.data;
}

type Tried = Awaited<ReturnType<typeof post>>;

const changedDays = ({ pools }: Tried) => pools.reduce((sum, { changed_days: days }) => sum + days, 0);

export function ImportPoolCosts({ reason }: { reason: string | null }) {
  return (
    <ImportFile
      reason={reason}
      file="File of pool costs"
      label="Import costs"
      send={post}
      done={(imported) => `Imported. ${countOf(changedDays(imported), 'daily amount')} changed.`}
      refresh={afterPoolChange}
      hint="The first line names the columns: pool, cost_usd, and month, or first_day with last_day. FOCUS files can be imported as they are."
    >
      {(tried) => <Changes tried={tried} />}
    </ImportFile>
  );
}

function Changes({ tried }: { tried: Tried }) {
  const { pools, other_lines: others } = tried;
  return (
    <>
      {pools.length === 0 ? (
        <Text size="sm">
          No line is about one of your pools. Add the ids or names of its cloud resources to a pool.
        </Text>
      ) : (
        <List size="sm" listStyleType="none">
          {pools.map(({ id, name, cost, first_day: first, last_day: last, changed_days: days }) => (
            <List.Item key={id}>
              <b>{name}</b>: {exactDollars(cost)}, {longDay(first)} to {longDay(last)},{' '}
              {days === 0 ? 'already imported' : `${countOf(days, 'day')} new or changed`}
            </List.Item>
          ))}
        </List>
      )}
      {others > 0 && <Note>{countOf(others, 'line')} about resources of no pool.</Note>}
    </>
  );
}
