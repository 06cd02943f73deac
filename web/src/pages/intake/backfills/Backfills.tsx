import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { BackfillTable } from './BackfillTable.tsx';
import { Completeness } from './Completeness.tsx';
import { NoBackfills } from './NoBackfills.tsx';
import { backfillsQuery } from './queries.ts';
import { StartBackfill } from './StartBackfill.tsx';

export function Page() {
  const [params, change] = useAddress();
  const backfills = useQuery(backfillsQuery(pageIn(params)));
  const [isStarting, { open, close }] = useDisclosure();
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <>
      <PageTitle title="Backfills" about="Import runs from before you connected Runcost, and runs it missed.">
        <AllowedButton reason={reason} onClick={open}>
          New backfill
        </AllowedButton>
      </PageTitle>
      <RightsNote reason={reason} />
      <Loaded query={backfills} height={240}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <NoBackfills />
          ) : (
            <Panel title="All backfills">
              <BackfillTable backfills={data} isPart={pagination.total > data.length} reason={reason} />
              <Pager
                pagination={pagination}
                one="backfill"
                onPage={(page) => change({ page: page === 1 ? null : String(page) })}
              />
            </Panel>
          )
        }
      </Loaded>
      <Completeness />
      {isStarting && <StartBackfill onClose={close} />}
    </>
  );
}
