import { readClientSettings } from '../config.ts';
import { CommandError } from './faults.ts';
import { printNote, printTable } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import type { TailoredGroup } from './verbCommand.ts';

async function connect(session: Session, input: Input): Promise<Answer> {
  const { gitLabToken: token } = readClientSettings();
  if (token === null)
    throw new CommandError('GITLAB_TOKEN is required: the token that adds the webhook', 'usage');
  const access = { address: input['address'], token };
  const path = input['path'] ?? onlyOne(await session.call('gitlab place find', access));
  const whole = await session.call('gitlab connect', { ...access, path });
  for (let { next_page: page } = whole; page !== null;) {
    const asked = { ...access, path, page, source_id: whole.source_id };
    const next = await session.call('gitlab connect', asked);
    whole.source_id ??= next.source_id;
    whole.test_event ??= next.test_event;
    whole.webhooks.push(...next.webhooks);
    page = next.next_page;
    printNote(`${whole.webhooks.length}${whole.projects === null ? '' : ` of ${whole.projects}`} projects`);
  }
  if (whole.webhooks.some(({ result }: Answer) => result === 'failed')) process.exitCode = 1;
  return { ...whole, next_page: null };
}

function onlyOne({ groups, projects, is_cut: isCut }: Answer): string {
  const [only, ...others]: string[] = [...groups, ...projects];
  if (only !== undefined && others.length === 0) return only;
  const some = [only, ...others].slice(0, 20).join(', ');
  const more = isCut || others.length >= 20 ? ', …' : '';
  const why =
    only === undefined
      ? 'the token is a Maintainer of no group or project'
      : `the token reaches ${some}${more}`;
  throw new CommandError(`--path is required: ${why}`, 'usage');
}

function print({ source_id: sourceId, test_event: testEvent, webhooks }: Answer): void {
  printTable(
    ['PATH', 'WEBHOOK', 'WHY'],
    (webhooks as Answer[]).map(({ path, result, error }) => [path, result, error ?? '']),
  );
  if (sourceId !== null) printNote(`Their events go to ${sourceId}.`);
  if (testEvent !== null) printNote(wordsOf(testEvent));
}

function wordsOf({ result, reason }: Answer): string {
  if (result === 'sent') return 'GitLab sent its last pipeline as a test, and it arrived.';
  if (result === 'not_offered')
    return 'This GitLab sends no test events. The next pipeline is the first event.';
  return `GitLab sent no test event: ${reason}`;
}

export const connectCommands: TailoredGroup = {
  'gitlab connect': {
    words: 'connect gitlab',
    title: 'add a webhook to a group or project at GitLab, with a token',
    also: ['gitlab place find'],
    options: { token: 'GITLAB_TOKEN' },
    only: ['address'],
    more: (command) =>
      command.option('--path <path>', 'group or project; optional while the token reaches only one'),
    read: (input, { path }) => ({ ...input, path }),
    run: connect,
    print,
    help: `
It uses GITLAB_TOKEN: an access token of the group or project, or your own, with the scope api and the role Owner, or
Maintainer for webhooks of projects. Runcost does not keep the token. If the plan has no group webhooks, each project gets one.
Running the command again changes the same webhooks.

Examples:
  GITLAB_TOKEN=glpat-… runcost connect gitlab --path acme --address https://gitlab.acme.example
  GITLAB_TOKEN=glpat-… runcost connect gitlab`,
  },
};
