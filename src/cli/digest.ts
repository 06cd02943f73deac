import { printNote, printTable } from './output.ts';
import type { Answer } from './session.ts';
import { addOnAndOff, enabledOf, printScheduled, trial } from './switches.ts';
import type { TailoredGroup } from './verbCommand.ts';

function printList(digests: Answer[]): void {
  if (digests.length === 0) return printNote('No digests yet. `digest preview` shows what one says.');
  printTable(
    ['DIGEST', 'FREQUENCY', 'COSTS OF', 'TO', 'NEXT'],
    digests.map(
      ({ id, frequency, team, actor_kind: kind, recipients, chat, channel_ids: channels, next_at: next }) => [
        id,
        frequency,
        team === null ? (kind ?? 'all') : `team ${team}`,
        receiversOf(recipients, [...(chat ? ['the default channel'] : []), ...channels]),
        next ?? 'off',
      ],
    ),
  );
}

function receiversOf(recipients: Answer[], channels: readonly string[]): string {
  const people = recipients.map(({ email, unsubscribed_at: left }) =>
    left === null ? email : `${email} (unsubscribed)`,
  );
  return [...people, ...channels].join(', ') || 'nobody';
}

export const digestCommands: TailoredGroup = {
  'digest list': {
    title: 'list your digests, and those to addresses and channels',
    print: printList,
  },
  'digest create': {
    title: 'send a digest to addresses and to channels',
    options: { recipients: 'to' },
    without: ['is_personal', 'enabled'],
    defaults: { frequency: 'weekly' },
    more: (command) => command.option('--personal', 'send it to you instead'),
    read: (input, { personal }) => ({ ...input, is_personal: personal === true }),
    print: printScheduled,
  },
  'digest update': {
    title: 'change a digest, or turn it on or off',
    options: { recipients: 'to' },
    without: ['enabled'],
    more: addOnAndOff('send it', 'do not send it'),
    read: (input, options) => ({
      ...input,
      ...(input['team'] === '' && { team: null }),
      ...(input['actor_kind'] === '' && { actor_kind: null }),
      ...enabledOf(options),
    }),
    print: printScheduled,
  },
  'digest preview': {
    title: 'show what a digest of the latest whole week or month says; nothing is sent',
    more: (command) => command.option('--html', 'print the email as HTML'),
    print: ({ subject, text, html }, options) =>
      console.log(options['html'] ? html : `${subject}\n\n${text.trimEnd()}`),
  },
  'digest send': {
    title: 'send a digest now, to one member; its schedule stays',
    run: trial('digest send'),
    print: (_answer, _options, { to = 'you' }) => printNote(`Sent to ${to as string}.`),
  },
};
