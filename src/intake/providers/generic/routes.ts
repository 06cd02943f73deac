import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../../context.ts';
import type { Recorder } from '../../../ledger/runs/recorder.ts';
import { conclusionWord } from '../../../ledger/runs/report.ts';
import { countRejections } from '../../../platform/http/observe.ts';
import { compileCheck, compileForFastify, invalidRequest } from '../../../platform/http/validate.ts';
import type { FieldError } from '../../../platform/lib/errors.ts';
import {
  submissionResponses,
  type SubmittedRun,
  SubmittedRunsBody,
  SubmittedRunSchema,
  SubmittedRunsEnvelope,
} from './schema.ts';
import { submitRuns, type CheckForm } from './submitRuns.ts';

const largestBody = 25 * 1024 * 1024;

export function submissionRoutes(program: Program & { recorder: Recorder }): FastifyPluginCallbackTypebox {
  const origin = { provider: 'generic', source: 'api' };
  const { events, rejectedEvents } = program.telemetry.metrics;
  return (server, _options, done) => {
    countRejections(server, program.telemetry, () => origin);
    server.post(
      '/runs',
      {
        config: { access: { scope: 'runs:write', role: 'member' }, rateLimit: false },
        bodyLimit: largestBody,
        validatorCompiler: (route) =>
          compileForFastify(route.httpPart === 'body' ? { ...route, schema: SubmittedRunsEnvelope } : route),
        schema: {
          tags: ['Runs'],
          summary: 'Record runs of any CI',
          description:
            'Up to 1,000 runs with their jobs, recorded in one transaction. The provider, run_id and ' +
            'run_attempt identify a run: sending it again updates it and the jobs in it, and no job is paid ' +
            'twice. At most 20,000 jobs in total. Invalid runs do not stop the others: 200 if all runs are ' +
            'recorded, 207 with `rejected` if some are, 400 if none is.',
          body: SubmittedRunsBody,
          response: submissionResponses,
        },
      },
      async (request, reply) => {
        const { runs } = request.body as { runs: unknown[] };
        const now = program.clock.now();
        const submission = await submitRuns(program, request.actor.orgId, runs, checkForm, now);
        const faulty = submission.filter((item) => 'errors' in item).map(inBody);
        if (faulty.length === runs.length) throw invalidRequest(faulty.flatMap((item) => item.errors));
        events.inc(origin, runs.length - faulty.length);
        rejectedEvents.inc({ ...origin, reason: 'invalid_request' }, faulty.length);
        const results = submission.map((item) => ('errors' in item ? rejectedRun(inBody(item)) : item));
        const data = { accepted: runs.length - faulty.length, rejected: faulty.length, results };
        if (faulty.length === 0) return { data };
        return reply.status(207).send({ data, rejected: faulty.map(rejectedRun) });
      },
    );
    done();
  };
}

const checkRun = compileCheck(SubmittedRunSchema, 'body');

const checkForm: CheckForm = (run, path) => {
  const checked = checkRun(withKnownConclusions(run));
  if ('value' in checked) return { run: checked.value as SubmittedRun };
  return {
    errors: checked.errors.map((error) => ({ ...error, path: path + error.path.slice('body'.length) })),
  };
};

function withKnownConclusions(given: unknown): unknown {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given;
  const run = inKnownCase(given);
  return 'jobs' in run && Array.isArray(run.jobs) ? { ...run, jobs: run.jobs.map(inKnownCase) } : run;
}

function inKnownCase<Given>(given: Given): Given {
  if (given === null || typeof given !== 'object' || !('conclusion' in given)) return given;
  const { conclusion } = given;
  return typeof conclusion === 'string' ? { ...given, conclusion: conclusionWord(conclusion) } : given;
}

type Faulty = { index: number; errors: FieldError[] };

function inBody({ index, errors }: Faulty): Faulty {
  return { index, errors: errors.map(({ path, message }) => ({ path: `body.${path}`, message })) };
}

function rejectedRun({ index, errors }: Faulty) {
  const { code, message } = invalidRequest(errors);
  return { index, error: { code, detail: message, errors } };
}
