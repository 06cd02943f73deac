/**
 * `node run.mjs --dev scripts/gitHubDescription.ts` writes what the tests use of GitHub's OpenAPI description. The package
 * unpacks to 400 MB, so nobody installs it, and only two of its files are unpacked here.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '23.0.2';
const operations = [
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  'POST /app-manifests/{code}/conversions',
  'GET /installation/repositories',
  'GET /organizations/{org}/settings/billing/usage',
  'GET /orgs/{org}/actions/hosted-runners',
  'GET /orgs/{org}/properties/values',
  'GET /orgs/{org}/repos',
  'GET /rate_limit',
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/actions/artifacts',
  'GET /repos/{owner}/{repo}/actions/cache/usage',
  'GET /repos/{owner}/{repo}/actions/caches',
  'GET /repos/{owner}/{repo}/actions/runs',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
  'GET /repos/{owner}/{repo}/branches/{branch}',
  'POST /repos/{owner}/{repo}/check-runs',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
  'GET /repos/{owner}/{repo}/compare/{basehead}',
  'GET /repos/{owner}/{repo}/contents/{path}',
  'POST /repos/{owner}/{repo}/git/commits',
  'POST /repos/{owner}/{repo}/git/refs',
  'POST /repos/{owner}/{repo}/git/trees',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'GET /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
  'GET /repos/{owner}/{repo}/pulls',
  'POST /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
  'GET /user',
  'GET /user/emails',
  'GET /user/teams',
  'GET /users/{username}/repos',
  'GET /users/{username}/settings/billing/usage',
];
/** Only GitHub Enterprise Cloud has them. */
const enterpriseOperations = [
  'POST /enterprises/{enterprise}/settings/billing/reports',
  'GET /enterprises/{enterprise}/settings/billing/reports/{report_id}',
];

type Node = { [key: string]: Node };

const target = join(import.meta.dirname, '../test/fixtures/github-openapi/description.json');
const prose = new Set(['description', 'examples', 'externalDocs', 'summary', 'title', 'discriminator']);

const folder = mkdtempSync(join(tmpdir(), 'runcost-openapi-'));
try {
  const paths = ['api.github.com', 'ghec'].map((name) => `package/generated/${name}.json`);
  execFileSync('npm', ['pack', '--silent', `@octokit/openapi@${version}`, '--pack-destination', folder]);
  const [archive] = readdirSync(folder);
  execFileSync('tar', ['-xzf', archive!, ...paths], { cwd: folder });
  const [gitHub, enterpriseCloud] = paths.map(
    (path) => JSON.parse(readFileSync(join(folder, path), 'utf8')) as Node,
  );
  const common = extractOf(gitHub!, operations);
  const enterprise = extractOf(enterpriseCloud!, enterpriseOperations);
  const description = {
    source: `@octokit/openapi ${version}, api.github.com.json and ghec.json`,
    operations: { ...common.operations, ...enterprise.operations },
    schemas: { ...common.schemas, ...enterprise.schemas },
  };
  writeFileSync(target, JSON.stringify(description, null, 1));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function extractOf(whole: Node, wanted: readonly string[]) {
  const schemas: Record<string, unknown> = {};
  const at = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .reduce((node, part) => node[part]!, whole);
  const referenceIn = (node: Node): string | null => {
    const reference: unknown = node['$ref'];
    return typeof reference === 'string' ? reference : null;
  };
  const resolved = (node: Node) => {
    const reference = referenceIn(node);
    return reference === null ? node : at(reference);
  };

  /** Adds the schemas that it refers to. */
  function schemaOf(node: Node): unknown {
    if (Array.isArray(node)) return node.map((one: Node) => schemaOf(one));
    if (typeof node !== 'object' || node === null) return node;
    const reference = referenceIn(node);
    if (reference !== null) {
      const name = reference.split('/').at(-1)!;
      if (!(name in schemas)) {
        schemas[name] = null;
        schemas[name] = schemaOf(at(reference));
      }
      return { $ref: `#/schemas/${name}` };
    }
    const entries = Object.entries(node).filter(([key]) => !prose.has(key) && key !== 'nullable');
    const schema = Object.fromEntries(
      entries.map(([key, value]) => [key, key === 'properties' ? eachOf(value) : schemaOf(value)]),
    );
    // OpenAPI 3.0 has its own keyword for this.
    return node['nullable'] ? { anyOf: [schema, { type: 'null' }] } : schema;
  }

  const eachOf = (properties: Node) =>
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, schemaOf(one)]));
  const bodyOf = (holder: Node) => {
    const schema = holder['content']?.['application/json']?.['schema'];
    return schema ? schemaOf(schema) : null;
  };
  const described = wanted.map((operation) => {
    const [method, path] = operation.split(' ');
    const { requestBody, responses } = whole['paths']![path!]![method!.toLowerCase()]!;
    const answers = Object.entries(responses!).map(([status, one]) => [status, bodyOf(resolved(one))]);
    const request = requestBody ? { request: bodyOf(resolved(requestBody)) } : {};
    return [operation, { ...request, answers: Object.fromEntries(answers) as object }];
  });
  return { operations: Object.fromEntries(described) as object, schemas };
}
