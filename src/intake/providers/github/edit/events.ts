import type { PlanFile, WorkflowEdit } from '../../../../ledger/pricing/plan.ts';
import { documentationPaths } from '../../../../ledger/pullRequests/documentation.ts';
import { isMap, mapOf, readYaml, textsOf, type YamlMap } from '../../readYaml.ts';
import { lineOf, linesIn, type Planned } from './setValues.ts';

type EditOfEvents = Extract<
  WorkflowEdit,
  { action: 'run_less_often' | 'remove_trigger' | 'remove_duplicate' | 'skip_documentation' }
>;

export function changeEvents(
  { path, content }: PlanFile,
  edit: EditOfEvents,
  files: readonly PlanFile[],
): Planned {
  const read = readYaml(content);
  const refused = (reason: string, line = lineOf(content, ['on'])) => ({
    settings: [],
    refusals: [{ reason, line }],
  });
  if ('fault' in read) return refused(`The file ${read.fault}.`, null);
  const { on, name, jobs } = mapOf(read.value);
  const follower = files.find(({ content: own }) =>
    textsOf(mapOf(mapOf(onOf(own))['workflow_run'])['workflows']).includes(
      typeof name === 'string' ? name : path,
    ),
  );
  if (follower) return refused(`${follower.path} starts when this workflow completes.`);
  if (edit.action === 'skip_documentation') {
    const planned = withoutDocumentation(content, on, mapOf(jobs));
    const isElsewhere = planned.settings.length + planned.refusals.length === 0;
    return isElsewhere
      ? refused('It starts neither on pull_request nor on pushes to branches now.')
      : planned;
  }
  const planned = edit.action === 'run_less_often' ? lessOften(content, on, edit) : without(on, edit, files);
  return typeof planned === 'string' ? refused(planned) : { settings: [planned], refusals: [] };
}

export function eventsOf(on: unknown): string[] {
  return isMap(on) ? Object.keys(on) : textsOf(on);
}

function onOf(content: string): unknown {
  const read = readYaml(content);
  return 'value' in read ? mapOf(read.value)['on'] : undefined;
}

type Change = Planned['settings'][number];

/** Keeps the time of day, and the day of the week if it has one. */
function lessOften(
  content: string,
  on: unknown,
  { every }: Extract<EditOfEvents, { every: unknown }>,
): Change | string {
  const { schedule } = mapOf(on);
  if (!Array.isArray(schedule) || schedule.length === 0) return 'The file has no schedule now.';
  if (schedule.length > 1) return 'The file has several schedules: decide which of them can run less often.';
  if (content.includes('github.event.schedule'))
    return 'The file compares github.event.schedule with its schedule.';
  const cron = String((mapOf(schedule[0]) as YamlMap)['cron']);
  const fields = cron.trim().split(/\s+/);
  const [minute = '', hour = '', day, month, weekday = ''] = fields;
  if (fields.length !== 5 || day !== '*' || month !== '*')
    return `Its schedule ${JSON.stringify(cron)} is not one of times and days of the week only.`;
  const isRare = [minute, hour, ...(every === 'week' ? [weekday] : [])].every((field) => /^\w+$/.test(field));
  if (isRare) return `It runs once a ${every} or less already.`;
  const value = [
    firstOf(minute) ?? '17',
    firstOf(hour) ?? '4',
    '*',
    '*',
    every === 'day' ? weekday : (firstOf(weekday) ?? '1'),
  ].join(' ');
  return { at: ['on', 'schedule', 0, 'cron'], value };
}

function firstOf(field: string): string | undefined {
  return /^\w+/.exec(field)?.[0];
}

function without(
  on: unknown,
  edit: Extract<EditOfEvents, { events: unknown }>,
  files: readonly PlanFile[],
): Change | string {
  const known = eventsOf(on);
  const removed = edit.events.filter((event) => known.includes(event));
  if (removed.length === 0) return `It does not start on ${edit.events.join(' or ')} now.`;
  if (known.every((event) => event === 'workflow_dispatch')) return 'It starts by hand only.';
  if (edit.action === 'remove_duplicate') {
    const twin = files.find(({ path }) => path === edit.twin);
    const ofTwin = eventsOf(twin && onOf(twin.content));
    if (!removed.every((event) => ofTwin.includes(event)))
      return `These files do not show that ${edit.twin} starts on ${removed.join(' and ')}, as it did.`;
  }
  return { at: ['on'], without: removed, otherwise: 'workflow_dispatch' };
}

const ignored = 'paths-ignore';

/** https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#onpushpull_requestpull_request_targetpathspaths-ignore, read on 2026-11-30 */
function withoutDocumentation(content: string, on: unknown, jobs: YamlMap): Planned {
  const lineAt = linesIn(content);
  const refusals: Planned['refusals'] = [];
  const isFree = (event: string): boolean => {
    const filters = mapOf(mapOf(on)[event]);
    const known = ['paths', ignored].find((each) => filters[each] !== undefined);
    const job =
      event === 'push' ? Object.keys(jobs).find((each) => doesMoreOnPushes(mapOf(jobs[each]))) : undefined;
    if (known)
      refusals.push({ reason: `${event} has ${known} already.`, line: lineAt(['on', event, known]) });
    else if (job !== undefined)
      refusals.push({ reason: `${job} may do more on pushes than check them.`, line: lineAt(['jobs', job]) });
    return known === undefined && job === undefined;
  };
  const asked = eventsOf(on).filter(
    (event) => event === 'pull_request' || (event === 'push' && !isOfTags(mapOf(mapOf(on)[event]))),
  );
  const possible = asked.filter(isFree);
  // The waste was found on pull requests: without them, nothing is saved.
  const isInVain = asked.includes('pull_request') && !possible.includes('pull_request');
  const free = isInVain ? [] : possible;
  const paths = [...documentationPaths];
  if (isMap(on)) {
    const settings = free.map((event) =>
      on[event] === null
        ? { at: ['on', event], value: { [ignored]: paths } }
        : { at: ['on', event, ignored], value: paths },
    );
    return { settings, refusals };
  }
  const value = Object.fromEntries(
    eventsOf(on).map((event) => [event, free.includes(event) ? { [ignored]: paths } : null]),
  );
  return { settings: free.length === 0 ? [] : [{ at: ['on'], value }], refusals };
}

/** GitHub ignores filters of paths for them. */
function isOfTags({
  tags,
  'tags-ignore': noTags,
  branches,
  'branches-ignore': noBranches,
}: YamlMap): boolean {
  return (tags ?? noTags) !== undefined && (branches ?? noBranches) === undefined;
}

/** The runs that nobody needs were for pull requests. A job that knows the event can deploy or publish on a push. */
function doesMoreOnPushes(job: YamlMap): boolean {
  const { environment, uses } = job;
  const asksEvent = /github[._](event|ref|base_ref|head_ref)/i;
  return (environment ?? uses) !== undefined || asksEvent.test(JSON.stringify(job));
}
