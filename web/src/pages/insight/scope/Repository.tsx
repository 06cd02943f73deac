import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { useCosts } from '../../../analysis/queries.ts';
import { type Question, queryOf } from '../../../analysis/question.ts';
import { datesOf, datesTitle } from '../../../analysis/ranges.ts';
import { dataQuery } from '../../../api/query.ts';
import { ExploreLink } from '../../../parts/costs/ExploreLink.tsx';
import { useScope } from '../../../parts/costs/useScope.ts';
import { Fixes } from '../../../parts/waste/Fixes.tsx';
import { late } from '../../../ui/late.ts';
import { PageTitle } from '../../../ui/Panel.tsx';
import { ProviderButton } from '../../../ui/ProviderButton.tsx';
import { TextLink } from '../../../ui/text.tsx';
import { nameIn, teamAddress } from '../../../ui/useAddress.ts';
import { useVisit } from '../../../ui/visits.ts';
import { ScopePage } from './ScopePage.tsx';

const Missing = late(() => import('../../../layout/Missing.tsx'), 'Page');

export function Page() {
  const name = nameIn(useParams<{ '*': string }>()['*']);
  return name === null ? <Missing /> : <OneRepository name={name} />;
}

function OneRepository({ name }: { name: string }) {
  const scope = { dimension: 'repository' as const, value: name };
  const { view, costs, search } = useScope(scope, 'workflow');
  const { question, today } = view;
  useVisit('repository', costs.data && name);
  return (
    <>
      <PageTitle
        title={name}
        back={{ href: `/workflows${search}`, label: 'Workflows' }}
        about={
          <div className="about-owners">
            {datesTitle(datesOf(question.range, today))}, UTC
            <Owners question={question} today={today} search={search} />
          </div>
        }
      >
        <AtProvider name={name} isReady={costs.data !== undefined} />
        <ExploreLink href={`/explore${view.searchOf({ ...question, groupBy: ['job'] })}`} />
      </PageTitle>
      <ScopePage
        scope={scope}
        view={view}
        costs={costs}
        aside={<Fixes of={{ repo: name }} isReady={costs.data !== undefined} />}
      />
    </>
  );
}

/** Links to the repository at its provider. The address is the start of its latest run's address. */
function AtProvider({ name, isReady }: { name: string; isReady: boolean }) {
  const query = { repository: [`=${name}`], days: 30, limit: 1 };
  const { data: url } = useQuery({
    ...dataQuery('/api/v1/costs/runs', { query }),
    select: ([run]) => run?.url ?? null,
    enabled: isReady,
    staleTime: Infinity,
  });
  const end = url ? url.indexOf(`/${name}/`) + name.length + 1 : 0;
  return url && end > name.length ? (
    // Hidden on phones, which have no room for it; it also appears late.
    <Box visibleFrom="sm">
      <ProviderButton href={url.slice(0, end)} />
    </Box>
  ) : null;
}

const maxOwners = 3;

/** Owners by today's rules; the team with the largest part first. */
function Owners({ question, today, search }: { question: Question; today: string; search: string }) {
  const asked = { ...question, groupBy: ['team', 'cost_center'], compare: 'none' as const };
  const { data } = useCosts({
    ...queryOf(asked, today, { granularity: 'total', limit: 20 }),
    ownership: 'today',
  });
  if (!data || data.groups.length === 0) return null;
  const teams = [...new Map(data.groups.map(({ by: [team] }) => [team!.name, team!.value]))];
  const centers = [...new Set(data.groups.flatMap(({ by: [, center] }) => center!.value ?? []))];
  return (
    <>
      {' · '}
      {teams.length === 1 ? 'team ' : 'teams '}
      {teams.slice(0, maxOwners).map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <TextLink href={`${teamAddress(value)}${search}`} inherit underline="always" className="unbroken">
            {name}
          </TextLink>
        </span>
      ))}
      {teams.length > maxOwners && ` and ${teams.length - maxOwners} more`}
      {centers.length > 0 && (
        <>
          {' · cost center '}
          <TextLink href="/teams?by=cost_center" inherit underline="always" className="unbroken">
            {centers.slice(0, maxOwners).join(', ')}
          </TextLink>
        </>
      )}
    </>
  );
}
