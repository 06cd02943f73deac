import { STATUS_CODES } from 'node:http';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { apiTagGroups, apiTags } from './apiTags.ts';
import { sessionCookieName, type Access } from './authenticate.ts';
import { addCodeSamples, type Signature } from './codeSamples.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Documents how a sender without a token signs the body. */
    signature?: Signature;
    /** Documents that the route refuses tokens. */
    needsSession?: boolean;
  }
}

type Paths = Record<string, Record<string, { responses: Record<string, { description: string }> }>>;

const introductionFor = (url: string) => `What CI/CD costs, to the last job.

**First request.** [Create a token](${url}/settings/tokens) and ask what the last 30 days cost.

\`\`\`sh
curl '${url}/api/v1/costs?days=30' \\
  -H "Authorization: Bearer $RUNCOST_TOKEN"
\`\`\`

**Values.** Amounts are US dollars, as exact decimals. Days and times are UTC.

**Query parameters.** Every request accepts \`org_id\`, which must be the organization of the token or session; for the server's operator, it chooses the organization. An unknown parameter gets 400 with the nearest known name. \`docs/reference/access.md\` lists the operations that ignore it.

**Lists** come in pages: \`page\`, and \`per_page\` of at most 100.

**Errors** are RFC 9457 problems with a stable \`code\`. An unsupported method answers 405 with \`Allow\`.

**Limits.** \`X-RateLimit-*\` says how many requests a token has left in a minute. Beyond that, 429 comes with \`Retry-After\`.
`;

/** Runs at the first request, because the server does not know its port before. */
export function describeApi(
  publicUrl: () => string,
  events: readonly SentEvent[],
): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Runcost API',
        version: '1',
        license: { name: 'MIT' },
      },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'an access token: `runcost_…`' },
          share: {
            type: 'http',
            scheme: 'bearer',
            description: 'the secret of a share link, which is after `#link=`: `runcost_share_…`',
          },
          operator: {
            type: 'http',
            scheme: 'bearer',
            description:
              'the token that a running server writes into `DATA_DIR/servers`, for commands on its machine: `runcost_operator_…`',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName,
            description: 'a signed-in browser; changes also need the `Origin` of this server',
          },
        },
      },
      security: [{ token: [] }, { session: [] }],
      webhooks: Object.fromEntries(events.map((event) => [event.name, webhookOf(event)])),
    },
    hideUntagged: true,
    transformObject: (document) => {
      if (!('openapiObject' in document)) return {};
      const url = publicUrl();
      const { info, ...rest } = document.openapiObject;
      nameResponses(rest.paths as Paths);
      const described = { ...info!, description: introductionFor(url) };
      const tags = { tags: apiTags, 'x-tagGroups': apiTagGroups };
      return addCodeSamples({ ...rest, info: described, ...tags, servers: [{ url }] }, url);
    },
    transform: ({ schema, url, route }) => {
      const access = route.config?.access as Access | undefined;
      const rights =
        typeof access === 'object'
          ? { ...(access.scope && { 'x-scope': access.scope }), 'x-role': access.role }
          : { security: schema.security ?? (access === 'operator' ? [{ operator: [] }] : []) };
      const { signature, needsSession } = route.config ?? {};
      const credentials = {
        ...(signature && { 'x-signature': signature }),
        ...(needsSession && { 'x-cookie': sessionCookieName }),
      };
      return { schema: { ...schema, ...rights, ...credentials }, url };
    },
  };
}

/** An event that webhooks receive. */
type SentEvent = { name: string; description: string; schema: object; example: object };

function webhookOf({ name, description, schema, example }: SentEvent) {
  return {
    post: {
      operationId: name,
      tags: ['Webhooks'],
      summary: name,
      description,
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses: { '2XX': { description: 'The event has arrived.' } },
    },
  };
}

/** Sets "OK" or "Created" if a response has no description of its own. */
function nameResponses(paths: Paths): void {
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(responses)) {
      if (response.description === 'Default Response') response.description = STATUS_CODES[status]!;
    }
  }
}
