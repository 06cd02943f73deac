import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { pageAsked, paginationView } from '../../platform/http/pagination.ts';
import { defaulted, PageQuery, responses } from '../../platform/http/schemas.ts';
import { compileCheck, compileForFastify, invalidRequest } from '../../platform/http/validate.ts';
import type { FieldError } from '../../platform/lib/errors.ts';
import { conclusionWord } from './conclusion.ts';
import type { ForgetRuns } from './deleteRuns.ts';
import { runDeletionRoutes } from './deletion.routes.ts';
import { runReadingRoutes } from './reading.routes.ts';
import { listUnpriced } from './reading.ts';
import type { SubmittedRun } from './readSubmittedRun.ts';
import type { Recorder } from './recorder.ts';
import { unpricedView } from './runViews.ts';
import {
  submissionResponses,
  SubmittedRunsBody,
  SubmittedRunSchema,
  SubmittedRunsEnvelope,
  UnpricedRunners,
} from './schema.ts';
import { submitRuns, type CheckForm } from './submitRuns.ts';

const largestBody = 25 * 1024 * 1024;
const mostDaysBack = 365;

type RunProgram = Program & { recorder: Recorder; forgetRuns: ForgetRuns };

/** Runs from any CI, what they cost, and the runners that no price is known for. */
export function runRoutes(program: RunProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
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
            'Up to 1,000 runs with their jobs, recorded in one transaction. A run is known by provider, run_id and ' +
            'run_attempt: sending it again brings it and the jobs it names up to date, and pays nothing twice. At most ' +
            '20,000 jobs in all. A run with faults does not keep the others out: 200 if all runs are recorded, 207 ' +
            'with `rejected` if some are, 400 if none is.',
          body: SubmittedRunsBody,
          response: submissionResponses,
        },
      },
      async (request, reply) => {
        const { runs } = request.body as { runs: unknown[] };
        const now = program.clock.now();
        const submission = await submitRuns(program.recorder, request.actor.orgId, runs, checkForm, now);
        const faulty = submission.filter((item) => 'errors' in item);
        if (faulty.length === runs.length) throw invalidRequest(faulty.flatMap((item) => item.errors));
        const results = submission.map((item) => ('errors' in item ? rejectedRun(item) : item));
        const data = { accepted: runs.length - faulty.length, rejected: faulty.length, results };
        if (faulty.length === 0) return { data };
        return reply.status(207).send({ data, rejected: faulty.map(rejectedRun) });
      },
    );

    server.get(
      '/pricing/unpriced',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Pricing'],
          summary: 'List runners without a price',
          description:
            'Their minutes are counted and cost 0 until a price is known. Those with the most minutes first.',
          querystring: Type.Object({
            ...PageQuery.properties,
            days: defaulted(Type.Integer({ minimum: 1, description: 'more than 365 counts as 365' }), 30),
          }),
          response: responses(200, UnpricedRunners),
        },
      },
      async (request) => {
        const asked = pageAsked(request.query);
        const days = Math.min(request.query.days, mostDaysBack);
        const { runners, total } = await listUnpriced(
          { ...program, actor: request.actor },
          { ...asked, days },
        );
        return {
          data: runners.map(unpricedView),
          pagination: paginationView(asked, total),
        };
      },
    );
    server.register(runReadingRoutes(program));
    server.register(runDeletionRoutes(program));
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

/** The conclusions of a run and its jobs in the case that their check knows. */
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

function rejectedRun({ index, errors }: { index: number; errors: FieldError[] }) {
  const { code, message } = invalidRequest(errors);
  return { index, error: { code, detail: message, errors } };
}
