import { readClientSettings } from '../config.ts';
import { printNote } from './output.ts';
import type { Input } from './session.ts';
import { addOnAndOff, enabledOf, printScheduled, trial } from './switches.ts';
import type { TailoredGroup } from './verbCommand.ts';

const secretName = 'STORAGE_SECRET_KEY';
const fields = {
  options: { access_key_id: 'access-key', secret_access_key: secretName },
  without: ['enabled', 'secret_access_key'],
};

function withSecret(input: Input): Input {
  // The environment's key may be for another destination than one whose access key stays.
  if (input['access_key_id'] === undefined) return input;
  const { storageSecretKey: secret } = readClientSettings();
  return { ...input, ...(secret !== null && { secret_access_key: secret }) };
}

export const scheduledExportCommands: TailoredGroup = {
  'scheduled-export list': { empty: 'No scheduled exports yet.' },
  'scheduled-export create': {
    ...fields,
    title: 'upload an export of each day, week or month',
    defaults: { format: 'csv' },
    read: withSecret,
    print: printScheduled,
    help: `The secret key of the access key comes from ${secretName}.`,
  },
  'scheduled-export update': {
    ...fields,
    title: 'change a scheduled export, or turn it on or off',
    more: addOnAndOff('upload what ends from now on', 'do not upload what ends'),
    read: (input, options) => ({ ...withSecret(input), ...enabledOf(options) }),
    print: printScheduled,
    help: `With --access-key, ${secretName} replaces its secret key.`,
  },
  'scheduled-export test': {
    title: 'write a small file to the storage',
    run: trial('scheduled-export test'),
    print: ({ location }) => printNote(`Wrote ${location}.`),
  },
  'scheduled-export upload list': {
    words: 'scheduled-export uploads',
    title: 'list the uploads, with what failed',
    empty: 'No uploads yet.',
  },
  'scheduled-export upload repeat': {
    words: 'scheduled-export repeat',
    title: 'retry a waiting upload now, or repeat an ended one',
    print: ({ id }) => {
      console.log(id);
      printNote('The server uploads it.');
    },
  },
};
