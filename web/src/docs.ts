/**
 * The page at /docs: Scalar's view of the API. Visitors sign in by a link with a token, by the dashboard's cookie, or
 * not at all.
 */
import './font/inter.css';
import './docs.css';
import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference';
import type { paths } from './api/schema.d.ts';

declare const Scalar: {
  createApiReference: (element: string, configuration: Partial<ApiReferenceConfiguration>) => void;
};

type Session = paths['/api/v1/session']['get']['responses'][200]['content']['application/json']['data'];
type Answer = { content: Record<string, { schema: object }> };
type Parameter = { name: string; required?: boolean; example?: string | undefined; examples?: object };
type Document = {
  info: { license?: object };
  servers: { url: string }[];
  security: object[];
  components: { securitySchemes: Record<string, object>; schemas?: Record<string, object> };
  paths: Record<string, Record<string, { parameters?: Parameter[]; responses: Record<string, Answer> }>>;
};

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')!.content;

type Create = (name: string, options?: ElementCreationOptions) => HTMLElement;
const page = document as { createElement: Create };
const create: Create = page.createElement.bind(document);
// Scalar sets the nonce that the page's policy requires on only some of its style elements.
page.createElement = (name, options) => {
  const element = create(name, options);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};

function loadScalar(): Promise<unknown> {
  const { href } = document.querySelector<HTMLLinkElement>('#scalar')!;
  const script = Object.assign(document.createElement('script'), { src: href });
  return new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error("Scalar's script did not load.")));
    document.head.append(script);
  });
}

const tokenPrefix = /^#token(?:=|%3D)?/;

/** Reads the token from `/docs#token=…` and removes it from the address, valid or not. */
function takeToken(): string | null {
  if (!tokenPrefix.test(location.hash)) return null;
  const token = location.hash.replace(tokenPrefix, '');
  history.replaceState(null, '', location.pathname);
  return token;
}

function checked(response: Response): Response {
  if (!response.ok) throw new Error(`${new URL(response.url).pathname} answers ${response.status}.`);
  return response;
}

/** Browsers log a 401 as an error, so the page asks for the session only if the server saw a cookie. */
const hasCookieAtAll =
  document.querySelector<HTMLMetaElement>('meta[name="has-session"]')!.content === 'true';

async function readSession(token: string | null): Promise<Session | null> {
  if (token === null && !hasCookieAtAll) return null;
  const response = await fetch('/api/v1/session', {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });
  if (response.status === 401) return null;
  return ((await checked(response).json()) as { data: Session }).data;
}

function showSession(session: Session | null, token: string | null): void {
  const line = document.querySelector('#session')!;
  if (session) {
    const { organization, member, role } = session;
    line.textContent = `Signed in as ${member?.email ?? 'a service account'}, ${role} of ${organization.name}. Requests from this page use ${token ? "the link's token" : 'your session'}.`;
    return;
  }
  const link = Object.assign(document.createElement('a'), { href: '/sign-in', textContent: 'Sign in' });
  const reason = token ? "The link's token is not valid. " : 'You are not signed in. ';
  line.replaceChildren(
    reason,
    link,
    ' to the dashboard and come back, or enter a token under Authentication. Every request needs one of them.',
  );
}

/** Adapts the document for Scalar: samples call this server, and examples contain the caller's organization. */
function readDocument(text: string, session: Session | null): Document {
  const { paths, servers } = JSON.parse(text) as Document;
  const configured = servers[0]!.url;
  const { parameters, responses } = paths['/api/v1/alerts']!['get']!;
  const example = parameters!.find(({ name }) => name === 'org_id')!.example!;
  // The address appears in samples and in links.
  const local = ["'", '('].reduce(
    (shown, before) => shown.replaceAll(`${before}${configured}/`, `${before}${location.origin}/`),
    text,
  );
  const { schema } = responses['401']!.content['application/problem+json']!;
  return withProblem(session ? local.replaceAll(example, session.organization.id) : local, schema);
}

