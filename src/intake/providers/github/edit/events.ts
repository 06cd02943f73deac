import type { PlanFile, WorkflowEdit } from '../../../../ledger/pricing/plan.ts';
import { isMap, mapOf, readYaml, textsOf, type YamlMap } from '../../readYaml.ts';
import { lineOf, type Planned } from './setValues.ts';

type EditOfEvents = Extract<
  WorkflowEdit,
  { action: 'run_less_often' | 'remove_trigger' | 'remove_duplicate' }
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
  const { on, name } = mapOf(read.value);
  const follower = files.find(({ content: own }) =>
    textsOf(mapOf(mapOf(onOf(own))['workflow_run'])['workflows']).includes(
      typeof name === 'string' ? name : path,
    ),
  );
  if (follower) return refused(`${follower.path} starts when this workflow completes.`);
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
  edit: Exclude<EditOfEvents, { every: unknown }>,
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
