import { Type } from 'typebox';
import { nullable, sampleText, taskFields } from '../platform/http/schemas.ts';
import { verb } from '../platform/http/verbs.ts';
import { taskView } from '../platform/http/views.ts';
import { getDemo, startDemo, type DemoLoad } from './loadTask.ts';

const LoadSchema = Type.Object({ id: sampleText('demo_4c8e1a6b3d9f5027e1c4'), ...taskFields });

const tag = 'Organization';

export const demoVerbs = [
  verb({
    name: 'org demo get',
    at: 'GET /organization/demo',
    access: { scope: 'admin', role: 'viewer' },
    tag,
    title: 'Get the load of the demo',
    description: 'The latest, with its progress in runs; null if the demo was never loaded.',
    answer: nullable(LoadSchema),
    run: async (ctx) => {
      const load = await getDemo(ctx);
      return load && loadView(load);
    },
  }),
  verb({
    name: 'org demo load',
    at: 'POST /organization/demo',
    access: { scope: 'admin', role: 'owner' },
    tag,
    title: 'Load the demo',
    description:
      'Adds 90 days of runs of a made-up company, with price list, owners, runner pools, storage and bill. Only an ' +
      'organization without runs can load it. Answers with the load that is under way, if there is one.',
    status: 202,
    answer: LoadSchema,
    faults: [409],
    run: async (ctx) => loadView(await startDemo(ctx)),
  }),
];

function loadView(load: DemoLoad) {
  return { id: load.id, ...taskView(load) };
}