/**
 * Copies of the error schema are half of the document, and Scalar parses every copy. One shared schema replaces them.
 */
function withProblem(text: string, schema: object): Document {
  const shared = text.replaceAll(JSON.stringify(schema), '{"$ref":"#/components/schemas/Problem"}');
  const { components, ...rest } = JSON.parse(shared) as Document;
  return { ...rest, components: { ...components, schemas: { ...components.schemas, Problem: schema } } };
}

/** Browsers send the cookie themselves, so the form offers only the token, and requires none if there is a cookie. */
function withoutCookie({ components, ...rest }: Document, hasCookie: boolean): Document {
  const { session: _, ...securitySchemes } = components.securitySchemes;
  return {
    ...rest,
    security: hasCookie ? [] : [{ token: [] }],
    components: { ...components, securitySchemes },
  };
}

/** The license is the product's; the page does not show it. */
function withoutLicense({ info: { license: _, ...info }, ...rest }: Document): Document {
  return { ...rest, info };
}

/** Removes the examples of optional parameters, because the form would send all of them together. */
function withoutFilters(shown: Document): Document {
  for (const operation of Object.values(shown.paths).flatMap((methods) => Object.values(methods))) {
    operation.parameters = (operation.parameters ?? []).map(({ example, ...parameter }) =>
      parameter.required || parameter.name === 'dry_run'
        ? { ...parameter, example }
        : { ...parameter, examples: { default: { value: example, 'x-disabled': true } } },
    );
  }
  return shown;
}

/** Without a token, Scalar sends an empty one, which would take precedence over the cookie. */
function sendWithCookie(...given: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(...given);
  if (request.headers.get('authorization')?.trim() === 'Bearer') request.headers.delete('authorization');
  return fetch(request);
}

async function showDocs(token: string | null): Promise<void> {
  const [session, text] = await Promise.all([
    readSession(token),
    fetch('/openapi.json').then((response) => checked(response).text()),
    loadScalar(),
  ]);
  const hasCookie = session !== null && !token;
  document.documentElement.toggleAttribute('data-cookie', hasCookie);
  document.documentElement.toggleAttribute('data-apple', /Mac|iPhone|iPad/.test(navigator.userAgent));
  // Follows the dashboard's color scheme if one is chosen, otherwise the system's.
  const scheme = localStorage.getItem('mantine-color-scheme-value');
  Scalar.createApiReference('#reference', {
    content: withoutLicense(withoutFilters(withoutCookie(readDocument(text, session), hasCookie))),
    customFetch: sendWithCookie,
    // The address of this page, which can differ from the configured one.
    servers: [{ url: location.origin }],
    authentication: {
      preferredSecurityScheme: 'token',
      securitySchemes: { token: { token: session && token ? token : '' } },
    },
    persistAuth: false,
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    // Uses our own samples instead of generated ones.
    hiddenClients: true,
    theme: 'none',
    hideDarkModeToggle: true,
    ...(scheme === 'light' || scheme === 'dark' ? { forceDarkModeState: scheme } : {}),
    documentDownloadType: 'none',
    hideModels: true,
  });
  showSession(session, token);
}

function showFailure({ message }: Error): void {
  document.querySelector('#session')!.textContent =
    `The docs failed to load. Reload the page. Reason: ${message}`;
}

const copy = document.querySelector<HTMLButtonElement>('#copy')!;
// Pages over plain HTTP have no clipboard.
copy.hidden = !('clipboard' in navigator);
const copyLabel = copy.innerHTML;
async function copyAddress(): Promise<void> {
  await navigator.clipboard.writeText(location.origin);
  copy.textContent = 'Copied';
  setTimeout(() => (copy.innerHTML = copyLabel), 2_000);
}
copy.addEventListener('click', () => void copyAddress());
// Someone may open a link with a token while this page is open.
addEventListener('hashchange', () => {
  if (tokenPrefix.test(location.hash)) location.reload();
});
await showDocs(takeToken()).catch(showFailure);
