import { Type } from 'typebox';
import {
  CalendarDay,
  nullable,
  nullableText,
  NullableTimestamp,
  sampleText,
  Timestamp,
  Usd,
} from '../../platform/http/schemas.ts';

const enterprise = 'the GitHub enterprise whose runners are read too';

export const ReadBody = Type.Object(
  {
    enterprise: Type.Optional(
      nullable(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{1,100}$',
          description: `${enterprise}, by its name in its address; null for none. Default: as before`,
        }),
      ),
    ),
  },
  { additionalProperties: false, examples: [{ enterprise: 'acme-inc' }] },
);

export const HostedRunnersSchema = Type.Object({
  runners: Type.Array(
    Type.Object({
      name: sampleText('acme-big', 'its label, in lower case'),
      owner: sampleText('acme', 'an organization, or an enterprise such as `enterprises/acme-inc`'),
      platform: sampleText('linux-x64'),
      size: sampleText('16-core'),
      cores: Type.Integer({ examples: [16] }),
      image: nullableText('Ubuntu 24.04'),
      runner_kind: nullableText('linux_16_core', 'null for a size that no price list has'),
      usd_per_minute: Type.Unsafe<ReturnType<typeof JSON.rawJSON> | null>({
        ...Usd,
        type: ['number', 'null'],
        description: 'today, by the chosen price list',
      }),
      first_day: { ...CalendarDay, description: 'since when it is known with this size' },
      read_at: { ...Timestamp, description: 'when GitHub listed it last' },
    }),
  ),
  enterprise: nullableText('acme-inc', enterprise),
  tried_at: NullableTimestamp,
  problems: Type.Array(
    Type.Object({
      owner: sampleText('acme'),
      message: sampleText('GitHub refused the list of runners of acme (403).'),
    }),
    { description: 'of the last try: whose runners could not be read, and why' },
  ),
});
