import { Badge, Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import {
  sourceKindsQuery,
  type SourceKind,
  booksQuery,
  membersQuery,
  pricingQuery,
  sourcesQuery,
  type Source,
} from '../../../api/queries.ts';
import { useCommandLine, useOrganizationId, usePublicUrl, useSession } from '../../../api/session.ts';
import { demoQuery } from '../../../parts/demo/queries.ts';
import { icons } from '../../../parts/sources/providerIcons.ts';
import { CommandFold } from '../../../ui/Command.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, Panel } from '../../../ui/Panel.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { Step, Steps } from '../../../ui/Steps.tsx';
import { InText, LongText, Note } from '../../../ui/text.tsx';
import { Trend } from '../../../ui/Trend.tsx';
import { DemoPanel } from './DemoPanel.tsx';
import { WhichPrices } from './WhichPrices.tsx';
import { Yourself } from './Yourself.tsx';

type Props = { waiting: ReactNode };

export function FirstSteps({ waiting }: Props) {
  const isAdmin = useWhyNot()({ role: 'admin', scope: 'admin' }) === null;
  if (isAdmin) return <AdminsSteps waiting={waiting} />;
  return (
    <Empty title="No runs yet">
      Ask an admin to connect your CI. The first run appears here when it arrives.
    </Empty>
  );
}

/** Waits for all data, because a part that appears late would move the others. */
function AdminsSteps({ waiting }: Props) {
  const kinds = useQuery(sourceKindsQuery);
  const sources = useQuery(sourcesQuery);
  const books = useQuery(booksQuery);
  const pricing = useQuery(pricingQuery);
  const demo = useQuery(demoQuery);
  const yourself = useYourself();
  if ([kinds, sources, books, pricing, demo, yourself].some(({ isPending }) => isPending)) return waiting;
  const isConnected = (sources.data ?? []).length > 0;
  return (
    <>
      <div className="overview-columns of-own-height">
        <div>
          <Panel title="Get started">
            <Steps>
              {yourself.isAsked && (
                <Step title="Say who you are">
                  <Yourself onSkip={yourself.skip} />
                </Step>
              )}
              <Step title="Connect your CI" isDone={isConnected}>
                {isConnected ? <Connected sources={sources.data!} /> : <Connect kinds={kinds.data ?? []} />}
              </Step>
              <Step title="Wait for the first run">
                <Note>Runcost is listening. The run and its cost appear here when it arrives.</Note>
              </Step>
            </Steps>
          </Panel>
        </div>
        <Stack gap="md">
          <Panel title="Prices" more={{ href: '/settings/pricing', label: 'All prices' }}>
            <Loaded query={books} height={120}>
              {(list) => (
                <Loaded query={pricing} height={120}>
                  {({ book }) => <WhichPrices list={list} current={book} />}
                </Loaded>
              )}
            </Loaded>
          </Panel>
          <OtherWays />
        </Stack>
      </div>
      <Example />
    </>
  );
}

/** An owner who came by a link or token of the server is asked once, in an organization without people. */
function useYourself() {
  const { data: session } = useSession();
  const [isSkipped, setSkipped] = useLocalStorage({
    key: `runcost-yourself-${useOrganizationId()}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const enabled = session?.member === null && session.role === 'owner';
  const members = useQuery({ ...membersQuery, enabled });
  return {
    isAsked: enabled && !isSkipped && members.data?.length === 0,
    isPending: enabled && members.isPending,
    skip: () => setSkipped(true),
  };
}

const exampleFigures = [
  [
    'Cost, last 30 days',
    '$1,284.55',
    <>
      −$175.17 <Trend percent={-12} isCost fw={400} /> vs previous 30 days
    </>,
  ],
  ['Forecast, this month', '$1,410.20', '94% of the budget'],
  ['Waste', '$96.40', 'Four fixes, as YAML to copy'],
] as const;
const exampleDays = [
  58, 62, 55, 20, 14, 60, 66, 71, 64, 59, 18, 12, 63, 70, 98, 91, 68, 22, 15, 61, 57, 66, 62, 60, 19, 13, 64,
  59, 55, 48,
];

/** Sample of what the page becomes. It says that its figures are made up. */
function Example() {
  return (
    <Panel
      title="What you will see"
      aside={
        <Badge variant="default" tt="none" fw={500}>
          Example figures
        </Badge>
      }
    >
      <VisuallyHidden>
        Your cost of each day and of 30 days, the forecast of the month, and your waste.
      </VisuallyHidden>
      <div className="first-example" aria-hidden="true">
        <Stack gap="md">
          {exampleFigures.map(([label, value, note]) => (
            <div key={label}>
              <Note>{label}</Note>
              <Text fz={20} lh={1.3} fw={600}>
                {value}
              </Text>
              <Note size="xs">{note}</Note>
            </div>
          ))}
        </Stack>
        <div className="example-bars">
          {exampleDays.map((height, day) => (
            <span key={day} style={{ height: `${height}%` }} />
          ))}
        </div>
      </div>
    </Panel>
  );
}

const pageOf = ({ kind, guided_page: page }: SourceKind) => page ?? `/sources?connect=${kind}`;

/** The first kind reads its history, so it also works if a CI on the internet cannot reach this server. */
function Connect({ kinds: [first, ...others] }: { kinds: SourceKind[] }) {
  const { isPublic } = usePublicUrl();
  if (!first) return null;
  const First = icons[first.icon];
  return (
    <>
      <Text size="sm">{first.about}</Text>
      <Group gap="sm">
        <Button component={Link} href={pageOf(first)} leftSection={<First size={18} aria-hidden />}>
          Connect {first.title}
        </Button>
        {others.map((kind) => (
          <Button key={kind.kind} component={Link} href={pageOf(kind)} variant="default">
            {kind.title}
          </Button>
        ))}
        <Button component={Link} href="/sources?connect=telemetry" variant="default">
          OpenTelemetry
        </Button>
      </Group>
      {!isPublic && (
        <Note size="xs">
          The others send webhooks, so they first need an address of this server that they can reach.
        </Note>
      )}
    </>
  );
}

function Connected({ sources }: { sources: Source[] }) {
  return (
    <LongText>
      {sources.map(({ name }) => name).join(', ')}. <InText href="/sources">See sources</InText>
    </LongText>
  );
}

function OtherWays() {
  const commandLine = useCommandLine();
  const { url } = usePublicUrl();
  return (
    <>
      <DemoPanel />
      <Panel title="Other ways to start">
        <Stack gap={4}>
          <CommandFold
            title="Read past runs from GitHub with a token"
            label="the command for history"
            command={`GITHUB_TOKEN=… ${commandLine} \\\n  backfill github --repo owner/name --since 90d`}
          />
          <CommandFold title="Report runs from any other CI" label="the request" command={requestFor(url)} />
        </Stack>
      </Panel>
    </>
  );
}

function requestFor(address: string): string {
  const now = Date.now();
  const at = (minutesAgo: number) => `${new Date(now - minutesAgo * 60_000).toISOString().slice(0, 19)}Z`;
  const run = {
    provider: 'jenkins',
    run_id: 'api-1',
    workflow_name: 'Build',
    repo_name: 'acme/api',
    status: 'completed',
    conclusion: 'success',
    created_at: at(5),
    jobs: [
      {
        job_id: '1',
        runner: 'linux_2_core',
        started_at: at(5),
        completed_at: at(1),
      },
    ],
  };
  return [
    `curl -s -X POST ${address}/api/v1/runs \\`,
    `  -H "Authorization: Bearer $RUNCOST_TOKEN" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify({ runs: [run] }, null, 2)}'`,
  ].join('\n');
}
